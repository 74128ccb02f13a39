import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AnswerEvent, readEvents } from './events.ts';

/** Returns a stream that delivers the bytes of a text in parts of a given size. */
function streamOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
}

describe('events of a stream', () => {
  const text = ': hello\n\ndata: {"type":"A","delta":"灯台"}\n\nid: 1\ndata:{"type":\ndata: "B"}\n\ndata: {"type":"C"';
  for (const size of [1, 2, 7, 1000])
    test(`each event arrives once when the parts have ${size} bytes, and a cut event does not`, async () => {
      const events: AnswerEvent[] = [];
      for await (const event of readEvents(streamOf(text, size))) events.push(event);
      assert.deepEqual(events, [{ type: 'A', delta: '灯台' }, { type: 'B' }]);
    });

  test('a reader who stops cancels the stream', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('data: {"type":"A"}\n\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const _ of readEvents(body)) break;
    assert.equal(cancelled, true);
  });
});
