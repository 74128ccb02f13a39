/**
 * Corrects typing errors. A word of the query that no visible chunk has is replaced by the most common similar word of visible chunks.
 * Nothing is stored for this: one request asks the BM25 index for all spellings one error away, and for words with the same
 * beginning. An ordinary query costs only one look at its best chunks.
 */
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { encodePrefix } from '../../text/analysis/encode.ts';
import { TERM_WEIGHT } from '../../text/analysis/looser-forms.ts';
import { errorsBetween, isCorrectable, spellingsNear } from '../../text/analysis/misspellings.ts';
import { firstTerms, lowerCase, wordTerms } from '../../text/analysis/words.ts';
import { type QueryWord, queryWords } from '../../text/analyzer.ts';
import { fold } from '../../text/fold.ts';
import type { SearchedCorpus } from '../engine.ts';
import type { Plan } from '../plan.ts';
import type { ReadRow } from '../reading/hits.ts';
import type { Warning } from '../types.ts';
import type { RankedCandidate } from './rank.ts';

export const FUZZY_WARNING = 'fuzzy_match';
export const FUZZY_WITHOUT_WORDS = 'Words that occur nowhere were replaced by similar words.';

/** Maximum number of words of a query that are checked. */
const WORDS_MAX = 12;
/** A query with more unknown words is about another subject, not misspelled. */
const CORRECTED_WORDS_MAX = 3;
/** A word in one of so many of the best chunks counts as spelled correctly. */
const BEST_CHUNKS = 10;
/** If the best chunks lack a smaller share of the words, the query has found its subject, and no correction is tried. */
const MISSING_SHARE_MIN = 1 / 3;
/** Number of chunks from which the most common spelling is chosen. */
const CHUNKS_READ = 20;
/** With a policy, the oldest of so many chunks are used: the best chunks would depend on hidden chunks. */
const CHUNKS_CONSIDERED = 1_000;
/** Longer words may have two errors if their first letters are right. */
const TWO_ERRORS_UNITS_MIN = 8;
const PREFIX_UNITS = 5;
/** The weight of a guessed word. */
const GUESS_WEIGHT = 2;

interface Correction {
  /** The word in the query. */
  word: string;
  /** The word in a chunk, in lower case. */
  meant: string;
  term: string;
}

/**
 * Returns the terms of the query with corrected words, and with stems for words that occur only inflected. Returns undefined if nothing
 * is to be corrected. `ranked` has the results of the search, `rows` their texts if they have been read.
 */
export async function correctTerms(
  tx: Tx,
  corpus: SearchedCorpus,
  plan: Plan,
  ranked: readonly RankedCandidate[],
  rows: ReadonlyMap<string, Pick<ReadRow, 'terms'>>,
  warnings: Warning[],
): Promise<string[] | undefined> {
  const { request, languages } = plan;
  const search = { tx, corpus, plan };
  if (request.mode === 'semantic') return undefined;
  const words = queryWords(request.query, languages)
    .filter((word) => word.stems.length > 0 || mayBeMisspelled(word))
    .slice(0, WORDS_MAX);
  if (words.length === 0) return undefined;
  const best = ranked.slice(0, BEST_CHUNKS).flatMap(({ id }) => rows.get(id)?.terms ?? []);
  const missing = missingIn(best, words);
  if (missing.length < words.length * MISSING_SHARE_MIN) return undefined;
  const nowhere: QueryWord[] = [];
  const inflected: QueryWord[] = [];
  const occurs = async (terms: readonly string[]): Promise<boolean> =>
    terms.length > 0 && (await chunksWith(search, terms, 1)).length > 0;
  for (const word of missing) {
    if (await occurs(word.terms)) continue;
    if (await occurs(word.stems)) inflected.push(word);
    else if (mayBeMisspelled(word)) nowhere.push(word);
    if (nowhere.length > CORRECTED_WORDS_MAX) return undefined;
  }
  // The best chunks may depend on hidden chunks. Which words no visible chunk has does not.
  if (plan.scope.policy !== null && nowhere.length + inflected.length < words.length * MISSING_SHARE_MIN)
    return undefined;
  const corrections: Correction[] = [];
  for (const { word } of nowhere) {
    const correction = await correctWord(search, spell(word, languages));
    if (correction) corrections.push(correction);
  }
  const guesses = [
    ...inflected.flatMap(({ stems }) => stems.flatMap((term) => new Array<string>(TERM_WEIGHT).fill(term))),
    ...corrections.flatMap(({ term }) => new Array<string>(GUESS_WEIGHT).fill(term)),
  ];
  if (guesses.length === 0) return undefined;
  if (corrections.length > 0) warnings.push(warningOf(corrections));
  return [...plan.terms, ...guesses];
}

