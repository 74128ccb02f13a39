import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { inWords } from '../../data/api.ts';
import type { Source } from '../../data/source.ts';
import { sendBatch } from '../../data/upload.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { randomId } from '../../parts/random-id.ts';
import { say } from '../../words/words.ts';

/** Sends a new version of an uploaded file to its place. The old version is found until the new one is read. */
export function useReplace(id: string, source: Source | undefined) {
  const queries = useQueryClient();
  const { mutate, isPending, error, reset, isSuccess } = useMutation({
    mutationFn: (file: File) =>
      sendBatch(
        { groupId: source!.source_group_id, name: '', files: [{ path: source!.path!, file }], key: randomId() },
        () => {},
        new AbortController().signal,
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['source', id] }),
  });
  return { send: mutate, isPending, isSuccess, problem: error && inWords(error), forget: reset };
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
          disabled={isPending}
          onClick={() => input.current?.click()}
          className={isPending ? 'spin' : ''}
        />
      </Hint>
    </>
  );
}
