import { pinakes } from '../../data/api.ts';
import { COLUMNS, type MetadataColumn } from '../../data/columns.ts';
import { DeleteDialog, FormDialog } from '../../parts/dialog.tsx';
import { DescriptionField, SelectField, TextField } from '../../parts/form.tsx';
import { useChange } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { say } from '../../words/words.ts';

const TYPES = ['string', 'integer'] as const;

export function DeclareColumn({ close }: { close(): void }) {
  const [key, setKey] = useKept('column.key', '');
  const [type, setType] = useKept<(typeof TYPES)[number]>('column.type', 'string');
  const [description, setDescription] = useKept('column.description', '');
  const declare = useChange({
    run: () => pinakes.declareMetadataColumn({ body: { key, type, description } }),
    keys: [[COLUMNS]],
    done: close,
  });
  return (
    <FormDialog
      title={say('columns.declare')}
      text={say('columns.declareText')}
      action={say('columns.declare')}
      {...declare}
      disabled={key === ''}
      close={close}
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
      <DescriptionField value={description} change={setDescription} />
    </FormDialog>
  );
}

export function DeleteColumn({ column: { key }, close }: { column: MetadataColumn; close(): void }) {
  return (
    <DeleteDialog
      title={say('columns.deleteTitle', { name: key })}
      text={say('columns.deleteText')}
      remove={() => pinakes.deleteMetadataColumn({ params: { key } })}
      keys={[[COLUMNS]]}
      close={close}
    />
  );
}
