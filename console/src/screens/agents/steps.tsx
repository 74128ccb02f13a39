import { type AgentCall, type AgentView, noteOf } from '../../data/agents/agent-view.ts';
import type { AgentRun } from '../../data/agents/agents.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Spinner } from '../../parts/layout.tsx';
import { milliseconds } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { CallResult } from './call-result.tsx';

type CallFacts = AgentRun['steps'][number];

const ICONS: Readonly<Record<string, IconName>> = {
  search: 'search',
  read_source: 'book-open',
  list_sources: 'file-text',
  list_tables: 'library',
  describe_table: 'info',
  query_table: 'braces',
};

interface StepsProps {
  view: AgentView;
  run: AgentRun | undefined;
  goesOn: boolean;
}

/** The steps of a run: which tools were called with what, and what they returned. */
export function Steps({ view, run, goesOn }: StepsProps) {
  let before = 0;
  return (
    <section aria-label={say('agents.steps')}>
      <h2 className="mb-2 text-base font-semibold">{say('agents.steps')}</h2>
      {view.steps.length === 0 && !goesOn && <p className="text-ink-3">{say('agents.noSteps')}</p>}
      <ol className="flex flex-col gap-4">
        {view.steps.map(({ name, calls }, at) => {
          // The calls of the record stand in the same order.
          const facts = run?.steps.slice(before, before + calls.length) ?? [];
          before += calls.length;
          return (
            <li key={name}>
              <h3 className="mb-1.5 text-xs font-medium text-ink-3">{say('agents.step', { n: at + 1 })}</h3>
              <ul className="overflow-hidden rounded-lg border border-line">
                {calls.map((call, i) => (
                  <li key={call.id} className="border-b border-line last:border-0">
                    <Call call={call} facts={facts[i]} />
                  </li>
                ))}
              </ul>
            </li>
          );
        })}
      </ol>
      {goesOn && (
        <p className="mt-3">
          <Spinner label={say('agents.running')} />
        </p>
      )}
    </section>
  );
}

function Call({ call, facts }: { call: AgentCall; facts: CallFacts | undefined }) {
  const { tool, args, result } = call;
  const failed = result !== undefined && noteOf(result) !== undefined;
  return (
    <details className="group">
      <summary className="flex h-9 cursor-default list-none items-center gap-2 px-3 outline-offset-[-2px] hover:bg-hover [&::-webkit-details-marker]:hidden">
        <Icon
          name="chevron-right"
          size={13}
          className="shrink-0 text-ink-3 group-open:rotate-90 rtl:-scale-x-100 rtl:group-open:scale-x-100"
        />
        <Icon name={ICONS[tool] ?? 'code'} size={14} className="shrink-0 text-ink-3" />
        <span className="shrink-0 font-medium">{tool}</span>
        <bdi className="min-w-0 truncate text-ink-2">{shortOf(args)}</bdi>
        <span className="num ms-auto flex shrink-0 items-center gap-3 text-xs text-ink-3">
          {failed && <Icon name="triangle-alert" size={13} className="text-warn" />}
          {facts && !failed && say('agents.found', { n: facts.found })}
          {facts && <span className="w-16 text-end">{milliseconds(facts.elapsed_ms)}</span>}
        </span>
      </summary>
      <div className="flex flex-col gap-3 border-t border-line bg-sunken px-3 py-3">
        <div>
          <h4 className="mb-1 text-xs text-ink-3">{say('agents.arguments')}</h4>
          {facts?.input === null ? (
            <p className="text-ink-2">{say('agents.argumentsHidden')}</p>
          ) : (
            <Arguments args={args} />
          )}
        </div>
        <div>
          <h4 className="mb-1 text-xs text-ink-3">{say('agents.result')}</h4>
          {result === undefined ? (
            <Spinner label={say('agents.running')} />
          ) : (
            <CallResult tool={tool} result={result} />
          )}
        </div>
      </div>
    </details>
  );
}

/** Returns what tells calls of a tool apart: the words of the query, or the first argument that is no id. */
function shortOf(args: AgentCall['args']): string {
  const [, value] = Object.entries(args).find(([name]) => !name.endsWith('_id')) ?? [];
  return value === undefined ? '' : textOf(args['query'] ?? args['sql'] ?? value);
}

function Arguments({ args }: { args: AgentCall['args'] }) {
  const entries = Object.entries(args);
  if (entries.length === 0) return <p className="text-ink-3">–</p>;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd dir="auto" className="break-words font-mono text-xs leading-5">
            {textOf(value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
