/** Tells whether the embedded database stopped, or does not start, because its disk is full. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors.ts';

/** The engine may need a new log segment (16 MiB) when it starts. */
const ROOM_BYTES_MIN = 32 * 1024 * 1024;
const RETRY_SECONDS = 30;

/** Returns the bytes that are free on the disk of the directory, or of its folder if it does not exist yet; without an answer, infinity. */
async function freeBytes(directory: string): Promise<number> {
  const disk = await statfs(existsSync(directory) ? directory : dirname(directory)).catch(() => undefined);
  return disk === undefined ? Number.POSITIVE_INFINITY : disk.bavail * disk.bsize;
}

/** Returns whether the disk has too little room for the engine. */
export async function isDiskFull(directory: string): Promise<boolean> {
  return (await freeBytes(directory)) < ROOM_BYTES_MIN;
}

/** Returns the error for requests while the disk is full. Each request needs its own: the job queue changes messages of errors. */
export function diskFull(cause?: Error): ServiceError {
  const options = { retryAfterSeconds: RETRY_SECONDS, ...(cause ? { cause } : {}) };
  return new ServiceError(
    'overloaded',
    'The disk of the database is full. The database starts again when there is room.',
    options,
  );
}

/** Returns the error of a start: `error` itself, or one that says how much room the disk lacks. */
export async function errorOfStart(directory: string, error: unknown): Promise<unknown> {
  const free = await freeBytes(directory);
  if (free >= ROOM_BYTES_MIN) return error;
  const has = `the disk of ${directory} is full (${(free / 1024 / 1024).toFixed(1)} MiB free)`;
  const remedy = 'Make room, or let PINAKES_DATA_DIR name a folder on another disk.';
  return new ServiceError('overloaded', `The embedded database does not start: ${has}. ${remedy}`, { cause: error });
}
