/** Redaction of what is made of several texts, step after step. */
import type { TypedMetadata } from '../ingest/parsed.ts';
import type { ApplyAt, RedactionMatch, Redactor } from './redact.ts';

/** What was stored under other ingest rules than those in force is shown as those would have left it, until it is read anew. */
export function shownAt(redactor: Redactor | null, redactedBy: string): readonly ApplyAt[] {
  return redactor === null || redactor.ingestMark === redactedBy ? ['retrieval'] : ['ingest', 'retrieval'];
}

/**
 * Names, addresses and what an origin says are stored as they are, so that an origin is compared with what it said; they are always
 * shown as both kinds of rules leave them.
 */
export const FACTS_SHOWN: readonly ApplyAt[] = ['ingest', 'retrieval'];

/** Undefined: a rule withholds the text as a whole. */
export function redactText(redactor: Redactor | null, text: string, steps: readonly ApplyAt[]): string | undefined {
  let left = text;
  for (const step of steps) {
    if (!redactor?.appliesAt(step) || left === '') continue;
    const { text: redacted, blocked } = redactor.redact(left, step);
    if (blocked) return undefined;
    left = redacted;
  }
  return left;
}

/** The same, with where places of the text (code points) are afterwards. */
export function redactWithPlaces(
  redactor: Redactor | null,
  text: string,
  steps: readonly ApplyAt[],
): { text: string; placeOf: (at: number) => number } | undefined {
  let left = text;
  let placeOf = (at: number): number => at;
  for (const step of steps) {
    if (!redactor?.appliesAt(step)) continue;
    const { text: redacted, matches, blocked } = redactor.redact(left, step);
    if (blocked) return undefined;
    left = redacted;
    const before = placeOf;
    const after = placesAfter(matches);
    placeOf = (at) => after(before(at));
  }
  return { text: left, placeOf };
}

/** Values and keys; a record of which either is withheld is left out. */
export function redactMetadata(
  redactor: Redactor | null,
  metadata: TypedMetadata,
  steps: readonly ApplyAt[],
): TypedMetadata {
  if (!steps.some((step) => redactor?.appliesAt(step))) return metadata;
  return Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) => {
      const shownKey = redactText(redactor, key, steps);
      const val = redactText(redactor, value.val, steps);
      if (shownKey === undefined || val === undefined) return [];
      // What is masked is no number and no date any more.
      return [[shownKey, val === value.val ? value : { ...value, val, type: 'string' as const }]];
    }),
  );
}

interface ShownText {
  name: string;
  url: string | null;
  content: string;
  context: string | null;
  headingPath: string[];
  metadata: TypedMetadata;
  chunkMetadata: TypedMetadata;
}

/** A chunk with all its texts; undefined when one that belongs to reading it is withheld. */
export function redactChunk<T extends Partial<ShownText>>(
  redactor: Redactor | null,
  chunk: T,
  steps: readonly ApplyAt[],
): T | undefined {
  if (!steps.some((step) => redactor?.appliesAt(step))) return chunk;
  const shown = { ...chunk };
  for (const part of ['name', 'content', 'context'] as const) {
    const text = chunk[part];
    if (typeof text !== 'string') continue;
    const redacted = redactText(redactor, text, steps);
    if (redacted === undefined) return undefined;
    shown[part] = redacted;
  }
  if (typeof chunk.url === 'string') shown.url = redactText(redactor, chunk.url, steps) ?? null;
  if (chunk.headingPath) {
    const headings = chunk.headingPath.map((heading) => redactText(redactor, heading, steps));
    if (headings.includes(undefined)) return undefined;
    shown.headingPath = headings as string[];
  }
  for (const part of ['metadata', 'chunkMetadata'] as const) {
    if (chunk[part]) shown[part] = redactMetadata(redactor, chunk[part], steps);
  }
  return shown;
}

/** Where a place of the text is after its matches were replaced: inside one, at its replacement's end. In the units of the matches. */
export function placesAfter(
  matches: readonly RedactionMatch[],
  lengthOf: (replacement: string) => number = (replacement) => [...replacement].length,
): (at: number) => number {
  const moved: { start: number; end: number; newEnd: number }[] = [];
  let shift = 0;
  for (const { start, end, replacement } of matches) {
    shift += lengthOf(replacement) - (end - start);
    moved.push({ start, end, newEnd: end + shift });
  }
  return (at) => {
    let low = 0;
    let high = moved.length;
    // The first match that ends behind the place.
    while (low < high) {
      const middle = (low + high) >> 1;
      if (moved[middle]!.end <= at) low = middle + 1;
      else high = middle;
    }
    const before = moved[low - 1];
    const plain = before ? at - before.end + before.newEnd : at;
    const around = moved[low];
    return around && around.start < at ? around.newEnd : plain;
  };
}
