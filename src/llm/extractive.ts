/** The default chat model, which is none: it answers with the best passages of the retrieved chunks, quoted word for word. */
import { ANSWER_LOG_ODDS_MIN, extractPassages, type Passage } from './extract.ts';
import type { ChatEvent, ChatModel, ChatRequest } from './models.ts';
import type { Analyzer } from './question.ts';

/** @param contextTokens as with other models, though nothing here is limited by it. */
export function openExtractive(contextTokens: number, analyzer: Analyzer): ChatModel {
  return {
    name: 'extractive',
    contextTokens,
    async *stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatEvent> {
      signal.throwIfAborted();
      const { passages, logOdds } = extractPassages(request.standalone ?? request.question, request.chunks, analyzer);
      if (logOdds < ANSWER_LOG_ODDS_MIN) {
        yield { type: 'finish', reason: 'no_answer' };
        return;
      }
      for (const [i, passage] of passages.entries()) {
        signal.throwIfAborted();
        const separator = separatorOf(passages[i - 1], passage);
        if (separator !== '') yield { type: 'text', delta: separator };
        yield { type: 'quote', text: displayed(passage), number: passage.number };
      }
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

/** Sentences of one chunk form a paragraph; everything else stands on lines of its own. */
function separatorOf(before: Passage | undefined, passage: Passage): string {
  if (before === undefined) return '';
  const areSentences = before.kind === 'sentence' && passage.kind === 'sentence';
  if (!areSentences || before.number !== passage.number) return '\n';
  if (/[。！？．｡]["'」』）]*$/.test(before.text)) return '';
  return /[.!?…।॥؟۔][\s"'”’»)\]]*$/.test(before.text) ? ' ' : '\n';
}

/** Hard-wrapped lines are joined; a record keeps its lines. */
function displayed(passage: Passage): string {
  if (passage.kind === 'record') return passage.text;
  return passage.text
    .replace(/(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}、。，])\s*\n\s*(?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])/gu, '')
    .replace(/\s*\n\s*/g, ' ');
}
