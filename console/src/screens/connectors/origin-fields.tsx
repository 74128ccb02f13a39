import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { inWords } from '../../data/api.ts';
import { createSecret, listSecrets } from '../../data/connectors.ts';
import { Button } from '../../parts/button.tsx';
import { useFocusBack } from '../../parts/dialog.tsx';
import { Field, SelectField, TextField, Tick } from '../../parts/form.tsx';
import { Problem } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { say } from '../../words/words.ts';
import type { ConnectorKind, FieldValue, FieldValues, Field as OriginPart } from './kinds.ts';

interface OriginFieldsProps {
  kind: ConnectorKind;
  values: FieldValues;
  change(part: FieldValues): void;
  secretId: string;
  setSecretId(id: string): void;
}

/** The form of an origin, as its kind says. Usual fields first; the others on request. */
export function OriginFields({ kind, values, change, secretId, setSecretId }: OriginFieldsProps) {
  const usual = kind.fields.filter((field) => !field.advanced);
  const advanced = kind.fields.filter((field) => field.advanced);
  const input = (field: OriginPart) => (
    <OriginField
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      change={(value) => change({ [field.name]: value })}
    />
  );
  return (
    <div className="flex flex-col gap-3.5">
      {usual.map(input)}
      {kind.secret && <SecretField secret={kind.secret} id={secretId} setId={setSecretId} />}
      {advanced.length > 0 && (
        <details className="rounded-lg border border-line">
          <summary className="px-3 py-2 text-ink-2">{say('connectors.moreSettings')}</summary>
          <div className="flex flex-col gap-3.5 border-t border-line px-3 py-3">{advanced.map(input)}</div>
        </details>
      )}
    </div>
  );
}

interface OriginFieldProps {
  field: OriginPart;
  value: FieldValue;
  change(value: FieldValue): void;
}

function OriginField({ field, value, change }: OriginFieldProps) {
  const label = say(field.label);
  if (field.type === 'flag')
    return <Tick label={label} checked={value === true} onChange={(event) => change(event.target.checked)} />;
  const common = {
    label,
    hint: field.hint && say(field.hint),
    value: String(value),
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  if (field.type === 'choice')
    return <SelectField {...common} options={field.choices.map(([one, text]) => [one, say(text)] as const)} />;
  if (field.type === 'number')
    return <TextField {...common} type="number" min={field.min} max={field.max} className="num max-w-32 px-2" />;
  if (field.type === 'lines' || field.type === 'tables')
    return (
      <Field label={label} hint={common.hint}>
        <textarea
          value={common.value}
          onChange={common.onChange}
          rows={3}
          dir="ltr"
          placeholder={field.placeholder}
          required={field.required}
          className="field w-full px-2 py-1.5 text-start"
        />
      </Field>
    );
  return <TextField {...common} placeholder={field.placeholder} required={field.required} />;
}

interface SecretProps {
  secret: NonNullable<ConnectorKind['secret']>;
  id: string;
  setId(id: string): void;
}

/** Chooses a stored secret, or stores a new one. */
function SecretField({ secret, id, setId }: SecretProps) {
  const [adding, setAdding] = useState(false);
  const stored = useQuery({ queryKey: ['secrets', secret.type], queryFn: () => listSecrets(secret.type) });
  return (
    <div>
      <SelectField
        label={say('connectors.secret')}
        hint={say(secret.hint)}
        value={id}
        onChange={(event) => setId(event.target.value)}
        options={[
          ['', say(secret.required ? 'connectors.chooseSecret' : 'connectors.noSecret')],
          ...(stored.data ?? []).map((one) => [one.id, one.name] as const),
        ]}
      />
      <Button
        look="ghost"
        size="small"
        icon="plus"
        className="mt-1.5"
        aria-expanded={adding}
        onClick={() => setAdding(!adding)}
      >
        {say('connectors.newSecret')}
      </Button>
      {adding && <NewSecret type={secret.type} setId={setId} close={() => setAdding(false)} />}
    </div>
  );
}

/** Stores a secret. Its value goes to the service once. */
function NewSecret({ type, setId, close }: { type: string; setId(id: string): void; close(): void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  useFocusBack();
  const save = useMutation({
    mutationFn: () => createSecret(type, name.trim(), value),
    onSuccess: async (made) => {
      await queries.invalidateQueries({ queryKey: ['secrets', type] });
      setId(made.id);
      close();
    },
  });
  return (
    <div className="mt-2 flex flex-col gap-2 rounded-lg border border-line bg-sunken p-3">
      <TextField
        label={say('connectors.secretName')}
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Field label={say('connectors.secretValue')} hint={say('connectors.secretKept')}>
        <textarea
          value={value}
          rows={3}
          dir="ltr"
          maxLength={5_000}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setValue(event.target.value)}
          className="field w-full px-2 py-1.5 font-mono text-xs"
        />
      </Field>
      {save.isError && <Problem text={inWords(save.error)} />}
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={close}>
          {say('action.cancel')}
        </Button>
        <Button
          size="small"
          icon="key-round"
          busy={save.isPending}
          disabled={name.trim() === '' || value === ''}
          onClick={() => save.mutate()}
        >
          {say('connectors.saveSecret')}
        </Button>
      </div>
    </div>
  );
}
