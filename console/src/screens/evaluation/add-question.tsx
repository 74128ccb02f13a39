import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { pinakes } from '../../data/api.ts';
import { EVALUATION, listSets } from '../../data/evaluation/evaluation.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';

const NEW = '';

/** Adds a query to a set, or to a new one, and goes to its passages. */
export function AddQuestion({ query, close }: { query: string; close(): void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const sets = useQuery({ queryKey: [EVALUATION, 'sets'], queryFn: ({ signal }) => listSets(signal) });
  const [chosen, setChosen] = useKept<string | undefined>('evaluation.chosen', undefined);
  const [name, setName] = useKept('evaluation.set', '');
  const id = chosen ?? sets.data?.[0]?.id ?? NEW;
  const add = useMutation({
    async mutationFn() {
      const setId = id === NEW ? (await pinakes.createEvaluationSet({ body: { name: name.trim() } })).id : id;
      // If the question is refused, the next attempt does not create the set again.
      setChosen(setId);
      await queries.invalidateQueries({ queryKey: [EVALUATION, 'sets'] });
      return { setId, question: await pinakes.addEvaluationQuestion({ params: { id: setId }, body: { query } }) };
    },
    async onSuccess({ setId, question }) {
      await queries.invalidateQueries({ queryKey: [EVALUATION] });
      return navigate({ to: '/evaluation/$id/$question', params: { id: setId, question: question.id } });
    },
  });
  return (
    <FormDialog
      title={say('evaluation.addTitle')}
      text={<bdi>{query}</bdi>}
      action={say('evaluation.add')}
      pending={add.isPending}
      error={add.error ?? sets.error}
      disabled={sets.isPending || (id === NEW && name.trim() === '')}
      close={close}
      submit={() => add.mutate()}
    >
      {sets.data && (
        <SelectField
          label={say('evaluation.set')}
          value={id}
          onChange={(event) => setChosen(event.target.value)}
          options={[...sets.data.map((set) => [set.id, set.name] as const), [NEW, say('evaluation.newSet')]]}
        />
      )}
      {sets.data && id === NEW && (
        <TextField
          label={say('column.name')}
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
