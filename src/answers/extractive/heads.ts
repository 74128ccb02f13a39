/** Reads the names of what an entry or a section is about from its head. */
import type { Unit, UnitKind } from '../../text/sentences.ts';

/** Returns a title without the number of its section. */
export function unnumbered(title: string): string {
  return title.replace(SECTION_NUMBER, '');
}

const SECTION_NUMBER = /^[#\s]*\p{N}{1,4}(?:\.\p{N}{1,4}){0,8}\.?\s+(?=\p{L}|[$_-])/u;

/** Returns the head of an entry: the first cell of a row, or the text before a colon or a dash. Undefined for other units. */
export function headOf(text: string, kind: UnitKind): string | undefined {
  if (kind === 'row') return /^[\s|]*([^|\t]+)/.exec(text)?.[1];
  if (kind === 'sentence' || kind === 'item') return /^(?:[-*+•]\s+)?(.{1,80}?)(?:: | [—–-] )/su.exec(text)?.[1];
  return undefined;
}

/** Returns a head, and its parts if it ends with brackets: `maintainer (メンテナー)` has two names. */
export function namesOf(head: string): string[] {
  const [, before, inside] = /^([^(（]+)[(（]([^()（）]+)[)）]\s*$/u.exec(head) ?? [];
  return before === undefined ? [head] : [head, before, inside!];
}

export const EMPTY_LINE = /\n\s*\n/;

export type Place = Pick<Unit, 'start' | 'end'>;

/** Returns false when an empty line, or the first key of a record once more, is between two of its places. */
export function isInOneRecord(content: string, one: Place, other: Place): boolean {
  const [upper, lower] = one.start < other.start ? [one, other] : [other, one];
  const record = content.slice(0, upper.end).split(EMPTY_LINE).at(-1)!;
  const [firstKey] = /^[^\n:：]+[:：]/.exec(record) ?? [];
  const between = content.slice(upper.start, lower.end);
  return !EMPTY_LINE.test(between) && (firstKey === undefined || !between.includes(`\n${firstKey}`));
}

/** A key at the start of a line, with the blanks and the mark of an item before it. */
const KEY = /^[ \t]*(?:- +)?[^\s:：#][^\n:：]{0,59}[:：](?!\S)/gmu;

/** Returns whether a key of `lower` stands above it, from `upper` on, as far from the margin. */
export function repeatsKey(content: string, upper: Place, lower: Place, end = lower.end): boolean {
  const lineStart = (at: number): number => content.lastIndexOf('\n', at - 1) + 1;
  const start = lineStart(lower.start);
  const above = new Set(content.slice(lineStart(upper.start), start).match(KEY));
  return (content.slice(start, end).match(KEY) ?? []).some((key) => above.has(key));
}
