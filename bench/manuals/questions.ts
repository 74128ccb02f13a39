/** Reads the questions of the bench: one JSON object a line in questions-*.jsonl. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const KINDS = [
  'default',
  'option',
  'command',
  'howto',
  'max',
  'difference',
  'value',
  'what',
  'unanswerable',
] as const;
export type Kind = (typeof KINDS)[number];
export type Split = 'tune' | 'report';

export interface Question {
  id: string;
  split: Split;
  kind: Kind;
  corpus: string;
  question: string;
  passages: readonly Passage[];
  /** All patterns must match the text of a right answer. Empty when the corpora do not hold the answer. */
  answer: readonly RegExp[];
  /** One match makes the answer wrong. */
  not: readonly RegExp[];
}

/** Place of the answer. */
export interface Passage {
  path?: RegExp;
  text: RegExp;
}

interface Line {
  id: string;
  split: Split;
  kind: Kind;
  corpus: string;
  question: string;
  passages: { path?: string; text: string }[];
  answer: string[];
  not?: string[];
}

/** Returns the questions of all files in `folder`. @throws Error that names the file and line of an invalid question. */
export function readQuestions(folder: string): Question[] {
  const questions = globSync('questions-*.jsonl', { cwd: folder })
    .sort()
    .flatMap((name) => parseQuestions(name, readFileSync(path.join(folder, name), 'utf8')));
  const ids = new Set<string>();
  for (const { id } of questions) {
    if (ids.has(id)) throw new Error(`Two questions have the id ${id}.`);
    ids.add(id);
  }
  return questions;
}

export function parseQuestions(name: string, text: string): Question[] {
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    try {
      return [parseQuestion(line)];
    } catch (error) {
      throw new Error(`${name}, line ${i + 1}: ${(error as Error).message}`);
    }
  });
}

function parseQuestion(line: string): Question {
  const { id, split, kind, corpus, question, passages, answer, not } = JSON.parse(line) as Line;
  if (!id || !corpus || !question) throw new Error('id, corpus and question must be there');
  if (split !== 'tune' && split !== 'report') throw new Error(`${id}: split must be tune or report`);
  if (!KINDS.includes(kind)) throw new Error(`${id}: kind must be one of ${KINDS.join(', ')}`);
  if ((kind === 'unanswerable') !== (answer.length === 0 && passages.length === 0))
    throw new Error(`${id}: unanswerable questions, and no others, have neither passages nor answers`);
  return {
    id,
    split,
    kind,
    corpus,
    question,
    passages: passages.map((passage) => ({
      text: pattern(passage.text),
      ...(passage.path !== undefined && { path: pattern(passage.path) }),
    })),
    answer: answer.map(pattern),
    not: (not ?? []).map(pattern),
  };
}

function pattern(source: string): RegExp {
  return new RegExp(source, 'isu');
}
