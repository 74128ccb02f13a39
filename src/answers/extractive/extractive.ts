/** The default chat model. It uses no language model: it quotes the best passages of the retrieved chunks word for word. */

import type { ChatEvent, ChatModel, ChatRequest, ContextChunk, Label } from '../../llm/models.ts';
import { unwrapped } from '../../text/sentences.ts';
import { columnNames, shownRow } from './column-names.ts';
import { ANSWER_LOG_ODDS_MIN, extractPassages, type Passage, type QuotedUnit } from './extract.ts';
import { allTerms, topicTerms } from './words.ts';

/**
 * Returns the extractive chat model.
 *
 * @param contextTokens limits the history, as with other models. The passages are not limited by it.
 */
export function openExtractive(contextTokens: number): ChatModel {
  return {
    name: 'extractive',
    contextTokens,
    async *stream(asked: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
      signal.throwIfAborted();
      const request = corrected(asked);
      const chunks = preferOwnWords(request);
      const { passages, logOdds } = extractPassages(request.standalone ?? request.question, chunks);
      if (logOdds < ANSWER_LOG_ODDS_MIN) {
        yield { type: 'finish', reason: 'no_answer' };
        return;
      }
      const fence = fenceFor(passages);
      let isFenced = false;
      for (const [i, passage] of passages.entries()) {
        signal.throwIfAborted();
        const chunk = chunks.find(({ number }) => number === passage.number)!;
        for (const [j, unit] of passage.quoted.entries()) {
          const { number, kind, before } = unit;
          const isFirst = j === 0;
          const closing = isFenced && (isFirst || kind !== 'code') ? `\n${fence}` : '';
          const opening = kind === 'code' && (isFirst || !isFenced) ? `${fence}\n` : '';
          const delta = closing + (isFirst && i > 0 ? '\n\n' : before) + opening;
          if (delta !== '') yield { type: 'text', delta };
          isFenced = kind === 'code';
          yield { type: 'quote', number, ...displayed(unit, chunk) };
        }
      }
      if (isFenced) yield { type: 'text', delta: `\n${fence}` };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

/** Returns the request with the words that the search used instead of misspelled ones: no passage has the words as they are written. */
function corrected(request: ChatRequest): ChatRequest {
  const correct = (text: string): string =>
    text.replace(/[\p{L}\p{M}\p{N}]+/gu, (word) => request.corrections?.get(word) ?? word);
  const { question, standalone } = request;
  return {
    ...request,
    question: correct(question),
    ...(standalone !== undefined && { standalone: correct(standalone) }),
  };
}

/**
 * Returns the chunks with their scores. The form of a follow-up question that stands alone has words of earlier questions. A chunk with
 * none of the question's own words counts half: "And wget?" does not ask about curl any more.
 */
function preferOwnWords({ question, standalone, chunks }: ChatRequest): readonly ContextChunk[] {
  if (standalone === undefined || standalone === question) return chunks;
  return chunks.map((chunk) => {
    const own = new Set(topicTerms(question, chunk.language));
    const text = [chunk.name, ...chunk.headingPath, chunk.content].join('\n');
    const share = own.size === 0 ? 1 : own.intersection(new Set(allTerms(text, chunk.language))).size / own.size;
    return { ...chunk, score: (chunk.score * (1 + share)) / 2 };
  });
}

/** Returns a fence that is longer than any run of backticks in the quoted code. */
function fenceFor(passages: readonly Passage[]): string {
  let longest = 2;
  for (const { quoted } of passages)
    for (const { text } of quoted) for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(longest + 1);
}

/** Returns a unit as readers see it: without line wraps and marks of headings, and the cells of a row with the names of their columns. */
function displayed(
  { text, kind, start }: QuotedUnit,
  chunk: ContextChunk,
): { text: string; labels?: readonly Label[] } {
  if (kind === 'record' || kind === 'code') return { text };
  if (kind === 'heading') return { text: text.replace(/^#{1,6}\s+/, '') };
  if (kind === 'row') return shownRow(chunk.content, { start, end: start + text.length }, columnNames(chunk, start));
  // Items below an item keep their lines.
  const lines = text.split(/\n(?=[^\S\n]*(?:[-*+•]|\d{1,3}[.)])\s)/);
  return { text: lines.map(unwrapped).join('\n') };
}
