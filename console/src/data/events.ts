/** Reads server-sent events. `getReader` is used because older Safari cannot iterate over a stream. */

import type { CompletionTrace } from '../../../src/client/api.ts';
import type { StreamEvent } from '../../../src/client/events.ts';
import type { Span } from '../spans/spans.ts';

export type AnswerEvent = Omit<StreamEvent, 'value' | 'result'> & {
  code?: string;
  value?: NonNullable<StreamEvent['value']> & Partial<CompletionTrace>;
  result?: NonNullable<StreamEvent['result']> & { unsupported_spans?: Span[] };
};

/** Yields the JSON of each event. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<AnswerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffered = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      buffered += decoder.decode(value, { stream: true });
      const events = buffered.split('\n\n');
      buffered = events.pop() ?? '';
      for (const event of events) {
        const data = dataOf(event);
        if (data !== '') yield JSON.parse(data) as AnswerEvent;
      }
    }
  } finally {
    // The reader of an answer may leave before its end.
    await reader.cancel().catch(() => undefined);
  }
}

function dataOf(event: string): string {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n');
}
