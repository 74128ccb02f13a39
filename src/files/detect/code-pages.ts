/** Maps the numbers of Windows code pages to labels of TextDecoder. */
import { readWordPairs } from '../../util/package-files.ts';

const LABELS = readWordPairs('encodings/code-pages.txt');

/** Returns the label of a code page, or undefined for one that is not known. */
export function codePageEncoding(codePage: number): string | undefined {
  return codePage >= 1250 && codePage <= 1258 ? `windows-${codePage}` : LABELS[codePage];
}
