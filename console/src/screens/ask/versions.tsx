import type { KeyboardEvent } from 'react';
import type { Versions as Of } from '../../data/turns.ts';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../words/words.ts';

/** Goes from one version of a question or an answer to the next: with its buttons, or with the arrow keys. Nothing if there is one. */
export function Versions({
  of: { ids, at },
  label,
  disabled,
  show,
}: {
  of: Of;
  label: string;
  disabled: boolean;
  show(messageId: string): void;
}) {
  const total = Math.max(ids.length, at + 1);
  if (total < 2) return null;
  function step(by: number) {
    const next = ids[at + by];
    if (next !== undefined && !disabled) show(next);
  }
  function onKeyDown(event: KeyboardEvent) {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    step(document.dir === 'rtl' ? -by : by);
  }
  // A disabled button would lose the focus at the first and at the last version.
  const button = (by: number, icon: 'chevron-left' | 'chevron-right', name: string) => (
    <button
      type="button"
      aria-label={name}
      aria-disabled={disabled || ids[at + by] === undefined}
      onClick={() => step(by)}
      className="grid size-6 place-items-center rounded-md hover:bg-hover hover:text-ink aria-disabled:opacity-40 aria-disabled:hover:bg-transparent"
    >
      <Icon name={icon} size={13} className="rtl:-scale-x-100" />
    </button>
  );
  return (
    <fieldset aria-label={label} onKeyDown={onKeyDown} className="flex shrink-0 items-center text-ink-3">
      {button(-1, 'chevron-left', say('ask.earlierVersion'))}
      <span className="num text-xs" aria-hidden="true">
        {at + 1}/{total}
      </span>
      <span className="sr-only" aria-live="polite">
        {say('ask.versionOf', { at: at + 1, total })}
      </span>
      {button(1, 'chevron-right', say('ask.laterVersion'))}
    </fieldset>
  );
}
