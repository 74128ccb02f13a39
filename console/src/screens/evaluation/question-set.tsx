import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { hasNothing, inWords, pinakes } from '../../data/api.ts';
import {
  EVALUATION,
  listSetRuns,
  MODES,
  type Mode,
  type Question,
  readRun,
  readSet,
  relevantOf,
  runKey,
  runsKey,
  setKey,
} from '../../data/evaluation/evaluation.ts';
import { readService } from '../../data/health.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Header, Problem, Spinner } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useRowKeys } from '../../parts/use-row-keys.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';
import { Figures } from './figures.tsx';
import { Path } from './path.tsx';
import { Questions } from './questions.tsx';
import { DeleteQuestion } from './set-forms.tsx';

const route = getRouteApi('/evaluation/$id');

/** One question set: its questions, and how well the search finds what was judged. */
export function QuestionSet() {
  const { id } = route.useParams();
  const { run: runId, with: otherId } = route.useSearch();
  const navigate = route.useNavigate();
  const set = useQuery({ queryKey: setKey(id), queryFn: ({ signal }) => readSet(id, signal) });
  const runs = useQuery({ queryKey: runsKey(id), queryFn: ({ signal }) => listSetRuns(id, signal) });
  const shownId = runId ?? runs.data?.[0]?.id;
  const shown = useRunDetails(shownId);
  const other = useRunDetails(otherId);
  const [removed, setRemoved] = useKept<Question | null>('evaluation.removed', null);
  useRowKeys();
  if (hasNothing(set)) return <Empty icon="circle-alert" title={say('evaluation.missing')} text={inWords(set.error)} />;
  if (!set.data)
    return (
      <div className="p-4">
        <Spinner label={say('loading')} />
      </div>
    );
  const { name, questions } = set.data;
  const problem = runs.error ?? shown.error ?? other.error;
  return (
    <>
      <Header title={<Path>{name}</Path>}>
        <Measuring
          setId={id}
          possible={questions.some((question) => relevantOf(question) > 0)}
          // The change is seen at once: the new run is compared with the one that was shown.
          done={() => void navigate({ search: { with: shownId }, replace: true })}
        />
      </Header>
      {problem && (
        <div className="p-4">
          <Problem text={inWords(problem)} />
        </div>
      )}
      <Figures
        runs={runs.data ?? []}
        run={shown.data}
        other={other.data}
        change={(search) => void navigate({ search, replace: true })}
      />
      <AddQuestion setId={id} />
      {questions.length === 0 && !shown.data ? (
        <Empty icon="quote" title={say('evaluation.noQuestions')} text={say('evaluation.noQuestionsText')} />
      ) : (
        <Questions set={set.data} run={shown.data} other={other.data} remove={setRemoved} />
      )}
      {removed && <DeleteQuestion setId={id} question={removed} close={() => setRemoved(null)} />}
    </>
  );
}

function useRunDetails(id: string | undefined) {
  return useQuery({
    queryKey: runKey(id ?? ''),
    queryFn: ({ signal }) => readRun(id ?? '', signal),
    enabled: id !== undefined,
  });
}

function Measuring({ setId, possible, done }: { setId: string; possible: boolean; done(): void }) {
  const queries = useQueryClient();
  const [mode, setMode] = useState<Mode>('hybrid');
  const service = useQuery({ queryKey: ['service'], queryFn: readService });
  // Without an embedding model, the service refuses a search by meaning.
  const modes = MODES.filter((one) => one !== 'semantic' || service.data?.models.embedding !== null);
  const measure = useMutation({
    mutationFn: () => pinakes.runEvaluationSet({ params: { id: setId }, body: { mode } }),
    async onSuccess(run) {
      queries.setQueryData(runKey(run.id), run);
      await queries.invalidateQueries({ queryKey: runsKey(setId) });
      done();
    },
  });
  return (
    <>
      {measure.error && (
        <span role="alert" className="max-w-80 truncate text-bad" title={inWords(measure.error)}>
          {inWords(measure.error)}
        </span>
      )}
      <select
        aria-label={say('search.mode')}
        value={mode}
        onChange={(event) => setMode(event.target.value as Mode)}
        className="field h-7 px-2"
      >
        {modes.map((one) => (
          <option key={one} value={one}>
            {say(`search.mode.${one}`)}
          </option>
        ))}
      </select>
      <Button
        look="primary"
        icon="activity"
        disabled={!possible}
        busy={measure.isPending}
        onClick={() => measure.mutate()}
      >
        {say(measure.isPending ? 'evaluation.measuring' : 'evaluation.measure')}
      </Button>
    </>
  );
}

function AddQuestion({ setId }: { setId: string }) {
  const queries = useQueryClient();
  const [text, setText] = useKept('evaluation.question', '');
  const add = useMutation({
    mutationFn: (query: string) => pinakes.addEvaluationQuestion({ params: { id: setId }, body: { query } }),
    async onSuccess() {
      void queries.invalidateQueries({ queryKey: [EVALUATION, 'sets'] });
      await queries.invalidateQueries({ queryKey: setKey(setId) });
      setText('');
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (text.trim() !== '' && !add.isPending) add.mutate(text.trim());
  }
  return (
    <form onSubmit={submit} className="flex shrink-0 flex-col gap-2 border-b border-line px-4 py-2">
      <div className="flex gap-2">
        <input
          aria-label={say('evaluation.question')}
          placeholder={say('evaluation.question')}
          value={text}
          maxLength={4000}
          dir="auto"
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          className="field h-7 min-w-0 flex-1"
        />
        <Button type="submit" icon="plus" disabled={text.trim() === ''} busy={add.isPending}>
          {say('evaluation.add')}
        </Button>
      </div>
      {add.error && <Problem text={inWords(add.error)} />}
    </form>
  );
}
