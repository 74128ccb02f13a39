import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { COLUMNS, type MetadataColumn } from '../../data/columns.ts';
import { ROWS_PER_REQUEST } from '../../data/pages.ts';
import { Button } from '../../parts/button.tsx';
import { Window } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { Listing, More } from '../../parts/listing.tsx';
import { number } from '../../words/format.ts';
import { say } from '../../words/words.ts';

/** The values of a column, and how many sources have each. */
export function ColumnValues({ column, close }: { column: MetadataColumn; close(): void }) {
  const [prefix, setPrefix] = useState('');
  const list = useInfiniteQuery({
    queryKey: [COLUMNS, 'values', column.key, prefix],
    queryFn: ({ pageParam: after, signal }) =>
      pinakes.listMetadataColumnValues(
        {
          params: { key: column.key },
          query: { limit: ROWS_PER_REQUEST, ...(prefix !== '' && { prefix }), ...(after !== null && { after }) },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ values, has_more }) => (has_more ? values.at(-1)?.value : undefined),
    placeholderData: keepPreviousData,
  });
  const values = list.data?.pages.flatMap((page) => page.values) ?? [];
  return (
    <Window title={say('columns.valuesTitle', { name: column.key })} text={say('columns.valuesText')} close={close}>
      <div className="mt-4">
        <TextField
          autoFocus
          label={say('columns.prefix')}
          value={prefix}
          onChange={(event) => setPrefix(event.target.value)}
        />
      </div>
      <section
        tabIndex={0}
        aria-label={say('columns.values')}
        className="scroll mt-3 h-64 rounded-lg border border-line bg-sunken"
      >
        <Listing
          list={list}
          empty={values.length === 0}
          nothing={<p className="p-3 text-ink-3">{say('columns.noValues')}</p>}
        >
          <ul>
            {values.map(({ value, count }) => (
              <li key={value} className="flex gap-3 border-b border-line/60 px-3 py-1.5">
                <bdi className="min-w-0 flex-1 truncate" title={value}>
                  {value}
                </bdi>
                <span className="num shrink-0 text-ink-3">
                  {say('columns.sources', { n: count, count: number(count) })}
                </span>
              </li>
            ))}
          </ul>
          <More list={list} />
        </Listing>
      </section>
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={close}>
          {say('action.done')}
        </Button>
      </div>
    </Window>
  );
}
