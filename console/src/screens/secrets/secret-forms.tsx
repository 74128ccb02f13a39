import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { SECRETS, type Secret } from '../../data/secrets.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Field, SelectField, TextField } from '../../parts/form.tsx';
import { say } from '../../words/words.ts';

const TYPES = ['drive', 'repo', 'page', 'database'] as const;

/** Stores a secret, or changes its name, description and value. A blank value keeps the stored one. */
export function EditSecret({ secret, close }: { secret?: Secret; close(): void }) {
  const queries = useQueryClient();
  const [name, setName] = useState(secret?.name ?? '');
  const [type, setType] = useState<Secret['type']>(secret?.type ?? 'repo');
  const [value, setValue] = useState('');
  const [description, setDescription] = useState(secret?.description ?? '');
  const save = useMutation({
    mutationFn: () => {
      const common = { name: name.trim(), description };
      return secret
        ? pinakes.updateSecret({
            params: { secret_id: secret.id },
            body: { ...common, ...(value !== '' && { secret: value }) },
          })
        : pinakes.createSecret({ body: { ...common, type, secret: value } });
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [SECRETS] });
      close();
    },
  });
  return (
    <FormDialog
      title={say(secret ? 'secrets.edit' : 'secrets.create')}
      text={say('secrets.formText')}
      action={say(secret ? 'action.save' : 'secrets.create')}
      pending={save.isPending}
      error={save.error}
      disabled={name.trim() === '' || (!secret && value === '')}
      close={close}
      submit={() => save.mutate()}
    >
      <TextField
        autoFocus
        label={say('column.name')}
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
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
      <TextField
        label={say('column.description')}
        maxLength={1000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}

export function DeleteSecret({ secret, close }: { secret: Secret; close(): void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => pinakes.deleteSecret({ params: { secret_id: secret.id } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [SECRETS] });
      close();
    },
  });
  return (
    <FormDialog
      title={say('secrets.deleteTitle', { name: secret.name })}
      text={say('secrets.deleteText')}
      action={say('action.delete')}
      icon="trash-2"
      pending={remove.isPending}
      error={remove.error}
      close={close}
      submit={() => remove.mutate()}
    />
  );
}
