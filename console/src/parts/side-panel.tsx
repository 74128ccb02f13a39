import { type ReactNode, useEffect, useRef } from 'react';
import { say } from '../words/words.ts';
import { Button } from './button.tsx';

/** Details of a row, beside the list. It takes the focus and gives it back, and Escape closes it. */
export function SidePanel({ title, close, children }: { title: ReactNode; close(): void; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  const latest = useRef(close);
  latest.current = close;
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    // A button that was pressed may be disabled by now, and the focus is then nowhere.
    const onKey = (event: KeyboardEvent) => {
      const inDialog = event.target instanceof Element && event.target.closest('[role=dialog]') !== null;
      if (event.key === 'Escape' && !event.defaultPrevented && !inDialog) latest.current();
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-labelledby="side-panel-title"
      className="absolute inset-y-0 end-0 z-20 flex w-full max-w-[380px] flex-col border-s border-line bg-raised shadow-2 outline-none"
    >
      <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-4">
        <h2 id="side-panel-title" className="min-w-0 truncate text-base font-semibold">
          {title}
        </h2>
        <span className="ms-auto" />
        <Button look="ghost" icon="x" aria-label={say('action.close')} onClick={close} />
      </div>
      <div className="scroll min-h-0 flex-1" tabIndex={0}>
        {children}
      </div>
    </aside>
  );
}

/** A part of a panel, with its name. */
export function PanelPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="border-b border-line px-4 py-3.5">
      <h3 className="mb-2 text-xs font-medium text-ink-2">{title}</h3>
      {children}
    </section>
  );
}

/** Names and values of a part. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[fit-content(50%)_minmax(0,1fr)] gap-x-3 gap-y-1.5">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="num min-w-0 break-words whitespace-pre-line" dir="auto">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}
