/** Files within files: what archives and mails hold, on its way from the child process to sources of their own. */

import { FileError, overLimit } from '../failure.ts';
import type { FileMember } from '../parsed.ts';
import type { Tools } from '../tools.ts';
import { detectFileType } from './file-types.ts';
import { memberName } from './member-name.ts';

/** Files that one archive or mail may bring. */
export const MEMBERS_MAX = 2_000;
/** Bytes of them, unpacked. */
export const MEMBERS_BYTES_MAX = 256 * 1024 * 1024;
/** Levels of archives within archives that are opened. */
export const MEMBER_DEPTH_MAX = 3;

/** Takes the members of a file one by one, in order. */
export type MemberSink = (member: { index: number; name: string; bytes: Uint8Array }) => Promise<void>;

/**
 * Hands on the members that some parser reads; returns a warning about those that none does. Too deep, an archive fails, and
 * a file with text of its own keeps that.
 *
 * @throws FileError over a limit.
 */
export async function sendMembers(
  members: Iterable<FileMember>,
  depth: number,
  sink: MemberSink,
  tools: Tools,
  isArchive: boolean,
): Promise<string[]> {
  let index = 0;
  let left = MEMBERS_BYTES_MAX;
  let others = 0;
  for (const { name: raw, bytes: unpack } of members) {
    if (depth >= MEMBER_DEPTH_MAX) {
      if (!isArchive)
        return [`Files inside are read up to ${MEMBER_DEPTH_MAX} levels: those attached here were left out.`];
      throw overLimit(`Archives within archives are opened up to ${MEMBER_DEPTH_MAX} levels.`);
    }
    const name = memberName(raw);
    const bytes = unpack();
    left -= bytes.length;
    if (!isArchive && (left < 0 || index >= MEMBERS_MAX)) {
      left += bytes.length;
      others += 1;
      continue;
    }
    if (left < 0) throw overLimit(`The files inside have more than ${MEMBERS_BYTES_MAX / 1024 / 1024} MiB.`);
    if (bytes.length === 0 || !(await isReadable(bytes, name, tools))) {
      others += 1;
      continue;
    }
    if (index >= MEMBERS_MAX) throw overLimit(`The file holds more than ${MEMBERS_MAX} files.`);
    await sink({ index, name, bytes });
    index += 1;
  }
  return others === 0 ? [] : [`${others} ${others === 1 ? 'file' : 'files'} inside cannot be read and were left out.`];
}

async function isReadable(bytes: Uint8Array, name: string, tools: Tools): Promise<boolean> {
  try {
    const type = await detectFileType(bytes, name);
    if (type === 'picture') return tools.ocr !== undefined;
    return /^(doc|xls|ppt)$/.test(type) ? tools.office !== undefined : true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
