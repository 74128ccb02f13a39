import { useState } from 'react';
import type { AgentView } from '../../data/agents/agent-view.ts';
import { type AgentRun, isActive } from '../../data/agents/agents.ts';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/layout.tsx';
import { moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { AnswerView } from '../ask/answer-view.tsx';
import { CitationList } from '../ask/citation-list.tsx';
import { AgentState, durationOf, limitOf } from './state.tsx';
import { Steps } from './steps.tsx';

interface RunBodyProps {
  question: string;
  view: AgentView;
  /** The stored run; undefined while it lives with this page. */
  run: AgentRun | undefined;
  problem?: string | null;
}

/** The answer with its citations, what the run cost, and its steps. */
export function RunBody({ question, view, run, problem = null }: RunBodyProps) {
  const [chosen, setChosen] = useState<number | null>(null);
  const limit = run && limitOf(run.finish_reason);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 grid-rows-[minmax(0,1fr)_auto] xl:grid-cols-[minmax(0,1fr)_360px] xl:grid-rows-1">
      <div className="scroll min-h-0 px-4 outline-offset-[-2px] sm:px-6" tabIndex={0}>
        <div className="mx-auto w-full max-w-[768px] pb-8">
          <article className="py-5">
            <h2 dir="auto" className="text-lg font-semibold break-words whitespace-pre-wrap">
              {question}
            </h2>
            <AnswerView answer={view.answer} chosen={chosen} choose={setChosen} />
          </article>
          {problem && <Problem text={problem} />}
          {limit && (
            <p className="mt-4 flex items-center gap-1.5 text-xs text-warn">
              <Icon name="triangle-alert" size={13} />
              {say(`agents.limit.${limit}`)}
            </p>
          )}
          {run && <Facts run={run} view={view} />}
          <Steps view={view} run={run} goesOn={view.answer.finish === null && (run === undefined || isActive(run))} />
        </div>
      </div>
      <CitationList answer={view.answer} chosen={chosen} choose={setChosen} />
    </div>
  );
}

/** What the run cost. */
function Facts({ run, view }: { run: AgentRun; view: AgentView }) {
  const isOver = run.end_time !== null;
  const facts = [
    ['agents.fact.state', <AgentState key="state" run={run} />],
    ['agents.fact.duration', durationOf(run)],
    ['agents.fact.calls', number(view.steps.reduce((sum, { calls }) => sum + calls.length, 0))],
    ['agents.fact.input', isOver ? number(run.usage.input_tokens) : '–'],
    ['agents.fact.output', isOver ? number(run.usage.output_tokens) : '–'],
    ['agents.fact.began', moment(run.creation_time)],
  ] as const;
  return (
    <dl aria-label={say('agents.facts')} className="mt-4 mb-6 flex flex-wrap gap-x-8 gap-y-3">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-ink-3">{say(name)}</dt>
          <dd className="num mt-0.5 font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
