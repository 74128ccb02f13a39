/**
 * Makes citations from an answer and its citation markers. A citation says which sentences of the answer rest on which part of which
 * chunk, and whether that was verified.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { SentencePair, Verdict } from '../../llm/models.ts';
import { splitUnits, type Unit } from '../../text/sentences.ts';
import { type Offsets, openOffsets } from '../../util/code-points.ts';
import { type Claim, claimOf, termsOf } from './claims.ts';
import type { Marker } from './markers.ts';
import { type Evidence, evidenceOf, findSupport, type Support } from './verify.ts';

/** Maximum pairs of sentence and chunk that are checked. Real answers have far fewer. Further markers are ignored. */
const CLAIMS_MAX = 256;
/** Maximum sentences for which a common quote is searched. */
const JOINT_CLAIMS_MAX = 8;
const CONTRADICTED = 'The passage says otherwise, as the entailment model reads it.';

/** Asks a model about pairs. Null for a pair that the model did not judge. */
export type Judge = (pairs: readonly SentencePair[]) => Promise<(Verdict | null)[]>;

/** Half-open range of code points of the answer text. */
export interface Span {
  start: number;
  end: number;
}

/** The members of a chunk that citations need. `number` is the chunk's label in the request to the model. */
export interface CitableChunk {
  number: number;
  content: string;
  language: string | null;
  isCode?: boolean;
}

export interface Citation<Chunk> {
  chunk: Chunk;
  /** 1, 2, 3 … in the order of the answer. */
  number: number;
  spans: Span[];
  quote: string;
  verified: boolean;
  /** What decided about a sentence of the citation last. `query`: it was compared with the result of a query of tables. */
  verifiedBy: 'rules' | 'model' | 'query';
  /** Why the citation is not verified, in plain words. Null when it is verified. */
  reason: string | null;
  /** True when the cited text was copied from the chunk word for word, not written by a model. */
  quoted: boolean;
}

export interface Cited<Chunk> {
  citations: Citation<Chunk>[];
  /** Sentences that no verified citation supports. */
  unsupported: Span[];
}

/** A citation to which sentences are still added, with what they claim. */
type OpenCitation<Chunk> = Citation<Chunk> & { claims: Claim[] };

/** A cited sentence, and what was found out about it. */
interface CitedSentence<Chunk> {
  chunk: Chunk;
  evidence: Evidence;
  claim: Claim;
  span: Span;
  quoted: boolean;
  support: Support;
  verifiedBy: 'rules' | 'model';
}

/**
 * Returns the citations of an answer. Sentences that one quote of a chunk supports together share a citation. A sentence gets its own
 * citation when it needs another quote of the same chunk, or when no quote supports it.
 *
 * Other work goes on between two sentences.
 *
 * @param judge decides about sentences whose words differ from the quote. Null: rules decide.
 */
export async function citeAnswer<Chunk extends CitableChunk>(
  answer: string,
  markers: readonly Marker[],
  chunks: readonly Chunk[],
  judge: Judge | null = null,
): Promise<Cited<Chunk>> {
  const offsets = openOffsets(answer);
  const sentences = sentencesOf(answer, offsets);
  const evidenceByChunk = new Map<number, Evidence>();
  const cited: CitedSentence<Chunk>[] = [];
  for (const { number, span, quoted, itemNumber, text } of spansOf(answer, offsets, sentences, markers)) {
    const chunk = chunks.find((one) => one.number === number);
    if (chunk === undefined) continue;
    await turn();
    const evidence = evidenceByChunk.get(number) ?? evidenceOf(chunk.content, chunk.language, chunk.isCode);
    evidenceByChunk.set(number, evidence);
    const claim = claimOf(isFact(itemNumber, evidence) ? itemNumber + text : text, chunk.language);
    const support = findSupport([claim], evidence);
    cited.push({ chunk, evidence, claim, span, quoted, support, verifiedBy: 'rules' });
  }
  const citations: OpenCitation<Chunk>[] = [];
  for (const sentence of judge === null ? cited : await judged(cited, judge)) {
    await turn();
    cite(citations, sentence);
  }
  return {
    citations: citations.map(({ claims: _, ...citation }, i) => ({ ...citation, number: i + 1 })),
    unsupported: unsupportedSpans(answer, sentences, citations),
  };
}

