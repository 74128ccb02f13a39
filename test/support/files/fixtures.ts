/** Files that pandoc and LibreOffice wrote (scripts/make-parse-fixtures.sh). */
import { readFileSync } from 'node:fs';

export function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`../../parsing/fixtures/${name}`, import.meta.url));
}
