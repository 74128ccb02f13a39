import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { COLUMNS, type MetadataColumn } from '../../data/columns.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { say } from '../../words/words.ts';

const TYPES = ['string', 'integer'] as const;

export function DeclareColumn({ close }: { close(): void }) {
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const [type, setType] = useState<(typeof TYPES)[number]>('string');
  const [description, setDescription] = useState('');
  const declare = useMutation({
    mutationFn: () => pinakes.declareMetadataColumn({ body: { key, type, description } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [COLUMNS] });
      close();
    },
  });
  return (
    <FormDialog
      title={say('columns.declare')}
      text={say('columns.declareText')}
      action={say('columns.declare')}
      pending={declare.isPending}
      error={declare.error}
      disabled={key === ''}
      close={close}
      submit={() => declare.mutate()}
    >
      <TextField
        autoFocus
        label={say('filter.key')}
        hint={say('columns.keyHint')}
        maxLength={256}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <SelectField
        label={say('columns.type')}
        hint={say('columns.typeHint')}
        value={type}
        onChange={(event) => setType(event.target.value as typeof type)}
        options={TYPES.map((one) => [one, say(`columns.type.${one}`)] as const)}
      />
      <TextField
        label={say('column.description')}
        maxLength={1000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}

export function DeleteColumn({ column, close }: { column: MetadataColumn; close(): void }) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => pinakes.deleteMetadataColumn({ params: { key: column.key } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [COLUMNS] });
      close();
    },
  });
  return (
    <FormDialog
      title={say('columns.deleteTitle', { name: column.key })}
      text={say('columns.deleteText')}
      action={say('action.delete')}
      icon="trash-2"
      pending={remove.isPending}
      error={remove.error}
      close={close}
      submit={() => remove.mutate()}
    />
  );
}