/** Returns the sentences with the verdicts of a model. Rules have decided about copied sentences, and about other numbers and names. */
async function judged<Chunk>(cited: readonly CitedSentence<Chunk>[], judge: Judge): Promise<CitedSentence<Chunk>[]> {
  const open = cited.filter(
    ({ claim, evidence, support }) =>
      !support.isRefuted && support.quote !== '' && !evidence.content.includes(claim.sentence),
  );
  if (open.length === 0) return [...cited];
  const pairs = open.map(({ claim, support }) => ({ premise: support.quote, hypothesis: claim.sentence }));
  const verdicts = await judge(pairs);
  return cited.map((sentence) => {
    const verdict = verdicts[open.indexOf(sentence)] ?? null;
    if (verdict === null || verdict === 'neutral') return sentence;
    const verified = verdict === 'entailment';
    const support = { ...sentence.support, verified, reason: verified ? null : CONTRADICTED };
    return { ...sentence, support, verifiedBy: 'model' };
  });
}

/** Adds a cited sentence to the latest citation of the chunk if one quote supports both, or to a new citation. */
function cite<Chunk extends CitableChunk>(
  citations: OpenCitation<Chunk>[],
  { chunk, evidence, claim, span, quoted, support, verifiedBy }: CitedSentence<Chunk>,
): void {
  const { quote, verified, reason } = support;
  const earlier = citations.filter((one) => one.chunk === chunk && one.verified && one.verifiedBy === verifiedBy);
  const same = verified ? earlier.find((one) => one.quote.includes(quote)) : undefined;
  const last = same ?? earlier.at(-1);
  if (verified && last !== undefined && (same !== undefined || widen(last, claim, evidence))) {
    last.spans.push(span);
    last.quoted &&= quoted;
    last.claims.push(claim);
    return;
  }
  citations.push({ chunk, number: 0, spans: [span], claims: [claim], quoted, quote, verified, verifiedBy, reason });
}

/** Widens the quote of a citation if one quote supports the claim too. Returns false if none does. */
function widen<Chunk>(citation: OpenCitation<Chunk>, claim: Claim, evidence: Evidence): boolean {
  // A model has judged the quote as it is.
  if (citation.verifiedBy === 'model' || citation.claims.length >= JOINT_CLAIMS_MAX) return false;
  const joint = findSupport([...citation.claims, claim], evidence);
  if (joint.verified) citation.quote = joint.quote;
  return joint.verified;
}

/** A sentence of the answer. `from` and `to` are code points, `start` and `end` are UTF-16 offsets. */
type Sentence = Unit & { from: number; to: number };

/** Returns what the markers cite: the number of a chunk or page, and the part of the answer that rests on it. */
export function citedSpans(answer: string, markers: readonly Marker[]): CitedSpan[] {
  const offsets = openOffsets(answer);
  return spansOf(answer, offsets, sentencesOf(answer, offsets), markers);
}

function sentencesOf(answer: string, offsets: Offsets): Sentence[] {
  return splitUnits(answer).map((unit) => ({
    ...unit,
    from: offsets.pointsAt(unit.start),
    to: offsets.pointsAt(unit.end),
  }));
}

interface CitedSpan {
  number: number;
  span: Span;
  /** The number of an item of a list: `1. `. Empty elsewhere. */
  itemNumber: string;
  /** The text of the span, without the number. */
  text: string;
  quoted: boolean;
}

