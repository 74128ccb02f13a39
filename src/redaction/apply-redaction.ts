/** Redacts records of several texts, step by step. Other work runs in between, because a rule may take long. */

import { INSIDE } from '../corpus/sources/paths.ts';
import type { TypedMetadata } from '../corpus/values.ts';
import { collect } from '../util/collect.ts';
import { headerOf } from './column-headers.ts';
import type { ApplyAt, RedactionMatch, Redactor } from './redact.ts';

/**
 * Returns the steps whose rules apply to a stored text before a reader sees it. Text that was stored under other ingest rules also
 * passes the present ingest rules, until the source is read again.
 */
export function readerSteps(redactor: Redactor | null, redactedBy: string): readonly ApplyAt[] {
  return redactor === null || redactor.ingestMark === redactedBy ? ['retrieval'] : ['ingest', 'retrieval'];
}

/**
 * The steps for names, addresses and metadata. They are stored unredacted, so that a listing can be compared with the previous one.
 * Both kinds of rules apply before a reader sees them.
 */
export const FACT_STEPS: readonly ApplyAt[] = ['ingest', 'retrieval'];

/**
 * Returns a name, an address, a value of metadata or a message about them, redacted for readers; undefined if a rule blocks it. It is
 * masked, not hashed, because a caller may have written it.
 *
 * @param key the key of a value of metadata, which may say what the value is.
 */
export function redactFact(
  redactor: Redactor | null,
  text: string,
  signal?: AbortSignal,
  key = '',
): Promise<string | undefined> {
  return redactCell(redactor?.withoutHashes ?? null, { header: key, text }, FACT_STEPS, signal);
}

/** Returns the text as `redactFact` does, but empty if a rule blocks it. */
export async function shownFact(redactor: Redactor | null, text: string, signal?: AbortSignal): Promise<string> {
  return (await redactFact(redactor, text, signal)) ?? '';
}

/**
 * Returns the redacted text; undefined if a rule blocks the whole text.
 *
 * @param header the header of a table whose rows the text continues.
 * @throws the signal's reason if the signal aborts.
 */
export async function redactText(
  redactor: Redactor | null,
  text: string,
  steps: readonly ApplyAt[],
  signal?: AbortSignal,
  header?: string,
): Promise<string | undefined> {
  let left = text;
  for (const step of steps) {
    if (!redactor?.appliesAt(step) || left === '') continue;
    const { text: redacted, blocked } = await redactor.redact(left, step, signal, header);
    if (blocked) return undefined;
    left = redacted;
  }
  return left;
}

