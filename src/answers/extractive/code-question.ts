/** Recognizes passages of code that certainly answer: the definition that a question asks for, and the place that writes a message. */
import { lastName, looksForCode, onlyAskedName } from '../../text/analysis/names.ts';
import { definesNothing, namingHeading } from '../../text/chunk-terms.ts';
import { definedNames } from '../../text/defines-line.ts';
import type { Candidate } from './passage-score.ts';
import { topicTerms } from './words.ts';

/** Parts of a message that a program fills in: what stands in quotes or brackets, and numbers. */
const FILLED_IN = /(?<!\p{L})'[^']*'|"[^"]*"|`[^`]*`|<[^<>]*>|(?<![\p{L}\p{N}_])[\p{N}.,]+(?![\p{L}\p{N}_])/gu;
/** A message begins with its kind, and ends with the message of its cause. */
const PARTS = /\n|[:;](?=\s)/;
const WORDS_MIN = 3;
/** Words that carry a topic: "does not exist" stands in many messages. */
const TOPIC_WORDS_MIN = 2;

/** A line of code that is only a comment: it may talk of a message. `# error` is a directive of C. */
const COMMENT_LINE = /^[ \t]*(?:\/\/|\/\*|\*|--|#(?![ \t]*(?:error|warning)\b))[ \t].*$/gm;

/** Added to the score of such a passage: more than words alone give another one. */
const SURE_SCORE = 6;

/** Raises the scores of passages that certainly answer. Returns whether there are any. @param candidates in the order of their chunks. */
export function raiseSure(question: string, candidates: readonly Candidate[]): boolean {
  // A plain word may also be the name of any function: then the question may well have no answer.
  const name = looksForCode(question) ? onlyAskedName(question) : undefined;
  const definition = name === undefined ? undefined : definitionOf(name, candidates);
  const parts = /[?？]\s*$/.test(question) ? [] : fixedParts(question, (text) => topicTerms(text, 'en'));
  const certain = candidates.filter(({ kind, chunk, text }) => {
    if (kind !== 'code') return false;
    if (chunk === definition) return text.includes(name!);
    const plain = text.replace(COMMENT_LINE, '').replace(/\s+/g, ' ');
    return parts.some((part) => plain.includes(part));
  });
  // A test expects a message that the code writes.
  const written = certain.filter(({ chunk }) => !definesNothing(chunk.name, null));
  const sure = written.length > 0 ? written : certain;
  for (const one of sure) one.score += SURE_SCORE;
  return sure.length > 0;
}

/** Returns the best chunk of code with this name as its heading, or else one that lists it among its definitions. */
function definitionOf(name: string, candidates: readonly Candidate[]): Candidate['chunk'] | undefined {
  const isNamed = (names: readonly string[]): boolean => names.some((one) => lastName(one) === name);
  const code = [...new Set(candidates.map(({ chunk }) => chunk))].filter(({ isCode }) => isCode);
  return (
    code.find(({ headingPath }) => isNamed(namingHeading(headingPath, true))) ??
    code.find(({ context }) => isNamed(definedNames(context)))
  );
}

/**
 * Returns the parts of a message that the program has as they are: those between the parts that it fills in, with at least three words.
 *
 * @param topicsOf returns the terms of the words that carry a topic.
 */
export function fixedParts(message: string, topicsOf: (text: string) => readonly string[]): string[] {
  const parts = message
    .split(FILLED_IN)
    .flatMap((between) => [between, ...between.split(PARTS)])
    .map((part) => part.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').replace(/\s+/g, ' '));
  return [...new Set(parts)].filter(
    (part) => part.split(' ').length >= WORDS_MIN && topicsOf(part).length >= TOPIC_WORDS_MIN,
  );
}
