import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { hasNothing, inWords } from '../../data/api.ts';
import { readService } from '../../data/health.ts';
import { runSearch, type SearchBody } from '../../data/search.ts';
import { isIn } from '../../json/json-fault.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Header, Kbd, Problem, Spinner } from '../../parts/layout.tsx';
import { More } from '../../parts/listing.tsx';
import { areOfSeveralGroups, placeLine } from '../../parts/place-line.ts';
import { Segments } from '../../parts/segments.tsx';
import { useKept } from '../../shell/drafts.ts';
import { PoliciesNote } from '../../shell/policies-note.tsx';
import { useScope } from '../../shell/use-session.ts';
import { milliseconds } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';
import { AddQuestion } from '../evaluation/add-question.tsx';
import { filterText, readFilter } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { Insight } from './insight.tsx';
import { Result } from './result.tsx';

const MODES = ['hybrid', 'lexical', 'semantic'] as const;
/** As many passages are shown at first, and as many more each time. */
const RESULTS = 10;
const RESULTS_MAX = 100;
const route = getRouteApi('/search');

export function Search() {
  const { q = '', mode = 'hybrid', filter: given } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  const mayJudge = useScope('knowledge:write');
  const service = useQuery({ queryKey: ['service'], queryFn: readService });
  // Without an embedding model, the service refuses a search by meaning.
  const modes = MODES.filter((one) => one !== 'semantic' || one === mode || service.data?.models.embedding !== null);
  const [adding, setAdding] = useKept('search.adding', false);
  const [isFilterOpen, setFilterOpen] = useState(false);
  const read = readFilter(given);
  const filter = read ?? {};
  const asked = JSON.stringify([q, mode, filter]);
  const [more, setMore] = useState({ asked, limit: RESULTS });
  const limit = more.asked === asked ? more.limit : RESULTS;
  const body: SearchBody = { query: q, mode, limit, ...filter };
  const search = useQuery({
    queryKey: ['search', body],
    queryFn: ({ signal }) => runSearch(body, signal),
    enabled: q !== '' && read !== null,
    placeholderData: (old) => old,
  });

  const refusal =
    search.error && Object.keys(filter).some((member) => isIn(search.error, `/${member}`)) ? search.error : null;

  function submit(event: FormEvent) {
    event.preventDefault();
    const query = text.trim();
    if (query === q) void search.refetch();
    else void navigate({ search: (old) => ({ ...old, q: query || undefined }) });
  }

  return (
    <>
      <Header title={say('search.title')}>
        {mayJudge && q !== '' && (
          <Button icon="circle-check" onClick={() => setAdding(true)}>
            {say('evaluation.addTitle')}
          </Button>
        )}
      </Header>
      {adding && <AddQuestion query={q} close={() => setAdding(false)} />}
      <div className="grid min-h-0 flex-1 grid-cols-1 xl:grid-cols-[minmax(0,1fr)_340px]">
        <section
          tabIndex={0}
          aria-label={say('search.results')}
          className="scroll min-h-0 px-4 py-5 outline-offset-[-2px] sm:px-6"
        >
          <div className="mx-auto max-w-[768px]">
            <search>
              <form
                onSubmit={submit}
                className="rounded-xl border border-line-strong bg-raised shadow-1 focus-within:border-accent"
              >
                <div className="flex h-11 items-center gap-2.5 px-3.5">
                  <Icon name="search" size={16} className="text-ink-3" />
                  <input
                    value={text}
                    autoFocus
                    maxLength={4000}
                    dir="auto"
                    onChange={(event) => setText(event.target.value)}
                    aria-label={say('search.query')}
                    placeholder={say('search.query')}
                    className="h-full w-full bg-transparent text-lg outline-none placeholder:text-ink-3"
                  />
                  <button type="submit" aria-label={say('search.action')} className="rounded-sm">
                    <Kbd>
                      <Icon name="corner-down-left" size={11} />
                    </Kbd>
                  </button>
                </div>
                <div className="flex flex-wrap items-center gap-1.5 border-t border-line px-2 py-1.5">
                  <Segments
                    label={say('search.mode')}
                    chosen={mode}
                    options={modes.map((one) => [one, say(`search.mode.${one}`)])}
                    change={(next) =>
                      void navigate({
                        search: (old) => ({ ...old, mode: next === 'hybrid' ? undefined : next }),
                        replace: true,
                      })
                    }
                  />
                  {service.data?.models.embedding === null && (
                    <Link to="/health" className="px-1.5 text-xs text-ink-3 underline hover:text-ink">
                      {say('search.noModel')}
                    </Link>
                  )}
                  <FilterBar
                    filter={filter}
                    open={isFilterOpen}
                    setOpen={setFilterOpen}
                    pending={search.isFetching}
                    refusal={refusal}
                    change={(next) =>
                      void navigate({ search: (old) => ({ ...old, filter: filterText(next) }), replace: true })
                    }
                  />
                </div>
              </form>
            </search>
            {read === null ? (
              <div className="mt-4">
                <Problem text={say('filter.unreadable')}>
                  <Button
                    size="small"
                    onClick={() => void navigate({ search: (old) => ({ ...old, filter: undefined }), replace: true })}
                  >
                    {say('filter.drop')}
                  </Button>
                </Problem>
              </div>
            ) : refusal ? (
              <div className="mt-4">
                <Problem text={inWords(refusal)}>
                  <Button size="small" onClick={() => setFilterOpen(true)}>
                    {say('filter.showProblem')}
                  </Button>
                </Problem>
              </div>
            ) : (
              <Results q={q} search={search}>
                <More
                  className="mt-2 mb-4"
                  end={search.data?.results.length === RESULTS_MAX ? say('search.most', { n: RESULTS_MAX }) : undefined}
                  list={{
                    hasNextPage:
                      search.isPlaceholderData || (search.data?.results.length === limit && limit < RESULTS_MAX),
                    isFetchingNextPage: search.isFetching,
                    fetchNextPage: () => setMore({ asked, limit: limit + RESULTS }),
                  }}
                />
              </Results>
            )}
          </div>
        </section>
        <Insight body={body} stages={search.data?.stages ?? []} shown={q !== '' && read !== null} />
      </div>
    </>
  );
}

