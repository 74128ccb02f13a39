import { type EvaluationRun, MEASURES, type RunDetails } from '../../data/evaluation/evaluation.ts';
import { FilterSelect } from '../../parts/filter-select.tsx';
import { moment, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';

const DIGITS = 3;

interface FiguresProps {
  runs: readonly EvaluationRun[];
  run: RunDetails | undefined;
  other: RunDetails | undefined;
  change(search: { run?: string | undefined; with?: string | undefined }): void;
}

/** The means of a run, and how they differ from another. */
export function Figures({ runs, run, other, change }: FiguresProps) {
  const [latest] = runs;
  if (!latest || !run)
    return <p className="shrink-0 border-b border-line px-4 py-3 text-ink-2">{say('evaluation.notMeasured')}</p>;
  const named = (one: EvaluationRun): [string, string] => [
    one.id,
    `${moment(one.creation_time)}, ${say(`search.mode.${one.mode}`)}`,
  ];
  const chosen = run.id === latest.id ? undefined : run.id;
  return (
    <section aria-label={say('evaluation.figures')} className="shrink-0 border-b border-line px-4 py-3">
      <div className="-mx-2 flex flex-wrap items-center gap-x-1 gap-y-1.5">
        <FilterSelect
          label={say('evaluation.run')}
          icon="history"
          value={chosen ?? ''}
          any={named(latest)[1]}
          options={runs.slice(1).map(named)}
          change={(id) => change({ run: id, with: other?.id })}
        />
        {other && <span className="text-ink-3">{say('evaluation.comparedWith')}</span>}
        {runs.length > 1 && (
          <FilterSelect
            label={say('evaluation.compare')}
            icon="git-branch"
            value={other?.id ?? ''}
            any={say('evaluation.compareNone')}
            options={runs.filter(({ id }) => id !== run.id).map(named)}
            change={(id) => change({ run: chosen, with: id })}
          />
        )}
      </div>
      <dl className="mt-3 flex flex-wrap gap-x-10 gap-y-3">
        {MEASURES.map((measure) => (
          <div key={measure}>
            <dt className="text-xs text-ink-3">{say(`evaluation.${measure}`)}</dt>
            <dd className="flex items-baseline gap-2">
              <span className="num text-lg font-medium">{number(run[measure], DIGITS)}</span>
              {other && <Change from={other[measure]} to={run[measure]} />}
            </dd>
          </div>
        ))}
        <div>
          <dt className="text-xs text-ink-3">{say('evaluation.measured')}</dt>
          <dd className="num text-lg font-medium">{number(run.questions_count)}</dd>
        </div>
      </dl>
    </section>
  );
}

/** A difference with its sign. */
export function Change({ from, to }: { from: number; to: number }) {
  const shown = number(Math.abs(to - from), DIGITS);
  const zero = shown === number(0, DIGITS);
  const tone = zero ? 'text-ink-3' : to > from ? 'text-ok' : 'text-bad';
  return (
    <span className={`num text-xs ${tone}`} dir="ltr">
      {zero ? '±' : to > from ? '+' : '−'}
      {shown}
    </span>
  );
}
