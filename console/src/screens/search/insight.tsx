import { useState } from 'react';
import type { SearchBody } from '../../data/search.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { useCopy } from '../../parts/use-copy.ts';
import { milliseconds, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { FORMS, type Form, sameRequest } from './same-request.ts';
import { endOf, type Stage } from './stages.ts';

const COLOURS: Readonly<Record<string, string>> = {
  lexical: 'bg-lex',
  fuzzy: 'bg-lex',
  embed: 'bg-sem',
  semantic: 'bg-sem',
  rerank: 'bg-rer',
};

/** Where the time went, and the same request outside of the console. */
export function Insight({ body, stages, shown }: { body: SearchBody; stages: readonly Stage[]; shown: boolean }) {
  return (
    <aside
      tabIndex={0}
      aria-label={say('search.insight')}
      className="scroll min-h-0 border-s border-line bg-sunken outline-offset-[-2px] max-xl:hidden"
    >
      {stages.length > 0 && shown && <Waterfall stages={stages} />}
      <Request body={body} />
    </aside>
  );
}

function Waterfall({ stages }: { stages: readonly Stage[] }) {
  const total = endOf(stages);
  const share = (ms: number) => `${total === 0 ? 0 : (ms / total) * 100}%`;
  return (
    <section className="border-b border-line p-4">
      <h2 className="mb-3 flex items-baseline text-xs font-medium text-ink-2">
        {say('search.time')}
        <span className="num ms-auto text-ink-3">{milliseconds(total)}</span>
      </h2>
      <ol className="flex flex-col gap-1.5">
        {stages.map(({ name, start, ms }) => (
          <li key={name} className="grid grid-cols-[64px_1fr_44px] items-center gap-2 text-2xs">
            <span className="truncate text-ink-2">{name}</span>
            <span className="relative h-2">
              <span
                className={`absolute h-full min-w-[2px] rounded-[2px] ${COLOURS[name] ?? 'bg-ink-3'}`}
                style={{ insetInlineStart: share(start), width: share(ms) }}
              />
            </span>
            <span className="num text-end text-ink-3">{number(ms, 1)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Request({ body }: { body: SearchBody }) {
  const [form, setForm] = useState<Form>('curl');
  const [copied, copy] = useCopy();
  const text = sameRequest(form, body, location.origin);
  return (
    <section className="p-4">
      <h2 className="mb-2 text-xs font-medium text-ink-2">{say('search.sameRequest')}</h2>
      <div className="flex items-center gap-3 text-xs">
        {FORMS.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === form}
            onClick={() => setForm(one)}
            className={`border-b-2 pb-1 ${one === form ? 'border-ink text-ink' : 'border-transparent text-ink-3 hover:text-ink'}`}
          >
            {one}
          </button>
        ))}
        <span className="ms-auto">
          <Hint label={say(copied ? 'action.copied' : 'action.copy')}>
            <Button
              look="ghost"
              size="small"
              icon={copied ? 'check' : 'copy'}
              aria-label={say('action.copy')}
              onClick={() => copy(text)}
            />
          </Hint>
        </span>
      </div>
      <pre
        tabIndex={0}
        dir="ltr"
        className="scroll mt-2 max-h-96 rounded-lg border border-line bg-surface p-3 font-mono text-[11px] leading-[17px] text-ink-2"
      >
        {text}
      </pre>
    </section>
  );
}
