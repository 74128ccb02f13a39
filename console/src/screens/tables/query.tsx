import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { inWords } from '../../data/api.ts';
import { readService } from '../../data/health.ts';
import { queryTables, TABLES, type TableDetails } from '../../data/tables/tables.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Kbd, Problem, Spinner } from '../../parts/layout.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useScope } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';
import { QueryForm } from './query-form.tsx';
import { QueryResult } from './query-result.tsx';
import { type AddressedRequest, isComplete } from './table-query.ts';

/** As long as an address may be. */
const SQL_LENGTH_MAX = 4_000;
const QUESTION_LENGTH_MAX = 2_000;
const ROWS = 8;
/** The question is asked of the table that is shown. A model takes seconds and tokens, so the answer is kept. */
const ANSWER_KEPT_MS = 300_000;

type Mode = 'query' | 'sql' | 'question';

interface QueryProps {
  table: TableDetails;
  /** What was asked. */
  request: AddressedRequest;
  run(request: AddressedRequest): void;
}

/** A query as a form, in SQL or in words, and under it the result or what is wrong. */
export function Query({ table, request, run }: QueryProps) {
  const asked: Mode | null =
    request.sql !== undefined ? 'sql' : request.question !== undefined ? 'question' : request.query ? 'query' : null;
  const [mode, setMode] = useState<Mode>(asked ?? 'query');
  const [query, setQuery] = useState(request.query ?? { from: table.sql_name });
  const [sql, setSql] = useState(request.sql ?? `select * from ${table.sql_name} limit 20`);
  const [question, setQuestion] = useState(request.question ?? '');
  const problemId = useId();
  const mayAsk = useScope('inference:run');
  const service = useQuery({ queryKey: ['service'], queryFn: readService, enabled: mayAsk, staleTime: ANSWER_KEPT_MS });
  const asks = mayAsk && typeof service.data?.models.chat === 'string';
  const modes: Mode[] = asks || asked === 'question' ? ['query', 'sql', 'question'] : ['query', 'sql'];
  const answer = useQuery({
    queryKey: [TABLES, 'query', request],
    queryFn: ({ signal }) =>
      queryTables(request.question === undefined ? request : { ...request, tables: [table.id] }, signal),
    enabled: asked !== null,
    placeholderData: (old) => old,
    staleTime: asked === 'question' ? ANSWER_KEPT_MS : 0,
    retry: false,
  });

  const wanted = { query: { query }, sql: { sql: sql.trim() }, question: { question: question.trim() } }[mode];
  const isReady = mode === 'query' ? isComplete(query) : Object.values(wanted)[0] !== '';
  function submit() {
    if (!isReady || answer.isFetching) return;
    if (JSON.stringify(wanted) === JSON.stringify(request)) void answer.refetch();
    else run(wanted);
  }
  function change(next: Mode) {
    // The statement of an answer can be changed further.
    if (next === 'sql' && asked !== null && asked !== 'sql' && answer.data?.sql) setSql(answer.data.sql);
    setMode(next);
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    submit();
  };
  const text = {
    dir: 'auto' as const,
    onKeyDown: onKey,
    'aria-invalid': answer.isError,
    'aria-describedby': answer.isError ? problemId : undefined,
    className: 'block w-full resize-y rounded-t-xl bg-transparent px-3.5 py-2.5 outline-none',
  };
  return (
    <section className="px-4 py-5">
      <div className="mb-2 flex items-center gap-3">
        <h2 className="text-base font-semibold">{say('tables.query')}</h2>
        <Segments
          label={say('tables.mode')}
          chosen={mode}
          options={modes.map((one) => [one, say(`tables.mode.${one}`)])}
          change={change}
        />
      </div>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          submit();
        }}
        className={`rounded-xl border bg-raised shadow-1 focus-within:border-accent ${answer.isError ? 'border-bad' : 'border-line-strong'}`}
      >
        {mode === 'query' && <QueryForm columns={table.columns} query={query} change={setQuery} />}
        {mode === 'sql' && (
          <textarea
            {...text}
            dir="ltr"
            rows={Math.min(ROWS, Math.max(3, sql.split('\n').length))}
            maxLength={SQL_LENGTH_MAX}
            spellCheck={false}
            value={sql}
            onChange={(event) => setSql(event.target.value)}
            aria-label={say('tables.sql')}
            className={`${text.className} font-mono text-sm`}
          />
        )}
        {mode === 'question' && (
          <textarea
            {...text}
            rows={2}
            maxLength={QUESTION_LENGTH_MAX}
            value={question}
            onChange={(event) => setQuestion(event.target.value)}
            aria-label={say('tables.question')}
            placeholder={say('tables.questionExample')}
          />
        )}
        <div className="flex flex-wrap items-center gap-3 border-t border-line px-3.5 py-2">
          <p className="min-w-0 flex-1 text-xs text-ink-3">{say(`tables.hint.${mode}`)}</p>
          {mode !== 'query' && (
            <Kbd>
              <span className="flex items-center gap-1">
                {navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'}
                <Icon name="corner-down-left" size={11} />
              </span>
            </Kbd>
          )}
          <Button look="primary" type="submit" disabled={!isReady}>
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
          answer.data &&
          asked !== null && (
            <QueryResult
              answer={answer.data}
              old={answer.isPlaceholderData}
              showsSql={asked !== 'sql'}
              ask={(next) => {
                setMode('question');
                setQuestion(next);
                run({ question: next });
              }}
            />
          )
        )}
      </div>
    </section>
  );
}
