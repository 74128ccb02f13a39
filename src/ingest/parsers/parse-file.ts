/** Picks the parser of a file type. Each parser is loaded when it is first needed, which keeps a child process small. */
import { decodeText } from '../decode.ts';
import { overLimit } from '../failure.ts';
import type { FileType } from '../file-types.ts';
import type { ParsedFile, ProcessRequest } from '../parsed.ts';

/** Bytes of a file in a text format: its text, chunks and terms must fit into the memory of a child process. */
export const TEXT_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Parses `bytes` as `fileType`. Throws FileError, or whatever the format's library throws for a damaged file. */
export async function parseFile(fileType: FileType, bytes: Uint8Array, request: ProcessRequest): Promise<ParsedFile> {
  if (bytes.length > TEXT_FILE_BYTES_MAX) {
    throw overLimit(`Text files are read up to ${TEXT_FILE_BYTES_MAX / 1024 / 1024} MiB.`);
  }
  const decoded = decodeText(bytes);
  const parsed = await parseText(fileType, decoded.text, request);
  if (decoded.replaced) parsed.warnings.push('Some bytes are not valid text and were replaced.');
  return parsed;
}

async function parseText(fileType: FileType, text: string, request: ProcessRequest): Promise<ParsedFile> {
  switch (fileType) {
    case 'md': {
      const { parseMd } = await import('./md.ts');
      return parseMd(text, request.chunkMetadataKeys);
    }
    default: {
      const { parseTxt } = await import('./txt.ts');
      return parseTxt(text, fileType);
    }
  }
}
