/** Metrics that are read when somebody asks for them: the database, its queue, and free space on the disks. */
import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';

/** The size of the database is cached for this time, because PostgreSQL adds up the sizes of all its files. */
const SIZE_AGE_MS = 60_000;

export interface ServiceFacts {
  /** Counts the chunks that have no vector yet. */
  chunksWaiting(): Promise<number>;
  jobsWaiting(): Promise<readonly { kind: string; waiting: number }[]>;
  databaseBytes(): Promise<number>;
  /** Folders whose disks are measured, by the value of the label `of`. */
  folders: Readonly<Record<string, string>>;
}

/** Returns a function that sets all gauges. A gauge whose value cannot be read has no sample until it can be read again. */
export function openServiceGauges(registry: Registry, facts: ServiceFacts): () => Promise<void> {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge<L>({ name: `pinakes_${name}`, help, labelNames, registers: [registry] });
  const up = gauge('database_up', '1 while the database answers.');
  const size = gauge('database_bytes', 'Size of the database on disk, at most a minute old.');
  const queue = 'Jobs that wait for a worker, by kind; longer queues than 10,000 count as 10,000.';
  const jobs = gauge('jobs_waiting', queue, ['kind']);
  const without = 'Chunks without a vector of a set that serves, is being built or is about to be.';
  const chunks = gauge('embedding_chunks_waiting', without);
  const writable = 'Bytes that the service may still write on the disk of the data directory or of the blobs.';
  const free = gauge('disk_free_bytes', writable, ['of']);
  const total = gauge('disk_bytes', 'Size of the disk of the data directory or of the blobs.', ['of']);
  let sizeDueAt = 0;

  const askDatabase = async (): Promise<void> => {
    try {
      chunks.set(await facts.chunksWaiting());
      for (const { kind, waiting } of await facts.jobsWaiting()) jobs.set({ kind }, waiting);
      if (performance.now() >= sizeDueAt) {
        size.set(await facts.databaseBytes());
        sizeDueAt = performance.now() + SIZE_AGE_MS;
      }
      up.set(1);
    } catch {
      up.set(0);
      for (const gauge of [chunks, size]) gauge.remove();
      jobs.reset();
      sizeDueAt = 0;
    }
  };
  const askDisk = async (of: string, folder: string): Promise<void> => {
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      free.set({ of }, bavail * bsize);
      total.set({ of }, blocks * bsize);
    } catch {
      for (const gauge of [free, total]) gauge.remove({ of });
    }
  };
  return async () => {
    await Promise.all([askDatabase(), ...Object.entries(facts.folders).map(([of, folder]) => askDisk(of, folder))]);
  };
}
