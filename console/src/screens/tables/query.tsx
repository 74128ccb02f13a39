import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { inWords } from '../../data/api.ts';
import { queryTables, TABLES, type TableAnswer, type TableDetails } from '../../data/tables/tables.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Kbd, Problem, Spinner } from '../../parts/layout.tsx';
import { milliseconds, number } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import { CitedRows } from './cited-rows.tsx';
import { Grid } from './grid.tsx';

/** As long as an address may be. */
const SQL_LENGTH_MAX = 4_000;
const ROWS = 8;

interface QueryProps {
  table: TableDetails;
  /** The statement that ran. */
  sql: string | undefined;
  run(sql: string): void;
}

/** A statement, and under it the result or what is wrong with the statement. */
export function Query({ table, sql, run }: QueryProps) {
  const [text, setText] = useState(sql ?? `select * from ${table.sql_name} limit 20`);
  const problemId = useId();
  const answer = useQuery({
    queryKey: [TABLES, 'query', sql],
    queryFn: ({ signal }) => queryTables(sql ?? '', signal),
    enabled: sql !== undefined,
    placeholderData: (old) => old,
    retry: false,
  });

  function submit() {
    const wanted = text.trim();
    if (wanted === '' || answer.isFetching) return;
    if (wanted === sql) void answer.refetch();
    else run(wanted);
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };
  return (
    <section className="px-4 py-5">
      <h2 className="mb-2 text-base font-semibold">{say('tables.query')}</h2>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          submit();
        }}
        className={`rounded-xl border bg-raised shadow-1 focus-within:border-accent ${answer.isError ? 'border-bad' : 'border-line-strong'}`}
      >
        <textarea
          dir="ltr"
          rows={Math.min(ROWS, Math.max(3, text.split('\n').length))}
          maxLength={SQL_LENGTH_MAX}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKey}
          aria-label={say('tables.sql')}
          aria-invalid={answer.isError}
          aria-describedby={answer.isError ? problemId : undefined}
          className="block w-full resize-y rounded-t-xl bg-transparent px-3.5 py-2.5 font-mono text-sm outline-none"
        />
        <div className="flex flex-wrap items-center gap-3 border-t border-line px-3.5 py-2">
          <p className="min-w-0 flex-1 text-xs text-ink-3">{say('tables.sqlHint')}</p>
          <Kbd>
            <span className="flex items-center gap-1">
              {navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'}
              <Icon name="corner-down-left" size={11} />
            </span>
          </Kbd>
          <Button look="primary" type="submit" disabled={text.trim() === ''}>
            {say('tables.run')}
          </Button>
        </div>
      </form>
      <div className="mt-3" id={problemId}>
        {answer.isError ? (
          <Problem text={inWords(answer.error)} />
        ) : answer.isLoading ? (
          <Spinner label={say('tables.running')} />
        ) : (
          answer.data && <Result answer={answer.data} old={answer.isPlaceholderData} />
        )}
      </div>
    </section>
  );
}

function Result({ answer, old }: { answer: TableAnswer; old: boolean }) {
  return (
    <div className={`transition-opacity ${old ? 'opacity-60' : ''}`}>
      <p role="status" className="num mb-2 flex flex-wrap items-center gap-x-3 text-xs text-ink-3">
        <span>{say('tables.found', { n: answer.row_count, time: milliseconds(answer.elapsed_ms) })}</span>
        {answer.truncated && <span className="text-warn">{say('tables.cut')}</span>}
        {answer.warnings.map((warning) => (
          <span key={warning.type} className="flex items-center gap-1 text-warn" dir="auto">
            <Icon name="info" size={12} />
            {warning.message}
          </span>
        ))}
      </p>
      {answer.rows.length === 0 ? (
        <Empty icon="circle-slash" title={say('tables.noResult')} text="" />
      ) : (
        <Grid label={say('tables.result')} columns={answer.columns.map(({ name }) => name)} rows={answer.rows} />
      )}
      {answer.citations.length > 0 && (
        <>
          <h3 className="mt-4 mb-1 flex items-baseline gap-2 font-medium">
            {say('tables.citations')}
            <span className="num text-xs font-normal text-ink-3">{number(answer.citations.length)}</span>
          </h3>
          {answer.witness_count !== null && (
            <p className="mb-1 text-xs text-ink-3">{say('tables.witnesses', { n: answer.witness_count })}</p>
          )}
          <CitedRows rows={answer.citations} />
        </>
      )}
    </div>
  );
}