function Results({
  q,
  search,
  children,
}: {
  q: string;
  /** What follows the results. */
  children: ReactNode;
  search: ReturnType<typeof useQuery<Awaited<ReturnType<typeof runSearch>>>>;
}) {
  if (q === '') return <Empty icon="search" title={say('search.start')} text={say('search.startText')} />;
  if (hasNothing(search))
    return (
      <div className="mt-4">
        <Problem text={inWords(search.error)} />
      </div>
    );
  if (!search.data)
    return (
      <div className="mt-5">
        <Spinner label={say('search.running')} />
      </div>
    );
  const { results, warnings, totalMs } = search.data;
  const withGroup = areOfSeveralGroups(results);
  const lexicalMax = Math.max(0, ...results.map((hit) => hit.scores.lexical ?? 0));
  return (
    <>
      <p role="status" className="num mt-4 mb-1 flex flex-wrap items-center gap-x-2 text-xs text-ink-3">
        <span>{say('search.found', { n: results.length, time: milliseconds(totalMs) })}</span>
        {warnings.map((warning) => (
          <span key={warning.type} className="flex items-center gap-1 text-warn" dir="auto">
            <Icon name="info" size={12} />
            {sayOfService(warning.message)}
          </span>
        ))}
      </p>
      {results.length === 0 ? (
        <Empty
          icon="circle-slash"
          title={say('search.nothing')}
          text={
            <>
              {say('search.nothingText')}
              <PoliciesNote />
            </>
          }
        />
      ) : (
        <ol className={`divide-y divide-line transition-opacity ${search.isPlaceholderData ? 'opacity-60' : ''}`}>
          {results.map((hit, at) => (
            <Result key={hit.id} hit={hit} rank={at + 1} place={placeLine(hit, withGroup)} lexicalMax={lexicalMax} />
          ))}
        </ol>
      )}
      {children}
    </>
  );
}
