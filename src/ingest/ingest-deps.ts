import type { Deps } from '../deps.ts';

/** What ingestion and deletion use of the service. */
export type IngestDeps = Pick<
  Deps,
  | 'config'
  | 'db'
  | 'blobs'
  | 'queue'
  | 'schedules'
  | 'processor'
  | 'embedding'
  | 'connectors'
  | 'clock'
  | 'log'
  | 'metrics'
  | 'redactors'
  | 'crash'
>;
