/**
 * Extractive answers on question sets with known answers: is the answer in the text, how often is nothing said, how long does it
 * take, and are citations of verbatim passages verified while altered numbers are not?
 *
 *     node bench/answers.ts [set …]
 *
 * Chunks are the set's texts, found by a BM25 of its own, so that nothing but the answering is measured.
 */
import { existsSync, readFileSync } from 'node:fs';
import { citeAnswer } from '../src/features/completions/citations.ts';
import { extractPassages } from '../src/llm/extract.ts';
import type { ContextChunk } from '../src/llm/models.ts';
import { analyzeForIndex, analyzeQuery } from '../src/retrieval/analyzer.ts';

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

interface Text {
  _id: string;
  text: string;
  metadata?: { answers?: { text: string }[] };
}

const analyzer = {
  index: (text: string, language: string | null) => analyzeForIndex(text, language).split(' '),
  query: (text: string, language: string | null) => analyzeQuery(text, language === null ? [] : [language]),
};

function read(set: string, file: string): Text[] {
  const lines = readFileSync(new URL(`${set}/${file}`, DATA), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as Text);
}

type Search = (query: string) => { text: Text; score: number }[];

function openSearch(texts: readonly Text[], language: string): Search {
  const postings = new Map<string, [number, number][]>();
  const lengths: number[] = [];
  for (const [i, { text }] of texts.entries()) {
    const counts = new Map<string, number>();
    const terms = analyzer.index(text, language);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts) postings.set(term, [...(postings.get(term) ?? []), [i, count]]);
    lengths.push(terms.length);
  }
  const average = lengths.reduce((total, length) => total + length, 0) / lengths.length;
  return (query) => {
    const scores = new Map<number, number>();
    for (const term of analyzer.query(query, language)) {
      const found = postings.get(term) ?? [];
      const idf = Math.log(1 + (texts.length - found.length + 0.5) / (found.length + 0.5));
      for (const [i, count] of found) {
        const norm = 1.2 * (0.25 + (0.75 * lengths[i]!) / average);
        scores.set(i, (scores.get(i) ?? 0) + (idf * count * 2.2) / (count + norm));
      }
    }
    const ranked = [...scores].sort((a, b) => b[1] - a[1]).slice(0, CHUNKS);
    return ranked.map(([i, score]) => ({ text: texts[i]!, score }));
  };
}

function measure(set: string, language: string) {
  const search = openSearch(read(set, 'corpus.jsonl'), language);
  const all = read(set, 'queries.jsonl').filter(({ metadata }) => metadata?.answers?.length);
  const questions = all.filter((_, i) => i % Math.max(1, Math.floor(all.length / QUESTIONS_MAX)) === 0);
  const sums = { held: 0, best: 0, none: 0, length: 0, ms: 0, cited: 0, verified: 0, altered: 0, fooled: 0 };
  for (const question of questions) {
    const chunks: ContextChunk[] = search(question.text).map(({ text, score }, i) => {
      return { number: i + 1, name: 'text', headingPath: [], context: null, content: text.text, score, language };
    });
    const start = performance.now();
    const passages = extractPassages(question.text, chunks, analyzer);
    sums.ms += performance.now() - start;
    if (passages.length === 0) sums.none++;
    const answers = question.metadata!.answers!.map(({ text }) => normal(text));
    const said = normal(passages.map(({ text }) => text).join(' '));
    const best = normal(passages.toSorted((a, b) => b.score - a.score)[0]?.text ?? '');
    sums.length += [...said].length;
    if (answers.some((text) => said.includes(text))) sums.held++;
    if (answers.some((text) => best.includes(text))) sums.best++;
    for (const { text, number } of passages) {
      sums.cited++;
      if (isVerified(text, number, chunks)) sums.verified++;
      const altered = text.replace(/\p{Nd}+/u, (digits) => `9${digits}`);
      if (altered === text) continue;
      sums.altered++;
      if (isVerified(altered, number, chunks)) sums.fooled++;
    }
  }
  const share = (count: number, of: number) => (of === 0 ? '-' : (count / of).toFixed(3));
  return {
    set,
    questions: questions.length,
    'answer in text': share(sums.held, questions.length),
    'in best passage': share(sums.best, questions.length),
    'no answer': share(sums.none, questions.length),
    'mean length': Math.round(sums.length / questions.length),
    'ms per question': (sums.ms / questions.length).toFixed(1),
    'verbatim verified': share(sums.verified, sums.cited),
    'altered verified': `${sums.fooled} of ${sums.altered}`,
  };
}

function isVerified(text: string, number: number, chunks: readonly ContextChunk[]): boolean {
  const end = [...text].length;
  return citeAnswer(text, [{ numbers: [number], at: end, start: 0 }], chunks).citations[0]?.verified === true;
}

function normal(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').toLowerCase();
}

const wanted = process.argv.slice(2);
const sets = Object.entries(LANGUAGES).filter(
  ([set]) => (wanted.length === 0 || wanted.includes(set)) && existsSync(new URL(`${set}/queries.jsonl`, DATA)),
);
console.table(sets.map(([set, language]) => measure(set, language)));
