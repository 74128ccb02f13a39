import { useNavigate } from '@tanstack/react-router';
import { pinakes } from '../../data/api.ts';
import { EVALUATION, type EvaluationSet, type Question, setKey } from '../../data/evaluation/evaluation.ts';
import { DeleteDialog, FormDialog } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/form.tsx';
import { useChange } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';

const SETS = [EVALUATION, 'sets'];

/** Creates a set and opens it. */
export function CreateSet({ close }: { close(): void }) {
  const navigate = useNavigate();
  const [name, setName] = useKept('evaluation.new', '');
  const create = useChange({
    run: () => pinakes.createEvaluationSet({ body: { name: name.trim() } }),
    keys: [SETS],
    done: ({ id }) => void navigate({ to: '/evaluation/$id', params: { id }, search: {} }),
  });
  return (
    <FormDialog
      title={say('evaluation.create')}
      text={say('evaluation.noneText')}
      action={say('evaluation.create')}
      {...create}
      disabled={name.trim() === ''}
      close={close}
    >
      <NameField value={name} change={setName} />
    </FormDialog>
  );
}

export function RenameSet({ set: { id, name: old, is_redacted }, close }: { set: EvaluationSet; close(): void }) {
  const [name, setName] = useKept(`evaluation.${id}.name`, is_redacted ? '' : old);
  const rename = useChange({
    run: () => pinakes.renameEvaluationSet({ params: { id }, body: { name: name.trim() } }),
    keys: [SETS, setKey(id)],
    done: close,
  });
  return (
    <FormDialog
      title={say('evaluation.rename')}
      action={say('action.save')}
      {...rename}
      disabled={name.trim() === ''}
      close={close}
    >
      <NameField value={name} change={setName} />
    </FormDialog>
  );
}

export function DeleteSet({ set: { id, name }, close }: { set: EvaluationSet; close(): void }) {
  return (
    <DeleteDialog
      title={say('evaluation.deleteTitle', { name })}
      text={say('evaluation.deleteText')}
      remove={() => pinakes.deleteEvaluationSet({ params: { id } })}
      keys={[SETS]}
      close={close}
    />
  );
}

interface DeleteQuestionProps {
  setId: string;
  question: Question;
  close(): void;
}

export function DeleteQuestion({ setId, question: { id, query }, close }: DeleteQuestionProps) {
  return (
    <DeleteDialog
      title={say('evaluation.deleteQuestion')}
      text={<bdi>{query}</bdi>}
      remove={() => pinakes.deleteEvaluationQuestion({ params: { id } })}
      keys={[SETS, setKey(setId)]}
      close={close}
    />
  );
}
