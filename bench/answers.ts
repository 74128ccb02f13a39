/**
 * Measures extractive answers on question sets with known answers: whether the answer is in the text and in the first cited chunk, how
 * often a question is refused when the answering text is present or removed, and whether verbatim passages are verified and altered
 * numbers are not.
 *
 *     node bench/answers.ts [set …]
 *
 * The chunks are the texts of the set, found by a BM25 inside the bench, so only the answering is measured.
 */
import { existsSync, readFileSync } from 'node:fs';
import { ANSWER_LOG_ODDS_MIN, extractPassages } from '../src/answers/extractive/extract.ts';
import { allTerms, topicTerms } from '../src/answers/extractive/words.ts';
import { citeAnswer } from '../src/answers/grounding/citations.ts';
import type { ContextChunk } from '../src/llm/models.ts';

const DATA = new URL('../../shared/data/retrieval/', import.meta.url);
const LANGUAGES: Record<string, string> = {
  'xquad-en': 'en',
  'xquad-de': 'de',
  'xquad-zh': 'zh',
  'xquad-th': 'th',
  'jsquad-valid': 'ja',
  'korquad1-dev': 'ko',
};
const QUESTIONS_MAX = 600;
const CHUNKS = 10;
/** Thresholds of the refusal curve. */
const CURVE = [-2, -1.5, -1, -0.75, ANSWER_LOG_ODDS_MIN, -0.25, 0, 0.5];

interface Text {
  _id: string;
  text: string;
  metadata?: { answers?: { text: string }[] };
}

function read(set: string, file: string): Text[] {
  const lines = readFileSync(new URL(`${set}/${file}`, DATA), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Text);
}

type Search = (query: string, without?: ReadonlySet<string>) => { text: Text; score: number }[];

function openSearch(texts: readonly Text[], language: string): Search {
  const postings = new Map<string, [number, number][]>();
  const lengths: number[] = [];
  for (const [i, { text }] of texts.entries()) {
    const counts = new Map<string, number>();
    const terms = allTerms(text, language);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) {
      const found = postings.get(term);
      if (found) found.push([i, count]);
      else postings.set(term, [[i, count]]);
    }
    lengths.push(terms.length);
  }
  const average = lengths.reduce((total, length) => total + length, 0) / lengths.length;
  return (query, without) => {
    const scores = new Map<number, number>();
    for (const term of topicTerms(query, language)) {
      const found = postings.get(term) ?? [];
      const idf = Math.log(1 + (texts.length - found.length + 0.5) / (found.length + 0.5));
      for (const [i, count] of found) {
        const norm = 1.2 * (0.25 + (0.75 * lengths[i]!) / average);
        scores.set(i, (scores.get(i) ?? 0) + (idf * count * 2.2) / (count + norm));
      }
    }
    const ranked = [...scores]
      .filter(([i]) => !without?.has(texts[i]!._id))
      .sort((a, b) => b[1] - a[1])
      .slice(0, CHUNKS);
    return ranked.map(([i, score]) => ({ text: texts[i]!, score }));
  };
}

