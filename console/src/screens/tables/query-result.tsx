import type { TableAnswer } from '../../data/tables/tables.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/layout.tsx';
import { milliseconds, number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import { CitedRows } from './cited-rows.tsx';
import { Grid } from './grid.tsx';

interface ResultProps {
  answer: TableAnswer;
  /** Whether another answer is on its way. */
  old: boolean;
  /** Shows the statement, because the reader did not write it. */
  showsSql: boolean;
  ask(question: string): void;
}

/** The rows of an answer, the statement, and where the rows come from; or why there are none. */
export function QueryResult({ answer, old, showsSql, ask }: ResultProps) {
  const isAnswered = answer.reason === null && answer.suggestions.length === 0;
  return (
    <div className={`transition-opacity ${old ? 'opacity-60' : ''}`}>
      {isAnswered ? <Rows answer={answer} /> : <NoRows answer={answer} ask={ask} />}
      {showsSql && answer.sql !== '' && (
        <div className="mt-3 flex items-start gap-2 rounded-lg border border-line bg-sunken px-3 py-2">
          <pre
            dir="ltr"
            className="min-w-0 flex-1 font-mono text-xs leading-6 break-words whitespace-pre-wrap text-ink-2"
          >
            {answer.sql}
          </pre>
          <CopyButton text={answer.sql} label={say('tables.copySql')} />
        </div>
      )}
      {answer.citations.length > 0 && <Places answer={answer} />}
    </div>
  );
}

function Rows({ answer }: { answer: TableAnswer }) {
  return (
    <>
      <p role="status" className="num mb-2 flex flex-wrap items-center gap-x-3 text-xs text-ink-3">
        <span>{say('tables.found', { n: answer.row_count, time: milliseconds(answer.elapsed_ms) })}</span>
        {answer.truncated && <span className="text-warn">{say('tables.cut')}</span>}
        {answer.warnings
          .filter(({ type }) => type !== 'rows_truncated')
          .map((warning) => (
            <span key={warning.type} className="flex items-center gap-1 text-warn" dir="auto">
              <Icon name="info" size={12} />
              {sayOfService(warning.message)}
            </span>
          ))}
      </p>
      {answer.rows.length === 0 ? (
        <Empty icon="circle-slash" title={say('tables.noResult')} text={say('tables.noResultText')} />
      ) : (
        <Grid label={say('tables.result')} columns={answer.columns.map(({ name }) => name)} rows={answer.rows} />
      )}
    </>
  );
}

/** Why a question has no rows, and what could be meant. */
function NoRows({ answer: { reason, suggestions }, ask }: Pick<ResultProps, 'answer' | 'ask'>) {
  return (
    <div role="status" className="rounded-lg border border-line bg-raised px-3.5 py-3">
      <p className="font-medium">{say(suggestions.length > 0 ? 'tables.unclear' : 'tables.noAnswer')}</p>
      {reason !== null && (
        <p dir="auto" className="mt-1 text-ink-2">
          {sayOfService(reason)}
        </p>
      )}
      {suggestions.length > 0 && (
        <ul className="mt-2 flex flex-col items-start gap-1.5">
          {suggestions.map((question) => (
            <li key={question} className="max-w-full">
              <Button size="small" onClick={() => ask(question)} className="max-w-full">
                <bdi className="truncate">{question}</bdi>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Places({ answer: { citations, witness_count: witnesses } }: { answer: TableAnswer }) {
  return (
    <>
      <h3 className="mt-4 mb-1 flex items-baseline gap-2 font-medium">
        {say('tables.citations')}
        <span className="num text-xs font-normal text-ink-3">{number(citations.length)}</span>
      </h3>
      {witnesses !== null && witnesses > citations.length && (
        <p className="mb-1 text-xs text-ink-3">{say('tables.witnesses', { n: witnesses })}</p>
      )}
      <CitedRows rows={citations} />
    </>
  );
}
