import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { EVALUATION, type EvaluationSet, type Question, setKey } from '../../data/evaluation/evaluation.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { say } from '../../words/words.ts';

/** Creates a set and opens it. */
export function CreateSet({ close }: { close(): void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => pinakes.createEvaluationSet({ body: { name: name.trim() } }),
    onSuccess({ id }) {
      void queries.invalidateQueries({ queryKey: [EVALUATION, 'sets'] });
      return navigate({ to: '/evaluation/$id', params: { id }, search: {} });
    },
  });
  return (
    <FormDialog
      title={say('evaluation.create')}
      text={say('evaluation.noneText')}
      action={say('evaluation.create')}
      pending={create.isPending}
      error={create.error}
      disabled={name.trim() === ''}
      close={close}
      submit={() => create.mutate()}
    >
      <TextField
        autoFocus
        label={say('column.name')}
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

export function DeleteSet({ set, close }: { set: EvaluationSet; close(): void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => pinakes.deleteEvaluationSet({ params: { id: set.id } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [EVALUATION, 'sets'] });
      close();
    },
  });
  return (
    <FormDialog
      title={say('evaluation.deleteTitle', { name: set.name })}
      text={say('evaluation.deleteText')}
      action={say('action.delete')}
      icon="trash-2"
      pending={remove.isPending}
      error={remove.error}
      close={close}
      submit={() => remove.mutate()}
    />
  );
}

interface DeleteQuestionProps {
  setId: string;
  question: Question;
  close(): void;
}

export function DeleteQuestion({ setId, question, close }: DeleteQuestionProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => pinakes.deleteEvaluationQuestion({ params: { id: question.id } }),
    async onSuccess() {
      void queries.invalidateQueries({ queryKey: [EVALUATION, 'sets'] });
      await queries.invalidateQueries({ queryKey: setKey(setId) });
      close();
    },
  });
  return (
    <FormDialog
      title={say('evaluation.deleteQuestion')}
      text={<bdi>{question.query}</bdi>}
      action={say('action.delete')}
      icon="trash-2"
      pending={remove.isPending}
      error={remove.error}
      close={close}
      submit={() => remove.mutate()}
    />
  );
}
