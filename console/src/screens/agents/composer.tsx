import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { readService } from '../../data/health.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/layout.tsx';
import { useKept } from '../../shell/drafts.ts';
import { useScope } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';

const QUESTION_LENGTH_MAX = 10_000;

interface ComposerProps {
  busy: boolean;
  problem: string | null;
  start(question: string, inBackground: boolean): void;
}

/** The question for a new run, and whether the run needs this page. */
export function Composer({ busy, problem, start }: ComposerProps) {
  const [text, setText] = useKept('agents.question', '');
  const [inBackground, setInBackground] = useState(false);
  const hint = useId();
  const mayRead = useScope('knowledge:read', 'ingestion:manage');
  const service = useQuery({ queryKey: ['service'], queryFn: readService, enabled: mayRead });
  const hasModel = service.data?.models.chat !== null;
  const mayStart = hasModel && !busy && text.trim() !== '';
  function submit(event?: FormEvent) {
    event?.preventDefault();
    if (mayStart) start(text.trim(), inBackground);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  }
  if (!hasModel)
    return (
      <p className="flex shrink-0 items-start gap-2 border-b border-line bg-sunken px-4 py-3 text-ink-2">
        <Icon name="info" size={15} className="mt-0.5 text-ink-3" />
        {say('agents.noModel')}
      </p>
    );
  return (
    <form onSubmit={submit} className="shrink-0 border-b border-line px-4 py-3">
      <div className="rounded-xl border border-line-strong bg-raised shadow-1 focus-within:border-accent">
        <textarea
          value={text}
          rows={1}
          maxLength={QUESTION_LENGTH_MAX}
          dir="auto"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          aria-label={say('agents.question')}
          placeholder={say('agents.question')}
          className="field-sizing-content max-h-40 min-h-10 w-full resize-none bg-transparent px-3.5 pt-2.5 text-base outline-none placeholder:text-ink-3"
        />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 ps-3.5 pe-2">
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={inBackground}
              onChange={(event) => setInBackground(event.target.checked)}
              aria-describedby={hint}
              className="size-3.5 shrink-0 accent-[var(--accent)]"
            />
            {say('agents.background')}
          </label>
          <span id={hint} className="min-w-0 flex-1 basis-48 text-xs text-ink-3">
            {say(inBackground ? 'agents.backgroundText' : 'agents.attachedText')}
          </span>
          <Button type="submit" look="primary" icon="arrow-up" disabled={!mayStart}>
            {say('agents.start')}
          </Button>
        </div>
      </div>
      {problem && (
        <div className="mt-2">
          <Problem text={problem} />
        </div>
      )}
    </form>
  );
}
