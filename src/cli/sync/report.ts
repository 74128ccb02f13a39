/** The report of a synchronization, as a table or as JSON. */

import { ASSET_REASON, assetsText } from '../../client/page-assets.ts';
import { countOf } from '../../util/count-of.ts';
import type { Io } from '../shared/io.ts';
import { printable } from '../shared/printable.ts';
import { errorText, namesOf } from '../shared/words.ts';
import { EMPTY_REASON, GENERATED_REASON, LITTER_REASON, litterText } from './local-tree.ts';

const SHOWN_OF_A_KIND = 50;
const UNREAD_NAMED_MAX = 10;
/** Reasons of skipped files that the table counts in one line. */
const COUNTED: ReadonlySet<string> = new Set([ASSET_REASON, GENERATED_REASON, LITTER_REASON, EMPTY_REASON]);

/** An unchanged file that an earlier run could not read. */
export interface StillFailed {
  path: string;
  title: string;
  message: string;
  /** The same bytes may be readable in another run. */
  retryable: boolean;
  /** Search finds an older version of the file. */
  outdated: boolean;
}

export interface SyncReport {
  group_id: string | null;
  group_name: string;
  dry_run: boolean;
  added: string[];
  updated: string[];
  moved: { from: string; to: string }[];
  deleted: string[];
  unchanged: number;
  /** Files that this run could not read. If a file was updated, its old version is still served. */
  failed: { path: string; title: string; message: string }[];
  /** Unchanged files that an earlier run could not read. They are not tried again. */
  still_failed: StillFailed[];
  /** Files that are never sent. */
  skipped: { path: string; reason: string }[];
  /** Files and folders that cannot be read on this machine. Their stored files stay. */
  unreadable: string[];
}

export function printJson(report: SyncReport, io: Io): void {
  io.out(`${JSON.stringify(report)}\n`);
}

export function printTable(report: SyncReport, io: Io): void {
  const moved = report.moved.map(({ from, to }) => `${from} -> ${to}`);
  const failed = report.failed.map(({ path, ...error }) => `${path}: ${errorText(error)}`);
  const skipped = report.skipped.filter(({ reason }) => !COUNTED.has(reason));
  rows(io, 'added', report.added);
  rows(io, 'updated', report.updated);
  rows(io, 'moved', moved);
  rows(io, 'deleted', report.deleted);
  rows(io, 'failed', failed);
  for (const { path, reason } of skipped) rows(io, 'skipped', [`${path}: ${reason}`]);
  const skippedFor = (why: string) => report.skipped.filter(({ reason }) => reason === why).map(({ path }) => path);
  const [assets, generated] = [skippedFor(ASSET_REASON), skippedFor(GENERATED_REASON)];
  const [litter, empty] = [skippedFor(LITTER_REASON), skippedFor(EMPTY_REASON)];
  if (assets.length > 0) rows(io, 'skipped', [assetsText(assets.length)]);
  if (generated.length > 0)
    rows(io, 'skipped', [`${countOf(generated.length, 'generated file')}: ${namesOf(generated)}`]);
  if (litter.length > 0) rows(io, 'skipped', [litterText(litter)]);
  if (empty.length > 0) rows(io, 'skipped', [`${countOf(empty.length, 'empty file')}: ${namesOf(empty)}`]);
  rows(io, 'unread', report.unreadable);
  io.out(`${summaryOf(report)}\n`);
}

/**
 * Returns 1 if something is left to do. A file that can never be read, such as a film, counts only in the call that sends it: a job that
 * runs every hour would otherwise fail for ever.
 */
export function exitCodeOf({ failed, still_failed: still, unreadable }: SyncReport): number {
  return failed.length + still.filter(isLeftToDo).length + unreadable.length > 0 ? 1 : 0;
}

/** Whether the file may be read when it is retried, or its old version is still served. */
export function isLeftToDo({ retryable, outdated }: StillFailed): boolean {
  return retryable || outdated;
}

/** Whether the report has any change or failure. */
export function hasChanges(report: SyncReport): boolean {
  const { added, updated, moved, deleted, failed } = report;
  return [added, updated, moved, deleted, failed].some((list) => list.length > 0);
}

/** Returns the report without the files that the report before left out for the same reason: a reader who watches has seen them. */
export function newsOf(report: SyncReport, before: SyncReport): SyncReport {
  const keyOf = ({ path, reason }: SyncReport['skipped'][number]): string => JSON.stringify([path, reason]);
  const [skipped, unreadable] = [new Set(before.skipped.map(keyOf)), new Set(before.unreadable)];
  return {
    ...report,
    skipped: report.skipped.filter((one) => !skipped.has(keyOf(one))),
    unreadable: report.unreadable.filter((path) => !unreadable.has(path)),
  };
}

/** Names the files that an earlier call could not read. A retry is no help to a file that can never be read. */
export function printUnread(groupId: string, unread: readonly StillFailed[], io: Io): void {
  const lines = unread.slice(0, UNREAD_NAMED_MAX).map((one) => {
    const reason = one.title === '' ? '' : `: ${errorText(one)}`;
    return `  ${printable(`${one.path}${reason}`)}${one.outdated ? ' (its old version is still found)' : ''}\n`;
  });
  const more = unread.length > lines.length ? `  and ${unread.length - lines.length} more\n` : '';
  const files = `${countOf(unread.length, 'unchanged file')} could not be read by an earlier call`;
  const canHelp = unread.some(({ retryable }) => retryable);
  const retry = canHelp ? ` To retry: pinakes runs start ${groupId} --only-failed` : '';
  io.err(`${files}.${retry}\n${lines.join('')}${more}`);
}

function rows(io: Io, kind: string, texts: readonly string[]): void {
  for (const text of texts.slice(0, SHOWN_OF_A_KIND)) io.out(`${kind.padEnd(8)} ${text}\n`);
  const more = texts.length - SHOWN_OF_A_KIND;
  if (more > 0) io.out(`${kind.padEnd(8)} … and ${more} more (--json prints all)\n`);
}

function summaryOf({ added, updated, moved, deleted, unchanged, failed, ...report }: SyncReport): string {
  const counts: [string, number][] = [
    ['added', added.length],
    ['updated', updated.length],
    ['moved', moved.length],
    ['deleted', deleted.length],
    ['unchanged', unchanged],
    ['failed', failed.length],
    ['still failed', report.still_failed.length],
  ];
  const positive = counts.filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${kind}`);
  const text = positive.length === 0 ? 'no files' : positive.join(', ');
  const group = report.group_id === null ? `new group "${report.group_name}"` : `group ${report.group_id}`;
  return `${report.dry_run ? 'Would be: ' : ''}${text} (${group})`;
}
