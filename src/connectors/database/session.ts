/** What the connector needs of a database engine, and the limits of a reading. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { TenantSocket, TenantSockets } from '../../net/tenant-sockets.ts';
import type { DatabaseUrl } from './url.ts';
import type { Column } from './values.ts';

/** A table that is read; no columns: all of them. */
export interface WantedTable {
  schema: string;
  table: string;
  columns: readonly string[];
}

export interface OpenTable {
  columns: Column[];
  /** Rows in parts. Each cell is text or null. */
  rows: AsyncIterable<readonly (readonly (string | null)[])[]>;
}

/** A connection with one read-only transaction. After an error it can only be closed. */
export interface DatabaseSession {
  readTable(wanted: WantedTable): Promise<OpenTable>;
  close(): Promise<void>;
}

export interface SessionOptions {
  url: DatabaseUrl;
  sockets: TenantSockets;
  limits: ReadLimits;
  signal: AbortSignal;
}

export interface ReadLimits {
  connectTimeoutMs: number;
  statementTimeoutMs: number;
  /** Time for one table. */
  tableTimeMs: number;
  rowsMax: number;
  /** Bytes of one table as CSV: no parser reads longer text files. */
  tableBytesMax: number;
  /** Characters of one value. */
  cellUnitsMax: number;
  /** Bytes that the server may send at once. */
  messageBytesMax: number;
}

const MIB = 1024 * 1024;

export const READ_LIMITS: ReadLimits = {
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 5 * 60_000,
  tableTimeMs: 15 * 60_000,
  rowsMax: 2_000_000,
  tableBytesMax: 32 * MIB,
  cellUnitsMax: 256 * 1024,
  messageBytesMax: 64 * MIB,
};

const END_WAIT_MS = 1_000;

/** Rows of the first part, whose size is not known. */
export const FIRST_ROWS = 20;
export const ROWS_AT_ONCE_MAX = 5_000;
/** Characters that a part of rows should have. */
const PART_UNITS = 2 * MIB;

/** Returns how many rows the next part should have, from the size of the part before. */
export function nextRows(rows: readonly (readonly (string | null)[])[]): number {
  const units = rows.reduce((sum, row) => sum + row.reduce((length, cell) => length + (cell?.length ?? 4), 0), 1);
  const fitting = Math.floor((PART_UNITS / units) * rows.length);
  return Math.min(ROWS_AT_ONCE_MAX, Math.max(1, fitting));
}

export async function openSocket({ url, sockets, limits, signal }: SessionOptions): Promise<TenantSocket> {
  return sockets.open(url.host, { bytesMax: limits.messageBytesMax, timeMsMax: limits.tableTimeMs }, signal);
}

/** Ends a connection. A server that does not answer is not waited for. */
export async function endConnection(socket: Socket, end: () => Promise<unknown>): Promise<void> {
  if (!socket.destroyed) {
    const timeout = AbortSignal.timeout(END_WAIT_MS);
    await Promise.race([end(), once(socket, 'close', { signal: timeout })]).catch(() => undefined);
  }
  socket.destroy();
}

/** Returns options of TLS for a driver; undefined for a connection without TLS. */
export function tlsOptions({ tls }: DatabaseUrl): { rejectUnauthorized: boolean } | undefined {
  return tls === 'disable' ? undefined : { rejectUnauthorized: tls === 'verify-full' };
}
