import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { hasNothing, inWords, pinakes } from '../../data/api.ts';
import { readSet, type SetDetails, setKey, withQuestion } from '../../data/evaluation/evaluation.ts';
import { runSearch } from '../../data/search.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Empty, Header, Kbd, Problem, Spinner } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { say } from '../../words/words.ts';
import { Passage } from './passage.tsx';
import { Path } from './path.tsx';

const PASSAGES = 20;
const route = getRouteApi('/evaluation/$id/$question');

/** The passages that the search finds for a question, to be judged with two keys. */
export function Judge() {
  const { id, question: questionId } = route.useParams();
  const set = useQuery({ queryKey: setKey(id), queryFn: ({ signal }) => readSet(id, signal) });
  const at = set.data?.questions.findIndex((one) => one.id === questionId) ?? -1;
  const question = set.data?.questions[at];
  const search = useQuery({
    queryKey: ['search', 'judge', question?.query],
    queryFn: ({ signal }) => runSearch({ query: question?.query ?? '', limit: PASSAGES }, signal),
    // Runs search for the stored question: other words would find other passages.
    enabled: question !== undefined && !question.is_redacted,
  });
  const judge = useJudge(id, questionId);
  useRowKeys();
  useJudgeKeys((chunkId, relevant) => judge.mutate({ chunkId, relevant }));

  if (hasNothing(set) || (set.isSuccess && !question))
    return (
      <Empty icon="circle-alert" title={say('evaluation.missing')} text={set.error ? inWords(set.error) : ''}>
        <Link to="/evaluation" className={buttonClass()}>
          {say('evaluation.title')}
        </Link>
      </Empty>
    );
  if (!set.data || !question)
    return (
      <div className="p-4">
        <Spinner label={say('loading')} />
      </div>
    );
  const next = set.data.questions[at + 1];
  const judged = new Map(question.judgements.map((one) => [one.chunk_id, one.relevant]));
  const problem = search.error ?? judge.error;
  return (
    <>
      <Header title={<Path set={set.data}>{question.query}</Path>}>
        {next && (
          <Link to="/evaluation/$id/$question" params={{ id, question: next.id }} className={buttonClass()}>
            {say('evaluation.next')}
          </Link>
        )}
      </Header>
      {problem && (
        <div className="p-4">
          <Problem text={inWords(problem)} />
        </div>
      )}
      <section
        key={question.id}
        tabIndex={0}
        aria-label={say('search.results')}
        className="scroll min-h-0 flex-1 outline-offset-[-2px]"
      >
        {question.is_redacted ? (
          <Empty icon="circle-slash" title={say('evaluation.redacted')} text={say('evaluation.redactedText')} />
        ) : search.isPending ? (
          <div className="p-4">
            <Spinner label={say('search.running')} />
          </div>
        ) : search.data?.results.length === 0 ? (
          <Empty icon="circle-slash" title={say('search.nothing')} text={say('evaluation.nothingText')} />
        ) : (
          <ol className="mx-auto max-w-[860px] divide-y divide-line px-4 py-2">
            {search.data?.results.map((hit, index) => (
              <Passage
                key={hit.id}
                hit={hit}
                rank={index + 1}
                relevant={judged.get(hit.id)}
                judge={(relevant) => judge.mutate({ chunkId: hit.id, relevant })}
              />
            ))}
          </ol>
        )}
      </section>
      <footer className="flex h-8 shrink-0 items-center gap-4 border-t border-line px-4 text-xs text-ink-3">
        <span className="flex items-center gap-1.5 max-sm:hidden">
          <Kbd>J</Kbd>
          <Kbd>K</Kbd> {say('keys.move')}
        </span>
        <span className="flex items-center gap-1.5 max-sm:hidden">
          <Kbd>1</Kbd> {say('evaluation.relevant')}
        </span>
        <span className="flex items-center gap-1.5 max-sm:hidden">
          <Kbd>0</Kbd> {say('evaluation.notRelevant')}
        </span>
        <span role="status" className="num ms-auto">
          {say('evaluation.judgedCount', { n: judged.size })}
        </span>
      </footer>
    </>
  );
}

interface Judgement {
  chunkId: string;
  relevant: boolean | null;
}

/** Stores judgements one after the other, so that the last answer is the newest state. */
function useJudge(setId: string, questionId: string) {
  const queries = useQueryClient();
  return useMutation({
    scope: { id: 'judge' },
    mutationFn: ({ chunkId, relevant }: Judgement) =>
      pinakes.judgePassage({ params: { id: questionId }, body: { chunk_id: chunkId, relevant } }),
    onSuccess: (question) =>
      queries.setQueryData<SetDetails>(setKey(setId), (old) => old && withQuestion(old, question)),
  });
}

/** 1 and 0 judge the passage that has the focus. */
function useJudgeKeys(judge: (chunkId: string, relevant: boolean) => void): void {
  const latest = useRef(judge);
  latest.current = judge;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const relevant = event.key === '1' ? true : event.key === '0' ? false : undefined;
      if (relevant === undefined || event.metaKey || event.ctrlKey || event.altKey || event.repeat) return;
      const chunkId = document.activeElement?.closest<HTMLElement>('[data-chunk]')?.dataset['chunk'];
      if (chunkId !== undefined) latest.current(chunkId, relevant);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
