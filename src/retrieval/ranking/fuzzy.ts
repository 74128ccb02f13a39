/**
 * Corrects typing errors. A word of the query that no visible chunk has is replaced by the commonest word of the texts of visible
 * chunks that is one error away, else by the spelling one error away whose stem is commonest among their terms. Titles, file names,
 * parts of names in code and other inflections have terms too. An ordinary query costs nothing, because its best chunks have most of
 * its words.
 */
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { TERM_WEIGHT } from '../../text/analysis/looser-forms.ts';
import { spellingsNear } from '../../text/analysis/misspellings.ts';
import { isVietnameseSyllable } from '../../text/analysis/vietnamese.ts';
import { wordTerms } from '../../text/analysis/words.ts';
import { queryWords } from '../../text/analyzer.ts';
import { fold } from '../../text/fold.ts';
import type { SearchedCorpus } from '../engine.ts';
import type { Plan } from '../plan.ts';
import type { ReadRow } from '../reading/hits.ts';
import type { Warning } from '../types.ts';
import type { RankedCandidate } from './rank.ts';

export const FUZZY_WARNING = 'fuzzy_match';
const REPLACED = 'Words that occur nowhere were replaced by similar words';
export const FUZZY_WITHOUT_WORDS = `${REPLACED}.`;

/** A word in one of so many of the best chunks counts as spelled correctly. */
const BEST_CHUNKS = 10;
/** If the best chunks lack a smaller share of the words, the query has found its subject, and no correction is tried. */
const MISSING_SHARE_MIN = 1 / 3;
/** A query with more missing words is about another subject, not misspelled. */
const MISSING_WORDS_MAX = 3;
/** Chunks that the look-up of spellings reads. */
const CHUNKS_READ = 100;
/** Chunks that the look-up of a word asks for. */
const CHUNKS_ASKED = 10;
/** The weight of a guessed word. */
const GUESS_WEIGHT = 2;
const WORDS = /[\p{L}\p{M}]+/gu;

interface Chunk {
  terms: ReadonlySet<string>;
  content: string;
}

export interface Corrected {
  /** The terms of the query, and those of the guesses. */
  terms: string[];
  /** The replaced words, each with the word that replaced it. */
  words: ReadonlyMap<string, string>;
}

/**
 * Returns the terms of the query with corrected words, and with stems for words that occur only inflected. Returns undefined if nothing
 * is to be corrected. A word that a visible chunk has is right, also if no chunk with the word matches the filters.
 *
 * @param visible the corpus of the caller without the filters.
 * @param ranked has the results of the search, `rows` their texts if they have been read.
 */
export async function correctTerms(
  tx: Tx,
  { matching, visible }: { matching: SearchedCorpus; visible: SearchedCorpus },
  { request, languages, mode, terms: asked }: Plan,
  ranked: readonly RankedCandidate[],
  rows: ReadonlyMap<string, Pick<ReadRow, 'terms'>>,
): Promise<Corrected | undefined> {
  if (mode === 'semantic') return undefined;
  const words = queryWords(request.query, languages);
  const best = ` ${ranked
    .slice(0, BEST_CHUNKS)
    .map(({ id }) => rows.get(id)?.terms)
    .join(' ')} `;
  const missing = words.filter(({ terms }) => !terms.some((term) => best.includes(` ${term} `)));
  if (missing.length === 0 || missing.length < words.length * MISSING_SHARE_MIN || missing.length > MISSING_WORDS_MAX)
    return undefined;
  const known = await visible.knownTerms?.(missing.flatMap(({ terms }) => terms));
  const unseen: typeof missing = [];
  for (const word of missing) {
    const isKnown = known
      ? word.terms.some((term) => known.has(term))
      : (await visible.candidates({ terms: word.terms, vector: undefined, depth: CHUNKS_ASKED })).lexical.length > 0;
    if (!isKnown) unseen.push(word);
  }
  if (unseen.length === 0) return undefined;
  const absent = unseen.map((word) => {
    const spellings = new Map([...nearSpellings(word.word, languages)].map((one) => [one, stemsOf(one, languages)]));
    return { ...word, spellings, near: new Set([...spellings.values()].flat()) };
  });
  const sought = absent.flatMap(({ stems, near }) => [...repeat(stems, TERM_WEIGHT), ...near]);
  const chunks = await chunksWith(tx, matching, sought);
  const written = countWords(chunks);
  const guesses: string[] = [];
  const replaced = new Map<string, string>();
  for (const { word, stems, spellings } of absent) {
    const inflected = stems.filter((stem) => chunks.some((chunk) => chunk.terms.has(stem)));
    guesses.push(...repeat(inflected, TERM_WEIGHT));
    if (inflected.length > 0) continue;
    const found =
      commonest([...written].filter(([one]) => spellings.has(fold(one)))) ??
      commonest(countSpellings(chunks, spellings));
    if (found === undefined) continue;
    guesses.push(...repeat(stemsOf(found, languages), GUESS_WEIGHT));
    replaced.set(word, found);
  }
  return guesses.length === 0 ? undefined : { terms: [...asked, ...guesses], words: replaced };
}

/** Returns the warning that names the replaced words; none without such words. */
export function fuzzyWarnings(words: ReadonlyMap<string, string>): Warning[] {
  const replaced = [...words].map(([word, found]) => `“${found}” instead of “${word}”`);
  return replaced.length === 0 ? [] : [{ type: FUZZY_WARNING, message: `${REPLACED}: ${replaced.join(', ')}.` }];
}

function repeat(terms: readonly string[], times: number): string[] {
  return terms.flatMap((term) => new Array<string>(times).fill(term));
}

/** Returns all spellings one error away. A Vietnamese syllable has none: its neighbours are other syllables. */
function nearSpellings(word: string, languages: readonly string[]): ReadonlySet<string> {
  return languages.includes('vi') && isVietnameseSyllable(word) ? new Set() : spellingsNear(word);
}

/** Returns the distinct stems of a word in these languages, as terms. */
function stemsOf(word: string, languages: readonly string[]): string[] {
  return [...new Set(languages.map((language) => wordTerms(word, language)[0]!.term))];
}

/** Returns the best chunks of the searched corpus with one of the terms. */
async function chunksWith(tx: Tx, corpus: SearchedCorpus, terms: readonly string[]): Promise<Chunk[]> {
  const { lexical } = await corpus.candidates({ terms, vector: undefined, depth: CHUNKS_READ });
  const ids = lexical.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await tx.query<{ terms: string; content: string }>(sql`
    select c.terms, c.content from chunk c where c.tenant_id = ${tx.tenantId} and c.id = any(${ids}::uuid[])`);
  return rows.map((row) => ({ ...row, terms: new Set(row.terms.split(' ')) }));
}

/** Returns the words of the texts, in lower case, each with the number of chunks that have it. */
function countWords(chunks: readonly Chunk[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { content } of chunks) {
    for (const word of new Set(content.toLowerCase().match(WORDS))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Returns each spelling with the number of chunks that have a term of it. */
function countSpellings(
  chunks: readonly Chunk[],
  spellings: ReadonlyMap<string, readonly string[]>,
): [string, number][] {
  const count = (terms: readonly string[]) => chunks.filter((one) => terms.some((term) => one.terms.has(term))).length;
  return [...spellings]
    .map(([spelling, terms]) => [spelling, count(terms)] as [string, number])
    .filter(([, n]) => n > 0);
}

/** Returns the word with the highest count; undefined if there is none. */
function commonest(counts: readonly [string, number][]): string | undefined {
  return counts.toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0];
}