/** Returns the pairs of chunk number and cited span, each once, in the order of the answer. */
function spansOf(
  answer: string,
  offsets: Offsets,
  sentences: readonly Sentence[],
  markers: readonly Marker[],
): CitedSpan[] {
  const seen = new Set<string>();
  const listed = numberedItems(answer, sentences);
  const spans: CitedSpan[] = [];
  for (const marker of markers) {
    const quoted = marker.start !== undefined;
    const cited = quoted
      ? { from: marker.start!, to: marker.at, start: offsets.unitsAt(marker.start!), end: offsets.unitsAt(marker.at) }
      : citedSentence(answer, offsets, sentences, marker.at);
    if (cited === undefined) continue;
    const span = { start: cited.from, end: cited.to };
    for (const number of marker.numbers) {
      const key = `${number} ${span.start}`;
      if (seen.has(key)) continue;
      if (spans.length >= CLAIMS_MAX) return spans;
      seen.add(key);
      const written = answer.slice(cited.start, cited.end);
      const [itemNumber] = (!quoted && listed.has(span.start) && ITEM_NUMBER.exec(written)) || [''];
      spans.push({ number, span, itemNumber, text: withoutLabels(written.slice(itemNumber.length), marker), quoted });
    }
  }
  return spans;
}

/** Returns a cited text without the labels between the words of the chunk: they are not what the chunk must support. */
function withoutLabels(text: string, { labels = [] }: Marker): string {
  const starts = [0, ...labels.map(({ end }) => end)];
  return starts.map((start, i) => text.slice(start, labels[i]?.start)).join('');
}

const ITEM_NUMBER = /^\(?(\d{1,3})[.)]\s+/;

/** Returns where the items of numbered lists begin. A number without a neighbour in a list may be a date: "3. Oktober". */
function numberedItems(answer: string, sentences: readonly Sentence[]): Set<number> {
  const items = sentences
    .map(({ start, end, from }) => ({ from, number: Number(ITEM_NUMBER.exec(answer.slice(start, end))?.[1]) }))
    .filter(({ number }) => !Number.isNaN(number));
  const isNext = (i: number): boolean => items[i]?.number === (items[i - 1]?.number ?? Number.NaN) + 1;
  return new Set(items.filter((_, i) => isNext(i) || isNext(i + 1)).map(({ from }) => from));
}

/** Returns whether the passage has the number of an item as an ordinal or in a key. */
function isFact(itemNumber: string, { parts }: Evidence): boolean {
  const number = /\d+/.exec(itemNumber)?.[0] ?? '';
  return parts.some(
    // The first number of a part may be the number of an item, too.
    ({ entry, numbers }) =>
      entry?.key.has(number) || numbers.some(({ at, readings }) => at > 1 && readings.includes(`${number}th`)),
  );
}

/**
 * Returns the sentence that a marker at code point `at` cites: the sentence in or after which it stands. A marker at the start of a line
 * cites the sentence after it.
 */
function citedSentence(answer: string, offsets: Offsets, sentences: readonly Sentence[], at: number) {
  let current = -1;
  sentences.forEach((sentence, i) => {
    if (sentence.from < at) current = i;
  });
  const next = sentences[current + 1];
  if (next !== undefined) {
    const unit = offsets.unitsAt(at);
    const lineBefore = answer.slice(answer.lastIndexOf('\n', unit - 1) + 1, unit);
    const lineAfter = answer.slice(unit).split('\n', 1)[0]!;
    if (lineBefore.trim() === '' && lineAfter.trim() !== '') current++;
  }
  return sentences[current];
}

function unsupportedSpans(
  answer: string,
  sentences: readonly Sentence[],
  citations: readonly Citation<unknown>[],
): Span[] {
  const supported = citations.filter((citation) => citation.verified).flatMap((citation) => citation.spans);
  const stating = sentences.filter(
    ({ kind, start, end }) => kind !== 'heading' && termsOf(answer.slice(start, end), null).size > 0,
  );
  return withoutSpans(
    stating.map(({ from, to }) => ({ start: from, end: to })),
    supported,
  );
}

/** Returns the sentences that have no part in common with the spans. */
export function withoutSpans(sentences: readonly Span[], spans: readonly Span[]): Span[] {
  return sentences.filter(({ start, end }) => !spans.some((span) => span.start < end && start < span.end));
}
