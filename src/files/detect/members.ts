/** Sends the files inside archives and mails from the child process on, so that they become sources of their own. */

import { FileError, overLimit } from '../failure.ts';
import type { FileMember } from '../parsed.ts';
import type { Tools } from '../tools.ts';
import { detectFileType } from './file-types.ts';
import { memberName } from './member-name.ts';

/** Maximum number of files from one archive or mail. */
export const MEMBERS_MAX = 2_000;
/** Maximum unpacked size of all files from one archive or mail. */
const MEMBERS_BYTES_MAX = 256 * 1024 * 1024;
/** Maximum depth of archives within archives. */
export const MEMBER_DEPTH_MAX = 3;

/** Receives the members of a file one by one, in order. */
export type MemberSink = (member: { index: number; name: string; bytes: Uint8Array }) => Promise<void>;

/**
 * Sends the members that a parser can read to the sink. Returns a warning about the other members.
 *
 * @throws FileError if an archive exceeds a limit. A file with text of its own keeps its text and loses the members over the
 * limit.
 */
export async function sendMembers(
  members: Iterable<FileMember>,
  depth: number,
  sink: MemberSink,
  tools: Tools,
  isArchive: boolean,
): Promise<string[]> {
  let index = 0;
  let remainingBytes = MEMBERS_BYTES_MAX;
  let skipped = 0;
  for (const { name: raw, bytes: unpack } of members) {
    if (depth >= MEMBER_DEPTH_MAX) {
      if (!isArchive)
        return [`Files inside are read up to ${MEMBER_DEPTH_MAX} levels: those attached here were left out.`];
      throw overLimit(`Archives within archives are opened up to ${MEMBER_DEPTH_MAX} levels.`);
    }
    const name = memberName(raw);
    const bytes = isArchive ? unpack() : index < MEMBERS_MAX && unpacked(unpack);
    if (!bytes || (!isArchive && bytes.length > remainingBytes)) {
      skipped += 1;
      continue;
    }
    remainingBytes -= bytes.length;
    if (remainingBytes < 0) throw overLimit(`The files inside have more than ${MEMBERS_BYTES_MAX / 1024 / 1024} MiB.`);
    if (bytes.length === 0 || !(await isReadable(bytes, name, tools))) {
      skipped += 1;
      continue;
    }
    if (index >= MEMBERS_MAX) throw overLimit(`The file contains more than ${MEMBERS_MAX} files.`);
    await sink({ index, name, bytes });
    index += 1;
  }
  return skipped === 0
    ? []
    : [`${skipped} ${skipped === 1 ? 'file' : 'files'} inside cannot be read and were left out.`];
}

/** Returns undefined for a damaged file, without which the file around it can be read. */
function unpacked(unpack: () => Uint8Array): Uint8Array | undefined {
  try {
    return unpack();
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

async function isReadable(bytes: Uint8Array, name: string, tools: Tools): Promise<boolean> {
  try {
    const type = await detectFileType(bytes, name);
    return type !== 'picture' || tools.ocr !== undefined;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
