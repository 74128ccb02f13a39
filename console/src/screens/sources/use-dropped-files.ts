import { useEffect, useRef, useState } from 'react';

export interface PickedFile {
  path: string;
  size: number;
  file: File;
}

/** Returns files that were chosen, with the folders of a chosen folder. */
export function pickedFiles(files: Iterable<File>): PickedFile[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, size: file.size, file }));
}

/** Returns the files of a drop, with everything in dropped folders. Must be called while the drop is handled. */
export async function droppedFiles(data: DataTransfer): Promise<PickedFile[]> {
  // The items are gone after the event: their entries must be read before the first await.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const picked: PickedFile[] = [];
  for (const entry of entries) await walk(entry, picked);
  return picked;
}

async function walk(entry: FileSystemEntry, picked: PickedFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
    picked.push({ path: entry.fullPath.replace(/^\//, ''), size: file.size, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A reader gives at most 100 entries at a time, and an empty list at the end.
    const entries = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (entries.length === 0) return;
    for (const one of entries) await walk(one, picked);
  }
}

/** Watches for files that are dragged over the window. Calls `open` when they are dropped, and returns them. */
export function useDroppedFiles(enabled: boolean, open: () => void): { over: boolean; files: PickedFile[] } {
  const [over, setOver] = useState(false);
  const [files, setFiles] = useState<PickedFile[]>([]);
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (!enabled) return;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setOver(false);
      void droppedFiles(event.dataTransfer).then((dropped) => {
        setFiles(dropped);
        latest.current();
      });
    };
    addEventListener('dragover', onOver);
    addEventListener('dragleave', onLeave);
    addEventListener('drop', onDrop);
    return () => {
      removeEventListener('dragover', onOver);
      removeEventListener('dragleave', onLeave);
      removeEventListener('drop', onDrop);
    };
  }, [enabled]);
  return { over, files };
}
