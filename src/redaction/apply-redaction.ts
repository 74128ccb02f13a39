/** Redaction of what is made of several texts, step after step. Others run in between: a rule may take its time. */

import type { TypedMetadata } from '../corpus/values.ts';
import { collect } from '../util/collect.ts';
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

/** Undefined: a rule withholds the text as a whole. @throws the signal's reason when it aborts. */
export async function redactText(
  redactor: Redactor | null,
  text: string,
  steps: readonly ApplyAt[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  let left = text;
  for (const step of steps) {
    if (!redactor?.appliesAt(step) || left === '') continue;
    const { text: redacted, blocked } = await redactor.redact(left, step, signal);
    if (blocked) return undefined;
    left = redacted;
  }
  return left;
}

/** The same, with where places of the text (code points) are afterwards. */
export async function redactWithPlaces(
  redactor: Redactor | null,
  text: string,
  steps: readonly ApplyAt[],
): Promise<{ text: string; placeOf: (at: number) => number } | undefined> {
  let left = text;
  let placeOf = (at: number): number => at;
  for (const step of steps) {
    if (!redactor?.appliesAt(step)) continue;
    const { text: redacted, matches, blocked } = await redactor.redact(left, step);
    if (blocked) return undefined;
    left = redacted;
    const before = placeOf;
    const after = placesAfter(matches);
    placeOf = (at) => after(before(at));
  }
  return { text: left, placeOf };
}

/** Values and keys; a record of which either is withheld is left out. */
export async function redactMetadata(
  redactor: Redactor | null,
  metadata: TypedMetadata,
  steps: readonly ApplyAt[],
): Promise<TypedMetadata> {
  if (!steps.some((step) => redactor?.appliesAt(step))) return metadata;
  const shown = await collect(Object.entries(metadata), async ([key, value]) => {
    const shownKey = await redactText(redactor, key, steps);
    const val = await redactText(redactor, value.val, steps);
    if (shownKey === undefined || val === undefined) return undefined;
    // What is masked is no number and no date any more.
    return [shownKey, val === value.val ? value : { ...value, val, type: 'string' as const }] as const;
  });
  return Object.fromEntries(shown);
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
export async function redactChunk<T extends Partial<ShownText>>(
  redactor: Redactor | null,
  chunk: T,
  steps: readonly ApplyAt[],
): Promise<T | undefined> {
  if (!steps.some((step) => redactor?.appliesAt(step))) return chunk;
  const shown = { ...chunk };
  for (const part of ['name', 'content', 'context'] as const) {
    const text = chunk[part];
    if (typeof text !== 'string') continue;
    const redacted = await redactText(redactor, text, steps);
    if (redacted === undefined) return undefined;
    shown[part] = redacted;
  }
  if (typeof chunk.url === 'string') shown.url = (await redactText(redactor, chunk.url, steps)) ?? null;
  if (chunk.headingPath) {
    shown.headingPath = await collect(chunk.headingPath, (heading) => redactText(redactor, heading, steps));
    if (shown.headingPath.length < chunk.headingPath.length) return undefined;
  }
  for (const part of ['metadata', 'chunkMetadata'] as const) {
    if (chunk[part]) shown[part] = await redactMetadata(redactor, chunk[part], steps);
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
