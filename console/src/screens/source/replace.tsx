import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useRef } from 'react';
import { inWords, pinakes } from '../../data/api.ts';
import type { Source } from '../../data/source.ts';
import { limitsOf, sizeProblemOf } from '../../data/upload/limits.ts';
import { sendBatch } from '../../data/upload/upload.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Problem } from '../../parts/layout.tsx';
import { randomId } from '../../parts/random-id.ts';
import { useMutation } from '../../parts/use-change.ts';
import { say, sayOfService } from '../../words/words.ts';
import { stateOfVersion } from './new-version.ts';

/** Sends a new version of an uploaded file to its place. The old version is found until the new one is read. */
export function useReplace(id: string, source: Source | undefined) {
  const queries = useQueryClient();
  const service = useQuery({
    queryKey: ['service'],
    queryFn: () => pinakes.getService(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { mutate, variables, isPending, error, reset, data } = useMutation({
    mutationFn: async ({ groupId, path, file }: { id: string; groupId: string; path: string; file: File }) => {
      const problem = sizeProblemOf({ path, size: file.size }, limitsOf(service.data));
      if (problem) return { problem };
      const batch = { group: { id: groupId }, files: [{ path, file }], key: randomId() };
      return { changes: (await sendBatch(batch, () => {}, new AbortController().signal)).changes };
    },
    onSuccess: (_, sent) => queries.invalidateQueries({ queryKey: ['source', sent.id] }),
  });
  // The upload goes on while the reader looks at something else in the console, but not after the page is closed.
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: isPending });
  // What became of another source is not said here.
  const isOfThis = variables?.id === id;
  const refused = data?.problem && say(`source.refused.${data.problem}`);
  return {
    send: (file: File) => mutate({ id, groupId: source!.source_group_id, path: source!.path!, file }),
    isPending,
    problem: isOfThis ? (refused ?? (error && inWords(error))) : null,
    changes: isOfThis ? data?.changes : undefined,
    forget: reset,
    /** Shows the new version: everything that was read of the source is read again. */
    show: () => {
      reset();
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === id });
    },
  };
}

interface ReplaceNoteProps {
  source: Source;
  newVersion: Pick<ReturnType<typeof useReplace>, 'problem' | 'changes' | 'forget' | 'show'>;
}

/** Says what became of a new version that was sent. */
export function ReplaceNote({ source, newVersion: { problem, changes, forget, show } }: ReplaceNoteProps) {
  const state = changes && stateOfVersion(source, changes);
  const close = <Button look="ghost" size="small" icon="x" aria-label={say('action.close')} onClick={forget} />;
  if (problem || state === 'failed')
    return (
      <div className="border-b border-line px-4 py-2">
        <Problem text={problem || `${say('source.newFailed')} ${sayOfService(source.error?.message ?? '')}`}>
          {close}
        </Problem>
      </div>
    );
  if (!state) return null;
  const isWaiting = state === 'waiting';
  return (
    <div role="status" className="flex items-center gap-2 border-b border-line px-4 py-2 text-ink-2">
      <Icon
        name={isWaiting ? 'loader-circle' : 'circle-check'}
        size={15}
        className={isWaiting ? 'spin text-ink-3' : 'text-ok'}
      />
      {say(state === 'same' ? 'source.sameFile' : isWaiting ? 'source.replaced' : 'source.newReady')}
      <span className="ms-auto">
        {state === 'same' || isWaiting ? (
          close
        ) : (
          <Button size="small" onClick={show}>
            {say('source.showNew')}
          </Button>
        )}
      </span>
    </div>
  );
}

/** Whether a file can be sent to the place of a source: it was uploaded, and is not inside another file. */
export function isReplaceable({ source_type: type, parent_source_id: parent, path }: Source): boolean {
  return type === 'local_file' && parent === null && path !== null;
}

export function ReplaceButton({ path, send, isPending }: { path: string; send(file: File): void; isPending: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  // The place keeps its name, whose ending helps to tell types of text apart.
  const ending = /\.[^./]+$/.exec(path)?.[0] ?? '';
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        data-replace
        accept={ending}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) send(file);
          event.target.value = '';
        }}
      />
      <Hint label={say('source.replace')}>
        <Button
          look="ghost"
          icon={isPending ? 'loader-circle' : 'upload'}
          aria-label={say('source.replace')}
          busy={isPending}
          onClick={() => input.current?.click()}
          className={isPending ? 'spin' : ''}
        />
      </Hint>
    </>
  );
}