async function measure(set: string, language: string) {
  const corpus = read(set, 'corpus.jsonl');
  const search = openSearch(corpus, language);
  const relevant = readRelevant(set);
  const all = read(set, 'queries.jsonl').filter(({ metadata }) => metadata?.answers?.length);
  // The weights were fitted on the even questions.
  const odd = all.filter((_, i) => i % 2 === 1);
  const questions = odd.filter((_, i) => i % Math.ceil(odd.length / QUESTIONS_MAX) === 0);
  const sums = { text: 0, cited: 0, length: 0, ms: 0, quotes: 0, verified: 0, altered: 0, fooled: 0 };
  const refused = CURVE.map(() => ({ right: 0, wrong: 0 }));
  for (const question of questions) {
    const chunks = toChunks(search(question.text), language);
    const start = performance.now();
    const found = extractPassages(question.text, chunks);
    const passages = found.logOdds < ANSWER_LOG_ODDS_MIN ? [] : found.passages;
    sums.ms += performance.now() - start;
    const answers = question.metadata!.answers!.map(({ text }) => normal(text));
    const holds = (text: string) => answers.some((answer) => normal(text).includes(answer));
    const said = passages.map(({ text }) => text).join(' ');
    sums.length += [...said].length;
    if (holds(said)) sums.text++;
    if (holds(chunks.find(({ number }) => number === passages[0]?.number)?.content ?? '')) sums.cited++;
    const without = toChunks(search(question.text, relevant.get(question._id)), language);
    const unanswered = extractPassages(question.text, without);
    for (const [i, least] of CURVE.entries()) {
      if (found.logOdds < least) refused[i]!.wrong++;
      if (unanswered.logOdds < least) refused[i]!.right++;
    }
    for (const { text, number } of passages.flatMap(({ quoted }) => quoted)) {
      sums.quotes++;
      if (await isVerified(text, number, chunks)) sums.verified++;
      const altered = text.replace(/\p{Nd}+/u, (digits) => `9${digits}`);
      if (altered === text) continue;
      sums.altered++;
      if (await isVerified(altered, number, chunks)) sums.fooled++;
    }
  }
  const share = (count: number, of: number) => (of === 0 ? '-' : (count / of).toFixed(3));
  const curve = CURVE.map((logOddsMin, i) => [
    logOddsMin === ANSWER_LOG_ODDS_MIN ? `${logOddsMin} (default)` : String(logOddsMin),
    `${share(refused[i]!.right, questions.length)} / ${share(refused[i]!.wrong, questions.length)}`,
  ]);
  return {
    answers: {
      set,
      questions: questions.length,
      'in the cited chunk': share(sums.cited, questions.length),
      'in the text': share(sums.text, questions.length),
      'mean length': Math.round(sums.length / questions.length),
      'ms per question': (sums.ms / questions.length).toFixed(1),
      'verbatim verified': share(sums.verified, sums.quotes),
      'altered verified': `${sums.fooled} of ${sums.altered}`,
    },
    refusals: { set, ...Object.fromEntries(curve) },
  };
}

function toChunks(found: readonly { text: Text; score: number }[], language: string): ContextChunk[] {
  return found.map(({ text, score }, i) => {
    return { number: i + 1, name: 'text', headingPath: [], context: null, content: text.text, score, language };
  });
}

/** Question -> the texts that answer it. */
function readRelevant(set: string): Map<string, Set<string>> {
  const lines = readFileSync(new URL(`${set}/qrels/test.tsv`, DATA), 'utf8')
    .trim()
    .split('\n')
    .slice(1);
  const pairs = lines.map((line) => line.split('\t'));
  return new Map(
    Map.groupBy(pairs, ([question]) => question!)
      .entries()
      .map(([question, rows]) => [question, new Set(rows.map(([, text]) => text!))]),
  );
}

async function isVerified(text: string, number: number, chunks: readonly ContextChunk[]): Promise<boolean> {
  const end = [...text].length;
  const { citations } = await citeAnswer(text, [{ numbers: [number], at: end, start: 0 }], chunks);
  return citations[0]?.verified === true;
}

function normal(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').toLowerCase();
}

const wanted = process.argv.slice(2);
const sets = Object.entries(LANGUAGES).filter(
  ([set]) => (wanted.length === 0 || wanted.includes(set)) && existsSync(new URL(`${set}/queries.jsonl`, DATA)),
);
const measured = [];
for (const [set, language] of sets) measured.push(await measure(set, language));
console.log('Questions whose answer is in the corpus:');
console.table(measured.map(({ answers }) => answers));
console.log(
  'Nothing said: with the answering text taken out and its neighbours left (right) / with it there (wrong), by the least log odds:',
);
console.table(measured.map(({ refusals }) => refusals));
