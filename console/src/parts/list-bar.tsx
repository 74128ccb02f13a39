import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from './icon.tsx';

const TYPED_MS = 150;

interface ListBarProps {
  /** The text that is looked for now. */
  q: string | undefined;
  label: string;
  change(q: string | undefined): void;
  children?: ReactNode;
}

/** The bar above a list with a field that filters it while the reader types. `/` goes to the field. */
export function ListBar({ q, label, change, children }: ListBarProps) {
  const [text, setText] = useState(q ?? '');
  const field = useRef<HTMLInputElement>(null);
  const latest = useRef({ q, change });
  latest.current = { q, change };
  useEffect(() => {
    setText((old) => (old.trim() === (q ?? '') ? old : (q ?? '')));
  }, [q]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const wanted = text.trim();
      if (wanted !== (latest.current.q ?? '')) latest.current.change(wanted === '' ? undefined : wanted);
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // The target of an event in a shadow root is the element around the root.
      const [target] = event.composedPath();
      const isTyping = target instanceof Element && target.matches('input, textarea, [contenteditable=true]');
      if (event.key !== '/' || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <div className="flex min-w-0 flex-1 items-center gap-2 text-ink-3">{children}</div>
      <label className="field flex h-7 w-60 items-center gap-1.5 px-2 text-ink-3">
        <Icon name="search" size={13} />
        <input
          ref={field}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setText('');
          }}
          aria-label={label}
          placeholder={label}
          className="w-full bg-transparent text-ink outline-none placeholder:text-ink-3"
        />
      </label>
    </div>
  );
}
