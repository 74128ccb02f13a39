import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { SECRETS, type Secret } from '../../data/secrets.ts';
import { DeleteDialog, FormDialog } from '../../parts/dialog.tsx';
import { DescriptionField, Field, NameField, SelectField } from '../../parts/form.tsx';
import { useChange } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';

const TYPES = ['drive', 'repo', 'page', 'database'] as const;

/** Stores a secret, or changes its name, description and value. A blank value keeps the stored one. */
export function EditSecret({ secret, close }: { secret?: Secret; close(): void }) {
  const draft = `secret.${secret?.id ?? 'new'}`;
  const [name, setName] = useKept(`${draft}.name`, secret?.name ?? '');
  const [type, setType] = useKept<Secret['type']>(`${draft}.type`, secret?.type ?? 'repo');
  // Not kept: nobody is signed in while it would wait.
  const [value, setValue] = useState('');
  const [description, setDescription] = useKept(`${draft}.description`, secret?.description ?? '');
  const save = useChange({
    run: () => {
      const common = { name: name.trim(), description };
      return secret
        ? pinakes.updateSecret({
            params: { secret_id: secret.id },
            body: { ...common, ...(value !== '' && { secret: value }) },
          })
        : pinakes.createSecret({ body: { ...common, type, secret: value } });
    },
    keys: [[SECRETS]],
    done: close,
  });
  return (
    <FormDialog
      title={say(secret ? 'secrets.edit' : 'secrets.create')}
      text={say('secrets.formText')}
      action={say(secret ? 'action.save' : 'secrets.create')}
      {...save}
      disabled={name.trim() === '' || (!secret && value === '')}
      close={close}
    >
      <NameField value={name} change={setName} />
      {!secret && (
        <SelectField
          label={say('secrets.type')}
          value={type}
          onChange={(event) => setType(event.target.value as Secret['type'])}
          options={TYPES.map((one) => [one, say(`secrets.type.${one}`)] as const)}
        />
      )}
      <Field
        label={say(secret ? 'secrets.newValue' : 'filter.value')}
        hint={say(secret ? 'secrets.newValueHint' : `secrets.hint.${type}`)}
      >
        <textarea
          rows={3}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          value={value}
          onChange={(event) => setValue(event.target.value)}
          className="field w-full p-2 font-mono text-xs"
        />
      </Field>
      <DescriptionField value={description} change={setDescription} />
    </FormDialog>
  );
}

export function DeleteSecret({ secret: { id, name }, close }: { secret: Secret; close(): void }) {
  return (
    <DeleteDialog
      title={say('secrets.deleteTitle', { name })}
      text={say('secrets.deleteText')}
      remove={() => pinakes.deleteSecret({ params: { secret_id: id } })}
      keys={[[SECRETS]]}
      close={close}
    />
  );
}
