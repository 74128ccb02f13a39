/** Asks the service the questions and summarizes the outcomes. */
import { fold, type Hit, isRightPassage, judgeAnswer, rankOfRight, type Verdict } from './judge.ts';
import type { Question } from './questions.ts';
import type { BenchService } from './service.ts';
import { type Cell, formatTable, percent } from './table.ts';

export interface Outcome {
  question: Question;
  hits: readonly Hit[];
  /** Rank of the first right passage, from 1. */
  rank: number | undefined;
  answer: string | null;
  /** True when the answer cites a right passage. Other answers may be right by chance. */
  citesRight: boolean;
  verdict: Verdict;
}

const SHOWN_HITS = 3;
const SHOWN_HIT_LENGTH = 140;
const SHOWN_ANSWER_LENGTH = 600;

export async function askAll(service: BenchService, questions: readonly Question[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    const hits = await service.search(question.question);
    const answer = await service.ask(question.question);
    outcomes.push({
      question,
      hits,
      rank: rankOfRight(question, hits),
      answer: answer.text,
      citesRight: answer.cited.some((hit) => isRightPassage(question, hit)),
      verdict: judgeAnswer(question, answer.text),
    });
  }
  return outcomes;
}

/** Returns a line for all questions, and a line for each corpus and kind. */
export function summaryTable(outcomes: readonly Outcome[]): string {
  const answerable = outcomes.filter(({ question }) => question.kind !== 'unanswerable');
  const groups = (key: (one: Outcome) => string): [string, Outcome[]][] => [...Map.groupBy(answerable, key)];
  const lines: [string, readonly Outcome[]][] = [
    ['all', answerable],
    ...groups(({ question }) => question.corpus),
    ...groups(({ question }) => `kind ${question.kind}`).sort(([a], [b]) => a.localeCompare(b)),
  ];
  return formatTable(lines.map(([name, group]) => summaryLine(name, group)));
}

function summaryLine(name: string, outcomes: readonly Outcome[]): Record<string, Cell> {
  const within = (limit: number) => outcomes.filter(({ rank }) => rank !== undefined && rank <= limit).length;
  const verdicts = (verdict: Verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length;
  const share = (count: number) => percent(count, outcomes.length);
  return {
    questions: name,
    n: outcomes.length,
    'first 1': share(within(1)),
    'first 3': share(within(3)),
    'first 10': share(within(10)),
    right: share(verdicts('right')),
    partly: share(verdicts('partly')),
    wrong: share(verdicts('wrong')),
    refused: share(verdicts('refused')),
    // Long answers hold the right value more easily.
    length: medianLength(outcomes),
  };
}

/** Returns the median length in characters of the answers. */
function medianLength(outcomes: readonly Outcome[]): Cell {
  const lengths = outcomes.flatMap(({ answer }) => (answer === null ? [] : [[...answer].length])).sort((a, b) => a - b);
  return lengths[Math.floor(lengths.length / 2)] ?? '–';
}

/** Returns "12 of 20 unanswerable questions were refused (60 %)". */
export function refusalLine(outcomes: readonly Outcome[]): string {
  const asked = outcomes.filter(({ question }) => question.kind === 'unanswerable');
  const refused = asked.filter(({ verdict }) => verdict === 'refused').length;
  return `${refused} of ${asked.length} unanswerable questions were refused (${percent(refused, asked.length)})`;
}

/** Returns "3 of 33 right answers cite no right passage". */
export function chanceLine(outcomes: readonly Outcome[]): string {
  const right = outcomes.filter(({ verdict }) => verdict === 'right');
  const elsewhere = right.filter(({ citesRight }) => !citesRight);
  return `${elsewhere.length} of ${right.length} right answers cite no right passage`;
}

/** Returns question, verdict, answer and the best hits as text; right passages have a star. */
export function describeOutcome({ question, hits, rank, answer, verdict, citesRight }: Outcome): string {
  const head = `${question.id} [${question.corpus}, ${question.kind}] ${question.question}`;
  const expected = question.answer.map((pattern) => `/${pattern.source}/`).join(' and ');
  const place = question.kind === 'unanswerable' ? 'not in the corpora' : `right passage: ${rank ?? 'not found'}`;
  const shown = hits.slice(0, Math.max(SHOWN_HITS, rank ?? 0)).map((hit, i) => {
    const text = cut(`${hit.headingPath.join(' > ')} | ${fold(hit.content)}`, SHOWN_HIT_LENGTH);
    return `    ${isRightPassage(question, hit) ? '*' : ' '}${i + 1} ${hit.corpus}:${hit.path} | ${text}`;
  });
  const cited = verdict === 'right' && !citesRight ? ', cites no right passage' : '';
  const said = answer === null ? '(refused)' : cut(fold(answer), SHOWN_ANSWER_LENGTH);
  return [
    head,
    `  ${place}; ${verdict.toUpperCase()}${cited} (wanted ${expected || 'a refusal'})`,
    `  answer: ${said}`,
    ...shown,
  ].join('\n');
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