/** Returns the redacted value of a cell, which a rule may find by the header of its column; undefined if a rule blocks it. */
export function redactCell(
  redactor: Redactor | null,
  { header, text }: { header: string; text: string },
  steps: readonly ApplyAt[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  return redactText(redactor, text, steps, signal, `| ${header.replaceAll('|', ' ')} |`);
}

/** Returns the path of a source, redacted for readers; undefined if a rule blocks it, or the name of a file around the source. */
export function redactPath(redactor: Redactor | null, path: string, signal?: AbortSignal): Promise<string | undefined> {
  return redactPathAt(redactor?.withoutHashes ?? null, path, FACT_STEPS, signal);
}

/** Returns the path; null if a rule would change it, because a changed path would not name any file. */
export async function wholePath(
  redactor: Redactor | null,
  path: string | null,
  signal?: AbortSignal,
): Promise<string | null> {
  return path !== null && (await redactPath(redactor, path, signal)) === path ? path : null;
}

/** The path of a file inside a file has no text that rules hide where the file around it is shown: its name, and its own path. */
async function redactPathAt(
  redactor: Redactor | null,
  path: string,
  steps: readonly ApplyAt[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const parts = path.split(INSIDE);
  if (parts.length === 1) return redactText(redactor, path, steps, signal);
  const shown: string[] = [];
  for (const part of parts) {
    const folders = part.slice(0, part.lastIndexOf('/') + 1);
    const name = await redactText(redactor, part.slice(folders.length), steps, signal);
    const whole = name === undefined ? undefined : await redactText(redactor, folders + name, steps, signal);
    if (whole === undefined) return undefined;
    shown.push(whole);
  }
  return redactText(redactor, shown.join(INSIDE), steps, signal);
}

/** A value in two forms, redacted for models and for readers. */
export interface View<T> {
  forModel: T;
  forReader: T;
}

/** Returns the views of the values. A value is dropped if `redact` returns undefined for one of the two steps. */
export async function viewsOf<T>(
  values: readonly T[],
  redact: (value: T, step: 'llm_input' | 'output') => Promise<T | undefined>,
): Promise<View<T[]>> {
  const views = await collect(values, async (value) => {
    const forModel = await redact(value, 'llm_input');
    const forReader = await redact(value, 'output');
    return forModel === undefined || forReader === undefined ? undefined : { forModel, forReader };
  });
  return { forModel: views.map(({ forModel }) => forModel), forReader: views.map(({ forReader }) => forReader) };
}

/** Returns the redacted text and a function from old to new offsets in code points; undefined if a rule blocks the text. */
export async function redactWithOffsets(
  redactor: Redactor | null,
  text: string,
  steps: readonly ApplyAt[],
): Promise<{ text: string; offsetOf: (at: number) => number } | undefined> {
  let left = text;
  let offsetOf = (at: number): number => at;
  for (const step of steps) {
    if (!redactor?.appliesAt(step)) continue;
    const { text: redacted, matches, blocked } = await redactor.redact(left, step);
    if (blocked) return undefined;
    left = redacted;
    const before = offsetOf;
    const after = offsetsAfter(matches);
    offsetOf = (at) => after(before(at));
  }
  return { text: left, offsetOf };
}

/** Redacts keys and values, each value as a cell below its key. A record is dropped if a rule blocks its key or its value. */
export async function redactMetadata(
  redactor: Redactor | null,
  metadata: TypedMetadata,
  steps: readonly ApplyAt[],
): Promise<TypedMetadata> {
  if (!steps.some((step) => redactor?.appliesAt(step))) return metadata;
  const shown = await collect(Object.entries(metadata), async ([key, value]) => {
    const shownKey = await redactText(redactor, key, steps);
    const val = await redactCell(redactor, { header: key, text: value.val }, steps);
    if (shownKey === undefined || val === undefined) return undefined;
    // A redacted value is not a number or a date any more.
    return [shownKey, val === value.val ? value : { ...value, val, type: 'string' as const }] as const;
  });
  return Object.fromEntries(shown);
}

interface ChunkTexts {
  name: string;
  path: string | null;
  sourceGroupName: string;
  url: string | null;
  content: string;
  context: string | null;
  headingPath: string[];
  metadata: TypedMetadata;
  chunkMetadata: TypedMetadata;
}

/** What a source is called: a rule treats a path as the name of the source, and masks the name of a group. */
const SOURCE_NAMES = ['name', 'path', 'sourceGroupName'] as const;
type SourceName = (typeof SOURCE_NAMES)[number];

function isSourceName(part: string): boolean {
  return (SOURCE_NAMES as readonly string[]).includes(part);
}

/** Returns the names, path, address and metadata of a source, redacted for readers; undefined if a rule blocks its name or path. */
export function redactFacts<T extends Pick<ChunkTexts, SourceName | 'url' | 'metadata'>>(
  redactor: Redactor | null,
  facts: T,
): Promise<T | undefined> {
  return redactChunk(redactor, facts, FACT_STEPS);
}

/** Returns whether a rule blocks the name or the path of a source. They count as text of each of its chunks, so nothing of it is shown. */
export async function isSourceBlocked(
  redactor: Redactor | null,
  names: Pick<ChunkTexts, 'name' | 'path'>,
): Promise<boolean> {
  return (await redactChunk(redactor, names, FACT_STEPS)) === undefined;
}

/**
 * Redacts all texts of a chunk; returns undefined if a rule blocks its name, path, content, context or headings. Names, path, address
 * and metadata of the source are masked, not hashed, because a caller may have written them.
 */
export async function redactChunk<T extends Partial<ChunkTexts>>(
  redactor: Redactor | null,
  chunk: T,
  steps: readonly ApplyAt[],
): Promise<T | undefined> {
  if (!steps.some((step) => redactor?.appliesAt(step))) return chunk;
  const shown = { ...chunk };
  const masking = redactor?.withoutHashes ?? null;
  for (const part of [...SOURCE_NAMES, 'content', 'context'] as const) {
    const text = chunk[part];
    if (typeof text !== 'string') continue;
    const header = part === 'content' ? headerOf(chunk.context) : undefined;
    const redacted =
      part === 'path'
        ? await redactPathAt(masking, text, steps)
        : await redactText(isSourceName(part) ? masking : redactor, text, steps, undefined, header);
    // A rule that blocks the name of a group hides the name. The files of the group have texts and names of their own.
    if (redacted === undefined && part !== 'sourceGroupName') return undefined;
    shown[part] = redacted ?? '';
  }
  if (typeof chunk.url === 'string') shown.url = (await redactText(masking, chunk.url, steps)) ?? null;
  if (chunk.headingPath) {
    shown.headingPath = await collect(chunk.headingPath, (heading) => redactText(redactor, heading, steps));
    if (shown.headingPath.length < chunk.headingPath.length) return undefined;
  }
  for (const part of ['metadata', 'chunkMetadata'] as const) {
    if (chunk[part]) shown[part] = await redactMetadata(part === 'metadata' ? masking : redactor, chunk[part], steps);
  }
  return shown;
}

/**
 * Returns a function from offsets before the replacement of `matches` to offsets after it, in the units of the matches. An offset
 * inside a match moves to the end of its replacement.
 */
export function offsetsAfter(
  matches: readonly Pick<RedactionMatch, 'start' | 'end' | 'replacement'>[],
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
    // Finds the first match that ends after the offset.
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
