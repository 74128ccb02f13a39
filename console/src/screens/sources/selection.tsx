import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { inWords } from '../../data/api.ts';
import { deleteSources, readAgain, type SourceRow } from '../../data/sources.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/layout.tsx';
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
    setAsking(false);
    clear();
    return refresh();
  };
  const again = useMutation({ mutationFn: () => readAgain(rows), onSuccess: done });
  const remove = useMutation({ mutationFn: () => deleteSources(rows), onSuccess: done, onError: refresh });

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
      <Dialog.Root open={asking} onOpenChange={setAsking}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/25 dark:bg-black/55" />
          <Dialog.Popup className="pop fixed inset-x-4 top-[28vh] z-40 mx-auto max-w-md rounded-xl bg-raised p-5 shadow-2 outline-none">
            <Dialog.Title className="text-base font-semibold">{say('delete.title', { n: rows.length })}</Dialog.Title>
            <Dialog.Description className="mt-1.5 text-ink-2">
              {say('delete.text', { n: rows.length })}
            </Dialog.Description>
            <ul className="scroll mt-3 max-h-40 rounded-lg border border-line bg-sunken px-3 py-2">
              {rows.slice(0, 100).map((row) => (
                <li key={row.id} className="break-words">
                  <bdi>{row.path ?? (row.name || say('sources.withheld'))}</bdi>
                </li>
              ))}
            </ul>
            {remove.isError && (
              <div className="mt-3">
                <Problem text={inWords(remove.error)} />
              </div>
            )}
            <div className="mt-5 flex justify-end gap-2">
              <Dialog.Close render={<Button>{say('action.cancel')}</Button>} />
              <Button look="primary" icon="trash-2" busy={remove.isPending} onClick={() => remove.mutate()}>
                {say('delete.action', { n: rows.length })}
              </Button>
            </div>
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}
