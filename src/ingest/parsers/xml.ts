/** XML of any vocabulary: its source is the text. Files that declare entities are refused. */
import { badFile } from '../failure.ts';
import type { ParsedFile } from '../parsed.ts';
import { parseTxt } from './txt.ts';

/** UTF-16 units within which a document type stands. */
const PROLOG_UNITS = 64 * 1024;

/** Names of pictures and the like: nothing to expand. */
const UNPARSED = /<!ENTITY\s[^<>]{1,2000}\sNDATA\s[^<>]{1,200}>/g;

/** @throws FileError when the prolog declares entities. */
export function parseXml(text: string): ParsedFile {
  if (/<!ENTITY\s/i.test(text.slice(0, PROLOG_UNITS).replace(UNPARSED, ''))) {
    throw badFile('parse', 'Forbidden XML', 'The file declares XML entities, which are not expanded.');
  }
  return parseTxt(text, 'xml');
}
