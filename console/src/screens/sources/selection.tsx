import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { inWords } from '../../data/api.ts';
import { deleteSources, readAgain, type SourceRow } from '../../data/sources.ts';
import { Button } from '../../parts/button.tsx';
import { DeleteDialog, useFocusToScreen } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { useScope } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';
import { TagSources } from './tag-sources.tsx';
import { SOURCE_LIST } from './use-source-list.ts';

/** What can be done with the selected rows. */
export function Selection({ rows, clear }: { rows: readonly SourceRow[]; clear(): void }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [tagging, setTagging] = useKept<'add' | 'remove' | null>('sources.tagging', null);
  const mayWrite = useScope('knowledge:write');
  const failed = rows.some((row) => row.error !== null);
  const refresh = () => queries.invalidateQueries({ queryKey: [SOURCE_LIST] });
  const done = () => {
    clear();
    return refresh();
  };
  const again = useMutation({ mutationFn: () => readAgain(rows), onSuccess: done });
  useFocusToScreen();

  return (
    <>
      <div
        role="toolbar"
        aria-label={say('selection.title')}
        className="pop absolute inset-x-0 bottom-5 z-30 mx-auto flex w-fit max-lg:[:has(aside)~&]:hidden lg:[:has(aside)~&]:end-[380px] items-center gap-1 rounded-xl bg-ink p-1.5 ps-3.5 text-surface shadow-2"
      >
        <span className="num me-2 whitespace-nowrap">{say('selection.count', { n: rows.length })}</span>
        <Button
          look="inverse"
          icon="rotate-ccw"
          busy={again.isPending}
          disabled={!failed}
          onClick={() => again.mutate()}
        >
          {say('action.readAgain')}
        </Button>
        {mayWrite && (
          <>
            <Button look="inverse" icon="tag" onClick={() => setTagging('add')}>
              {say('tagging.add')}
            </Button>
            <Button look="inverse" onClick={() => setTagging('remove')}>
              {say('tagging.remove')}
            </Button>
            <Button look="inverse" icon="trash-2" onClick={() => setAsking(true)}>
              {say('action.delete')}
            </Button>
          </>
        )}
        <Button look="inverse" icon="x" aria-label={say('selection.clear')} onClick={clear} />
      </div>
      {tagging && (
        <TagSources
          rows={rows}
          linked={tagging === 'add'}
          done={() => {
            setTagging(null);
            clear();
          }}
          close={() => setTagging(null)}
        />
      )}
      {again.isError && (
        <div className="absolute inset-x-4 bottom-16 mx-auto max-w-lg">
          <Problem text={inWords(again.error)} />
        </div>
      )}
      {asking && (
        <DeleteDialog
          title={say('delete.title', { n: rows.length })}
          text={say('delete.text', { n: rows.length })}
          // Of several sources some may be deleted before an error.
          remove={() => deleteSources(rows).then(clear).finally(refresh)}
          keys={[]}
          close={() => setAsking(false)}
        >
          <ul
            aria-label={say('sources.title')}
            className="scroll max-h-40 rounded-lg border border-line bg-sunken px-3 py-2"
            tabIndex={0}
          >
            {rows.slice(0, 100).map((row) => (
              <li key={row.id} className="break-words">
                <bdi>{row.path ?? (row.name || say('sources.withheld'))}</bdi>
              </li>
            ))}
          </ul>
        </DeleteDialog>
      )}
    </>
  );
}
