import { useEffect, useState } from 'react';
import { HEAD_BYTES, type HeadKind, kindOfHead } from '../../../../src/client/file-head.ts';
import { endingOf } from './upload-plan.ts';
import type { PickedFile } from './use-dropped-files.ts';

/** Files whose beginning is read at the same time. */
const READ_AT_ONCE = 16;

type Heads = ReadonlyMap<File, HeadKind>;

/** Returns what the files are by their first bytes, as the service will see them; undefined while they are read. */
export function useHeads(files: readonly PickedFile[]): Heads | undefined {
  const [known, setKnown] = useState<Heads>(new Map());
  const isComplete = files.every(({ file }) => known.has(file));
  useEffect(() => {
    if (isComplete) return;
    let isStale = false;
    void readHeads(files.filter(({ file }) => !known.has(file))).then((read) => {
      if (!isStale) setKnown((old) => new Map([...old, ...read]));
    });
    return () => {
      isStale = true;
    };
  }, [files, isComplete, known]);
  return isComplete ? known : undefined;
}

async function readHeads(files: readonly PickedFile[]): Promise<Map<File, HeadKind>> {
  const heads = new Map<File, HeadKind>();
  const waiting = files.values();
  const readNext = async () => {
    for (const picked of waiting) heads.set(picked.file, await headOf(picked));
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readNext));
  return heads;
}

async function headOf({ file, path }: PickedFile): Promise<HeadKind> {
  try {
    const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
    // Which endings are text is decided by the service alone. Where that matters, the file is sent.
    return kindOfHead(bytes, { extension: endingOf(path), isTextName: true });
  } catch {
    // The file cannot be read now. The upload will say why.
    return 'text';
  }
}
