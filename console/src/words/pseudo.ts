/** Catalogues that are made for tests: one with long texts, and one that is drawn from right to left. */
import type { Entry } from './words.ts';

type Words = Readonly<Record<string, Entry>>;

const ACCENTED: Readonly<Record<string, string>> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ö',
  u: 'ü',
  n: 'ñ',
  c: 'ç',
  y: 'ý',
  A: 'Å',
  E: 'É',
  O: 'Ö',
  S: 'Š',
};

/** Returns the catalogue with accents and a third more length. A text without accents is then not from the catalogue. */
export function stretched(words: Words): Words {
  return changed(words, (text) => `[${outsidePlaces(text, accent)}${'·'.repeat(Math.ceil(text.length / 3))}]`);
}

/** Returns the catalogue with the mark of right-to-left text around each entry. */
export function mirrored(words: Words): Words {
  return changed(words, (text) => `\u200f${text}\u200f`);
}

function changed(words: Words, change: (text: string) => string): Words {
  const entries = Object.entries(words).map(([key, entry]: [string, Entry]) => [
    key,
    typeof entry === 'string' ? change(entry) : { one: change(entry.one), other: change(entry.other) },
  ]);
  return Object.fromEntries(entries) as Words;
}

function accent(text: string): string {
  return [...text].map((letter) => ACCENTED[letter] ?? letter).join('');
}

function outsidePlaces(text: string, change: (text: string) => string): string {
  return text
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? part : change(part)))
    .join('');
}
