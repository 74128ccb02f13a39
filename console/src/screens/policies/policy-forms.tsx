import { pinakes } from '../../data/api.ts';
import { DEFAULT_POLICY, POLICIES, type Policy } from '../../data/policies.ts';
import { DeleteDialog, FormDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

interface NewPolicyProps {
  /** The name that the field begins with. */
  first: string;
  taken: readonly string[];
  close(): void;
  done(name: string): void;
}

/** Asks for the name of a new policy. Nothing is stored until the policy is saved. */
export function NewPolicy({ first, taken, close, done }: NewPolicyProps) {
  const [name, setName] = useKept('policy.new', first);
  const wrong = name !== '' && (!NAME.test(name) || taken.includes(name));
  return (
    <FormDialog
      title={say('policies.create')}
      text={say('policies.createText')}
      action={say('policies.create')}
      pending={false}
      error={null}
      disabled={name === '' || wrong}
      close={close}
      submit={() => done(name)}
    >
      <TextField
        autoFocus
        label={say('column.name')}
        hint={say(taken.includes(name) ? 'policies.nameTaken' : 'policies.nameHint')}
        aria-invalid={wrong}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

export function DeletePolicy({ policy: { name }, close }: { policy: Policy; close(): void }) {
  return (
    <DeleteDialog
      title={say('policies.deleteTitle', { name })}
      text={say(name === DEFAULT_POLICY ? 'policies.deleteDefaultText' : 'policies.deleteText')}
      remove={() => pinakes.deletePolicy({ params: { name } })}
      keys={[[POLICIES]]}
      close={close}
    />
  );
}
