/**
 * Corrects typing errors. A word of the query that no visible chunk has is replaced by the commonest word of visible chunks that is
 * one error away. A word that only shares its stem with a spelling one error away comes after all of these. A look-up into the index
 * asks for each missing word (one for all of them, if the engine has counts), and one more for the spellings of those that occur
 * nowhere. An ordinary query needs no look-up, because its best chunks have most of its words.
 */
import type { Tx } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { TERM_WEIGHT } from '../../text/analysis/looser-forms.ts';
import { spellingsNear } from '../../text/analysis/misspellings.ts';
import { isVietnameseSyllable } from '../../text/analysis/vietnamese.ts';
import { wordTerms } from '../../text/analysis/words.ts';
import { queryWords, UNDETERMINED } from '../../text/analyzer.ts';
import { fold } from '../../text/fold.ts';
import type { SearchedCorpus } from '../engine.ts';
import type { Plan } from '../plan.ts';
import type { ReadRow } from '../reading/hits.ts';
import type { Warning } from '../types.ts';
import type { RankedCandidate } from './rank.ts';

export const FUZZY_WARNING = 'fuzzy_match';
export const FUZZY_WITHOUT_WORDS = 'Words that occur nowhere were replaced by similar words.';

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
  language: string | null;
}

/**
 * Returns the terms of the query with corrected words, and with stems for words that occur only inflected. Returns undefined if nothing
 * is to be corrected. A word that a visible chunk has is right, also if no chunk with the word matches the filters.
 *
 * @param openVisible opens the corpus of the caller without the filters.
 * @param ranked has the results of the search, `rows` their texts if they have been read.
 * @param corrections receives the replaced words, each with the word that replaced it.
 */
export async function correctTerms(
  tx: Tx,
  corpus: SearchedCorpus,
  openVisible: () => SearchedCorpus,
  { request, languages, mode, terms: asked }: Plan,
  ranked: readonly RankedCandidate[],
  rows: ReadonlyMap<string, Pick<ReadRow, 'terms'>>,
  warnings: Warning[],
  corrections: Map<string, string>,
): Promise<string[] | undefined> {
  if (mode === 'semantic') return undefined;
  const words = queryWords(request.query, languages);
  const best = ` ${ranked
    .slice(0, BEST_CHUNKS)
    .map(({ id }) => rows.get(id)?.terms)
    .join(' ')} `;
  const missing = words.filter(({ terms }) => !terms.some((term) => best.includes(` ${term} `)));
  if (missing.length === 0 || missing.length < words.length * MISSING_SHARE_MIN || missing.length > MISSING_WORDS_MAX)
    return undefined;
  const visible = openVisible();
  const known = await visible.knownTerms?.(missing.flatMap(({ terms }) => terms));
  const unseen: typeof missing = [];
  for (const word of missing) {
    const isKnown = known
      ? word.terms.some((term) => known.has(term))
      : (await visible.candidates({ terms: word.terms, vector: undefined, depth: CHUNKS_ASKED })).lexical.length > 0;
    if (!isKnown) unseen.push(word);
  }
  const absent = unseen.map((word) => {
    const spellings = nearSpellings(word.word, languages);
    return { ...word, spellings, near: termsOf(spellings, languages) };
  });
  if (absent.length === 0) return undefined;
  const sought = absent.flatMap(({ stems, near }) => [...repeat(stems, TERM_WEIGHT), ...near]);
  const chunks = await chunksWith(tx, corpus, request.tenantId, sought);
  const guesses: string[] = [];
  const replaced: string[] = [];
  for (const { word, stems, spellings, near } of absent) {
    const inflected = stems.filter((stem) => chunks.some((chunk) => chunk.terms.has(stem)));
    const term =
      inflected.length > 0 ? undefined : commonest(chunks, near, termsOf(spelledIn(chunks, spellings), languages));
    guesses.push(...repeat(inflected, TERM_WEIGHT));
    if (term === undefined) continue;
    guesses.push(...repeat([term], GUESS_WEIGHT));
    const found = wordWith(term, chunks, languages);
    corrections.set(word, found);
    replaced.push(`“${found}” instead of “${word}”`);
  }
  if (replaced.length > 0) {
    const message = `Words that occur nowhere were replaced by similar words: ${replaced.join(', ')}.`;
    warnings.push({ type: FUZZY_WARNING, message });
  }
  return guesses.length === 0 ? undefined : [...asked, ...guesses];
}

function repeat(terms: readonly string[], times: number): string[] {
  return terms.flatMap((term) => new Array<string>(times).fill(term));
}

/** Returns all spellings one error away. A Vietnamese syllable has none: its neighbours are other syllables. */
function nearSpellings(word: string, languages: readonly string[]): ReadonlySet<string> {
  return languages.includes('vi') && isVietnameseSyllable(word) ? new Set() : spellingsNear(word);
}

function termsOf(spellings: Iterable<string>, languages: readonly string[]): string[] {
  return [...new Set([...spellings].flatMap((near) => languages.map((one) => wordTerms(near, one)[0]!.term)))];
}

/** Returns the spellings that are words of the chunks. The others share only their stem with such a word. */
function spelledIn(chunks: readonly Chunk[], spellings: ReadonlySet<string>): ReadonlySet<string> {
  const words = chunks.flatMap(({ content }) => fold(content.toLowerCase()).match(WORDS) ?? []);
  return new Set(words.filter((word) => spellings.has(word)));
}

/** Returns the best chunks of the searched corpus with one of the terms. */
async function chunksWith(
  tx: Tx,
  corpus: SearchedCorpus,
  tenantId: string,
  terms: readonly string[],
): Promise<Chunk[]> {
  const { lexical } = await corpus.candidates({ terms, vector: undefined, depth: CHUNKS_READ });
  const ids = lexical.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await tx.query<{ terms: string; content: string; language: string | null }>(sql`
    select c.terms, c.content, s.language
    from chunk c join source s on s.tenant_id = c.tenant_id and s.id = c.source_id
    where c.tenant_id = ${tenantId} and c.id = any(${ids}::uuid[])`);
  return rows.map((row) => ({ ...row, terms: new Set(row.terms.split(' ')) }));
}

/** Returns the term that most chunks have; undefined if no chunk has one of them. The `spelled` terms come before the others. */
function commonest(chunks: readonly Chunk[], terms: readonly string[], spelled: readonly string[]): string | undefined {
  const rank = (term: string): number => Number(spelled.includes(term));
  const counts = terms.map((term) => ({ term, count: chunks.filter((chunk) => chunk.terms.has(term)).length }));
  const [best] = counts
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => rank(b.term) - rank(a.term) || b.count - a.count || (a.term < b.term ? -1 : 1));
  return best?.term;
}

/** Returns a word of the chunks that has the term, in lower case. */
function wordWith(term: string, chunks: readonly Chunk[], languages: readonly string[]): string {
  for (const { content, language } of chunks.filter((chunk) => chunk.terms.has(term))) {
    const analyzed = language !== null && languages.includes(language) ? [language, UNDETERMINED] : [UNDETERMINED];
    for (const [word] of content.matchAll(WORDS))
      if (analyzed.some((one) => wordTerms(word, one)[0]!.term === term)) return word.toLowerCase();
  }
  return term;
}
