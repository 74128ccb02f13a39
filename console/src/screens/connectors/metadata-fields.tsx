import { Button } from '../../parts/button.tsx';
import { say } from '../../words/words.ts';

export interface MetadataRow {
  id: number;
  key: string;
  val: string;
}

const RECORDS_MAX = 20;

/** Metadata of the group: pairs of key and value. */
export function MetadataFields({ rows, change }: { rows: readonly MetadataRow[]; change(rows: MetadataRow[]): void }) {
  const set = (id: number, part: Partial<MetadataRow>) =>
    change(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <fieldset>
      <legend className="mb-1 text-xs text-ink-2">{say('connectors.metadata')}</legend>
      <div className="flex flex-col gap-1.5">
        {rows.map(({ id, key, val }) => (
          <div key={id} className="flex gap-1.5">
            <input
              value={key}
              maxLength={50}
              aria-label={say('filter.key')}
              placeholder={say('filter.key')}
              dir="auto"
              onChange={(event) => set(id, { key: event.target.value })}
              className="field h-8 min-w-0 flex-1 px-2"
            />
            <input
              value={val}
              maxLength={500}
              aria-label={say('filter.value')}
              placeholder={say('filter.value')}
              dir="auto"
              onChange={(event) => set(id, { val: event.target.value })}
              className="field h-8 min-w-0 flex-[2] px-2"
            />
            <Button
              look="ghost"
              icon="x"
              aria-label={say('filter.remove', { name: key })}
              onClick={() => change(rows.filter((row) => row.id !== id))}
            />
          </div>
        ))}
      </div>
      {rows.length < RECORDS_MAX && (
        <Button
          look="ghost"
          size="small"
          icon="plus"
          className="mt-1.5"
          onClick={() => change([...rows, { id: (rows.at(-1)?.id ?? 0) + 1, key: '', val: '' }])}
        >
          {say('connectors.addMetadata')}
        </Button>
      )}
    </fieldset>
  );
}