function mayBeMisspelled({ word, isSyllable }: QueryWord): boolean {
  return !isSyllable && isCorrectable(fold(word.toLowerCase()));
}

function warningOf(corrections: readonly Correction[]): Warning {
  const list = corrections.map(({ word, meant }) => `“${meant}” instead of “${word}”`).join(', ');
  return { type: FUZZY_WARNING, message: `Words that occur nowhere were replaced by similar words: ${list}.` };
}

interface Search {
  tx: Tx;
  corpus: SearchedCorpus;
  plan: Plan;
}

/** A word and its possible spellings. */
interface Spelled {
  word: string;
  letters: string;
  /** Terms of all spellings one error away. */
  near: ReadonlySet<string>;
  /** Terms of words with the same first letters. */
  alike: readonly string[];
}

function spell(word: string, languages: readonly string[]): Spelled {
  const letters = fold(word.toLowerCase());
  const alike = letters.length < TWO_ERRORS_UNITS_MIN ? [] : [encodePrefix(letters.slice(0, PREFIX_UNITS))];
  return { word, letters, near: termsNear(word, languages), alike };
}

/** Returns the words that none of these chunks has; `chunks` are the terms of the chunks. */
function missingIn(chunks: readonly string[], words: readonly QueryWord[]): readonly QueryWord[] {
  const present = ` ${chunks.join(' ')} `;
  return words.filter((word) => !word.terms.some((term) => present.includes(` ${term} `)));
}

/** Returns the terms of all spellings one error away. */
function termsNear(word: string, languages: readonly string[]): ReadonlySet<string> {
  return firstTerms(spellingsNear(fold(word.toLowerCase())), languages);
}

/** Returns the most common word one error away; for a long word, also two errors away with the same first letters. */
async function correctWord(search: Search, { word, letters, near, alike }: Spelled): Promise<Correction | undefined> {
  const { languages } = search.plan;
  const contents = await chunksWith(search, [...near], CHUNKS_READ);
  const found = commonest(contents, languages, word, (other, term) => near.has(term) && isNear(other, letters, 1));
  if (found) return found;
  const others = await chunksWith(search, alike, CHUNKS_READ);
  return commonest(others, languages, word, (other) => isNear(other, letters, 2));
}

/** Returns true if the words differ in at most so many errors. Their endings may differ too: “populaton” is near “populations”. */
function isNear(word: string, letters: string, errors: number): boolean {
  if (word.length < letters.length - errors) return false;
  return [letters.length - 1, letters.length, letters.length + 1, word.length].some(
    (length) => errorsBetween(word.slice(0, length), letters, errors) <= errors,
  );
}

/** Returns the contents of the best visible chunks with one of the terms. */
async function chunksWith(
  { tx, corpus, plan }: Search,
  terms: readonly string[],
  limit: number,
): Promise<{ content: string; language: string | null }[]> {
  const anyOrder = plan.scope.policy !== null && limit > 1;
  const depth = anyOrder ? CHUNKS_CONSIDERED : limit;
  const { lexical: found } = await corpus.candidates({ terms, vector: undefined, depth });
  const candidates = anyOrder ? found.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit) : found;
  if (candidates.length === 0) return [];
  return tx.query(sql`
    select c.content, s.language from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${plan.scope.tenantId} and c.id = any(${candidates.map(({ id }) => id)}::uuid[])`);
}

/** Returns the word that most of the contents have, among the words that `fits` accepts. */
function commonest(
  contents: readonly { content: string; language: string | null }[],
  languages: readonly string[],
  word: string,
  fits: (letters: string, term: string) => boolean,
): Correction | undefined {
  const counts = new Map<string, { count: number; meant: string }>();
  for (const { content, language } of contents) {
    const analyzed = language !== null && languages.includes(language) ? language : 'und';
    const seen = new Set<string>();
    for (const [other] of content.matchAll(/[\p{L}\p{M}]+/gu)) {
      const letters = fold(other.toLowerCase());
      if (Math.abs(letters.length - word.length) > 4) continue;
      const { term } = wordTerms(other, analyzed)[0]!;
      if (seen.has(term) || !fits(letters, term)) continue;
      seen.add(term);
      counts.set(term, {
        count: (counts.get(term)?.count ?? 0) + 1,
        meant: counts.get(term)?.meant ?? lowerCase(other, analyzed),
      });
    }
  }
  const [best] = [...counts].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
  return best && { word, meant: best[1].meant, term: best[0] };
}
