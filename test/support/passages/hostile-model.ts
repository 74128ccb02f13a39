/** Scripts of hostile, broken and overloaded chat models. A script may depend on the request that it answers. */
import { type ChatCall, chunkOf, type Script } from '../fakes/openai.ts';

/** Cuts a text into deltas of at most `units` UTF-16 units, also within surrogate pairs. */
const cut = (text: string, units: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${units}}`, 'g')) ?? [];

/** Returns all messages of the request as one text: it contains the rules and the nonce. */
const context = (call: ChatCall): string => call.messages.map(({ content }) => content).join('\n');

const EVERY_LABEL = Array.from(
  { length: 130 },
  (_, i) => `Claim ${i}[${i}], [${i}] [[${i}]] 【${i}†x】［${i}］[source ${i}].`,
).join(' ');
const SSE = [
  'data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}\n\nevent: RUN_FINISHED\nid: 7\nretry: 1\n\n: comment\n\n',
  '{"type":"RUN_ERROR","message":"forged"}\r\n\r\n\u2028\u2029data: [DONE]\n\n',
].join('data: {"type":"CUSTOM","name":"citations","value":{"citations":[{"id":"forged"}]}}\n\n');

/** Models whose call succeeds, although the answer is bad. */
export const ANSWERING: Readonly<Record<string, (call: ChatCall) => Script>> = {
  'obeys everything it reads': (call) => ({ deltas: cut(`${context(call)}\n${EVERY_LABEL}\n${context(call)}`, 7) }),
  'prints its prompt in one delta': (call) => ({ deltas: [context(call)] }),
  'prints its prompt a unit at a time': (call) => ({ deltas: cut(context(call).slice(0, 2_000), 1) }),
  'cites every label there may be': () => ({ deltas: cut(EVERY_LABEL, 3) }),
  'cites labels that are no numbers': () => ({
    deltas: ['Days [chunk-7f3a] [a] [-1] [1e3] [0x1] [99999] [NaN] [1.5] [[[[1]]]] [', '1', '] [ 1 ] [1'],
  }),
  'says events': () => ({ deltas: cut(`Staff get 25 days.\n\n${SSE}`, 5) }),
  'says whole events in one delta': () => ({ deltas: [SSE, SSE] }),
  'says control characters and lone surrogates': () => ({
    deltas: ['Staff\0 get \u001b[31m25\u202e days \ud800', ' of \udc00leave \ud83d', '\ude00 \u0085\u000b[1].'],
  }),
  'breaks its UTF-8': () => ({
    raw: [
      ...Array.from(Buffer.from(chunkOf('m', { content: 'Staff get 25 days 😀 of leave［1］。' }, null)), (byte) =>
        Uint8Array.of(byte),
      ),
      Buffer.concat([
        Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"bad '),
        Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0xf0, 0x9f]),
        Buffer.from('"}}]}\r\n\r\n'),
      ]),
      Buffer.from(chunkOf('m', {}, 'stop')),
      Buffer.from('data: [DONE]\n\n'),
    ],
  }),
  'ends lines in every way': () => ({
    raw: [
      Buffer.from(': hello\r\r\nevent: message\ndata:{"choices":[{"delta":{"content":"Staff get "}}]}\r'),
      Buffer.from('\n\r\ndata: {"choices":[{"delta":\ndata: {"content":"25 days."}}]}\n\n'),
      Buffer.from('id: 1\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]'),
    ],
  }),
  'calls tools, thinks, sends nulls': () => ({
    deltas: [
      { role: 'assistant', content: null },
      { reasoning_content: 'the canary is …' },
      { reasoning: 'hm' },
      { content: null, tool_calls: [{ index: 0, id: 'x', function: { name: 'search', arguments: '{"q":' } }] },
      { content: 7 },
      { content: { text: 'object' } },
      {},
      'Staff get 25 days [1].',
      { content: '' },
    ],
    finish: 'tool_calls',
  }),
  'sends events of other shapes': () => ({
    raw: [
      'null',
      '7',
      '"x"',
      '[]',
      '{"choices":{}}',
      '{"choices":[null]}',
      '{"choices":[{"delta":[]}]}',
      '{"usage":{"prompt_tokens":-1}}',
    ]
      .map((data) => Buffer.from(`data: ${data}\n\n`))
      .concat([Buffer.from(chunkOf('m', { content: 'Staff get 25 days.' }, 'stop'))]),
  }),
  'says nothing after its end': () => ({
    raw: [
      Buffer.from(chunkOf('m', { content: 'Staff get 25 days.' }, 'stop')),
      Buffer.from(chunkOf('m', { content: ' MORE' }, null)),
    ],
  }),
};

/** Models that never end their answer: the service cuts the answer. */
export const BABBLING: Readonly<Record<string, (call: ChatCall) => Script>> = {
  babbles: () => ({ deltas: endless('And more [1] of it. ') }),
  'babbles in deltas of a hundred thousand characters': () => ({ deltas: endless('more of it [1]. '.repeat(6_250)) }),
  'babbles in brackets': () => ({ deltas: endless('[[1'.repeat(500)) }),
};

async function* endless(delta: string): AsyncGenerator<string> {
  for (;;) yield delta;
}

/**
 * Models that fail. `status` is the status of the service's answer; `hasBegun` says that words were sent before the
 * failure.
 */
export const FAILING: Readonly<Record<string, { script: Script; status: number; hasBegun?: true }>> = {
  'is overloaded': { script: { status: 429, headers: { 'retry-after': '9' } }, status: 503 },
  'is overloaded in its own way': { script: { status: 529, headers: { 'retry-after': '9' } }, status: 503 },
  'has a bug': { script: { status: 500, body: '<html>secret detail</html>' }, status: 502 },
  redirects: { script: { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, status: 502 },
  'is no model': { script: { status: 404, body: 'x'.repeat(300_000) }, status: 502 },
  'sends broken JSON': { script: { raw: [Buffer.from('data: {"choices":[{"delta":\n\n')] }, status: 502 },
  'answers without events': {
    script: { raw: [Buffer.from('{"choices":[{"message":{"content":"x"}}]}')] },
    status: 502,
  },
  'sends nothing': { script: { raw: [] }, status: 502 },
  'has no end': {
    script: { raw: [Buffer.from(chunkOf('m', { content: 'Staff get ' }, null))] },
    status: 502,
    hasBegun: true,
  },
  'closes at once': { script: { breakAfter: [] }, status: 502 },
  'closes in the middle': { script: { breakAfter: ['Staff get '] }, status: 502, hasBegun: true },
  'fails in the middle': {
    script: { errorAfter: ['Staff get '], error: { message: 'secret detail', code: 500 } },
    status: 502,
    hasBegun: true,
  },
  'has an event without end': {
    script: { raw: Array.from({ length: 40 }, () => Buffer.alloc(32_768, 'data: x')) },
    status: 502,
  },
};
