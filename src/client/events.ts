/** Reads the ag-ui events of a streamed completion: `send('createCompletion', …, { headers: { accept: 'text/event-stream' } })`. */
import type { AnswerTableQuery, CitedContent, Warning } from './api.ts';

/** An event of a streamed completion. Its members depend on `type`. */
export interface StreamEvent {
  type: string;
  delta?: string;
  message?: string;
  name?: string;
  /** Of CUSTOM events. `citations`: the citations. `table_query`: the statement from whose result the answer was made, and its result. */
  value?: { citations?: CitedContent[] } & Partial<AnswerTableQuery>;
  /** Of RUN_FINISHED. The ids of the messages are null when the turn was not stored. */
  result?: {
    conversation_id: string | null;
    user_message_id: string | null;
    assistant_message_id: string | null;
    finish_reason: string;
    warnings: Warning[];
  };
}

/** Yields the JSON of each server-sent event. */
export async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let buffered = '';
  for await (const text of body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)) {
    buffered += text;
    const events = buffered.split('\n\n');
    buffered = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n').filter((line) => line.startsWith('data:'));
      const data = lines.map((line) => line.slice(line[5] === ' ' ? 6 : 5)).join('\n');
      if (data !== '') yield JSON.parse(data) as StreamEvent;
    }
  }
}
