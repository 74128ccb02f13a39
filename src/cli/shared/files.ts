/** Packs files into requests that the service accepts. Pure. */

/** Limits of one POST /local-file-groups. The limit of bytes leaves room for the multipart framing. */
export const FILES_PER_GROUP_MAX = 2000;
export const GROUP_BYTES_MAX = 495_000_000;

/** Splits files, in their order, into groups within both limits. A file over the byte limit gets its own group. */
export function packGroups<F extends { size: number }>(
  files: readonly F[],
  filesMax = FILES_PER_GROUP_MAX,
  bytesMax = GROUP_BYTES_MAX,
): F[][] {
  const groups: F[][] = [];
  let bytes = 0;
  for (const file of files) {
    const last = groups.at(-1);
    if (last !== undefined && last.length < filesMax && bytes + file.size <= bytesMax) {
      last.push(file);
      bytes += file.size;
    } else {
      groups.push([file]);
      bytes = file.size;
    }
  }
  return groups;
}
