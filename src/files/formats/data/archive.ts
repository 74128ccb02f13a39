/** Parses archives (zip, tar, gzip). The text is a list of names; the files inside are members. */
import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { LITTER } from '../../../client/litter.ts';
import { detectFileType, type FileType } from '../../detect/file-types.ts';
import { memberName } from '../../detect/member-name.ts';
import { MEMBERS_MAX } from '../../detect/members.ts';
import {
  EXPANDED_BYTES_MAX,
  EXPANSION_RATIO_MAX,
  harmlessEntries,
  isReadableEntry,
  readZipDirectory,
  readZipEntry,
  unreadable,
} from '../../detect/zip.ts';
import { badFile, overLimit } from '../../failure.ts';
import type { FileMember, ParsedFile } from '../../parsed.ts';
import { TextBuilder } from '../text-builder.ts';
import { joplinFiles } from './joplin.ts';
import { readTar } from './tar.ts';

/** Maximum number of names in the list. */
const LISTED_MAX = 2_000;
/** Ids stay in longer names. */
const PAGE_NAME_UNITS_MAX = 1_000;

/** The id that page workspaces add to the name of each page and folder that they export. */
const PAGE_ID = / [0-9a-f]{32}(?=[/._]|$)/g;

/**
 * Parses an archive. `unpacked` are the bytes inside a gzip file, if the caller has unpacked them.
 *
 * @throws FileError for an archive that is damaged, encrypted or over a limit.
 */
export function parseArchive(
  bytes: Uint8Array,
  fileType: 'zip' | 'tar' | 'gzip',
  name: string,
  unpacked = fileType === 'gzip' ? gunzip(bytes) : bytes,
): ParsedFile {
  const warnings: string[] = [];
  const found = fileType === 'zip' ? zipMembers(bytes, warnings) : unpackedMembers(unpacked, name);
  const isJoplin = /\.jex$/i.test(name);
  const wanted = (isJoplin ? joplinFiles(found) : found).filter((member) => !LITTER.test(member.name));
  const members = withoutIds(wanted, isJoplin).map((member) => ({ ...member, name: memberName(member.name) }));
  const builder = new TextBuilder();
  const listed = members.slice(0, LISTED_MAX).map((member) => `- ${member.name}`);
  builder.add({ kind: 'list' }, listed.join('\n'));
  return builder.file('unknown', {}, { warnings, members });
}

/**
 * Returns files without the ids in the names of them and of their folders, except where two names would be equal. One name alone may have
 * an id for its own sake.
 */
function withoutIds(members: readonly FileMember[], isExport: boolean): FileMember[] {
  const short = (path: string) => path.replace(PAGE_ID, '');
  const isPage = ({ name }: FileMember) => name.length <= PAGE_NAME_UNITS_MAX && name !== short(name);
  const pages = members.filter(isPage);
  // An archive with more files is refused.
  if (pages.length <= (isExport ? 0 : 1) || members.length > MEMBERS_MAX) return [...members];
  const pathsOf = (name: string) => name.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'));
  const named = Map.groupBy(new Set(members.flatMap((one) => (isPage(one) ? pathsOf(one.name) : one.name))), short);
  const nameOf = (path: string) => (named.get(short(path))!.length === 1 ? short(path) : path).split('/').at(-1);
  return members.map((one) => (isPage(one) ? { ...one, name: pathsOf(one.name).map(nameOf).join('/') } : one));
}

function zipMembers(bytes: Uint8Array, warnings: string[]): FileMember[] {
  const entries = readZipDirectory(bytes).filter((entry) => !/[/\\]$/.test(entry.name));
  if (entries.some((entry) => entry.encrypted)) {
    throw badFile('parse', 'Encrypted archive', 'The archive is protected by a password.');
  }
  const harmless = harmlessEntries(entries);
  if (harmless.length < entries.length) {
    warnings.push(
      `Files inside that expand to more than ${EXPANSION_RATIO_MAX} times their size were left out: ` +
        `${entries.length - harmless.length}.`,
    );
  }
  const readable = harmless.filter(isReadableEntry);
  if (readable.length < harmless.length) {
    if (readable.length === 0) throw unreadable();
    warnings.push(
      `Files inside that are compressed in a way that cannot be read: ${harmless.length - readable.length}.`,
    );
  }
  return readable.map((entry) => ({ name: entry.name, bytes: () => readZipEntry(bytes, entry) }));
}

/** Types that are always members: they contain files, or a program of the system reads them by their path. */
const MEMBER_TYPES = new Set<FileType>(['zip', 'tar', 'gzip', 'signed', 'mbox', 'picture']);

/** Returns the type of a file that was packed alone and is read like an unpacked file; undefined if it becomes a member. */
export async function readsAlone(data: Uint8Array, name: string): Promise<FileType | undefined> {
  const type = await detectFileType(data, name);
  return MEMBER_TYPES.has(type) ? undefined : type;
}

function unpackedMembers(data: Uint8Array, name: string): FileMember[] {
  if (isTar(data)) return readTar(data);
  return [{ name: name.replace(/\.(?:gz|p7[mc])$/i, '') || 'file', bytes: () => data }];
}

/** True if the first header has the mark of a tar archive. */
function isTar(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(257, 262)).toString('latin1') === 'ustar';
}

/** Unpacks a gzip file. @throws FileError for a file that is damaged or expands too far. */
export function gunzip(bytes: Uint8Array): Uint8Array {
  const limit = Math.min(EXPANDED_BYTES_MAX, Math.max(bytes.length * EXPANSION_RATIO_MAX, 1024 * 1024));
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) throw overLimit('The archive expands too far.');
    throw badFile('parse', 'Damaged archive', 'The file is not a complete gzip archive.');
  }
}
