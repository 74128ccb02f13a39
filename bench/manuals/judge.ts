/** Judges hits and answers by the patterns of a question. Pure. */
import type { Question } from './questions.ts';

export interface Hit {
  /** Content of the chunk. */
  id: string;
  corpus: string;
  path: string;
  headingPath: readonly string[];
  content: string;
}

export type Verdict = 'right' | 'partly' | 'wrong' | 'refused';

export function isRightPassage(question: Question, hit: Hit): boolean {
  if (hit.corpus !== question.corpus) return false;
  const text = `${fold(hit.headingPath.join(' > '))}\n${fold(hit.content)}`;
  return question.passages.some((passage) => (passage.path?.test(hit.path) ?? true) && passage.text.test(text));
}

/** Returns the rank of the first right passage, from 1; undefined when no hit is right. */
export function rankOfRight(question: Question, hits: readonly Hit[]): number | undefined {
  const index = hits.findIndex((hit) => isRightPassage(question, hit));
  return index === -1 ? undefined : index + 1;
}

/** Judges an answer; `answer` is null when the service refused. */
export function judgeAnswer(question: Question, answer: string | null): Verdict {
  if (answer === null) return 'refused';
  if (question.kind === 'unanswerable') return 'wrong';
  const text = fold(answer);
  const matched = question.answer.filter((pattern) => pattern.test(text)).length;
  if (matched === 0 || question.not.some((pattern) => pattern.test(text))) return 'wrong';
  return matched === question.answer.length ? 'right' : 'partly';
}

/** Replaces each sequence of white space by one space. */
export function fold(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
