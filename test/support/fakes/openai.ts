/** A server that speaks /v1/chat/completions with streaming, and reacts as a test scripts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatCall {
  model: string;
  messages: { role: string; content: string }[];
  authorization: string | undefined;
  stream: boolean;
  /** The whole body of the request. */
  body: Record<string, unknown>;
  /** Resolves when the caller closes the connection before the answer is complete. */
  left: Promise<void>;
}

/** Text, or the whole `delta` object of an event. */
export type Delta = string | object;

/** The reaction to one call. Deltas are sent one by one. */
export type Script =
  | {
      deltas: readonly Delta[] | AsyncIterable<Delta>;
      finish?: string;
      usage?: { prompt_tokens: number; completion_tokens: number };
    }
  /** Calls of tools. Arguments that are text are sent as they are. */
  | {
      tools: readonly { name: string; args: unknown }[];
      finish?: string;
      usage?: { prompt_tokens: number; completion_tokens: number };
    }
  | { status: number; body?: string; headers?: Record<string, string> }
  /** Sends the deltas, then nothing more. */
  | { stallAfter: readonly string[] }
  /** Sends the deltas, then closes the connection in the middle. */
  | { breakAfter: readonly string[] }
  /** Sends the deltas, then an error object inside the stream. */
  | { errorAfter: readonly string[]; error: object }
  /** The raw bytes of the stream, in these pieces. */
  | { raw: readonly Uint8Array[] };

export interface FakeOpenAi {
  /** For PINAKES_CHAT_BASE_URL. */
  url: string;
  calls: ChatCall[];
  /** Sets the reaction to every following call. */
  respond(script: Script | ((call: ChatCall) => Script | Promise<Script>)): void;
  close(): Promise<void>;
}

export async function openFakeOpenAi(): Promise<FakeOpenAi> {
  const calls: ChatCall[] = [];
  let decide: (call: ChatCall) => Script | Promise<Script> = () => ({ deltas: ['ok'] });
  const server = createServer((request, response) => {
    void answer(request, response, calls, (call) => decide(call));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    respond(script) {
      decide = typeof script === 'function' ? script : () => script;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  calls: ChatCall[],
  decide: (call: ChatCall) => Script | Promise<Script>,
): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.writeHead(404).end();
    return;
  }
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  const body = JSON.parse(text);
  const { model, messages, stream } = body;
  const left = new Promise<void>((resolve) => response.once('close', () => response.writableFinished || resolve()));
  const call: ChatCall = {
    model,
    messages,
    stream: stream === true,
    body,
    authorization: request.headers.authorization,
    left,
  };
  calls.push(call);
  await play(response, call, await decide(call));
}

async function play(response: ServerResponse, { model, stream }: ChatCall, script: Script): Promise<void> {
  if ('status' in script) {
    response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers });
    response.end(script.body ?? JSON.stringify({ error: { message: 'secret detail of the provider', type: 'x' } }));
    return;
  }
  if (!stream && ('deltas' in script || 'tools' in script)) {
    const content = 'deltas' in script ? (await Array.fromAsync(script.deltas)).join('') : null;
    const calls = 'tools' in script ? script.tools.map(toToolCall) : undefined;
    const message = { role: 'assistant', content, ...(calls && { tool_calls: calls }) };
    const choices = [{ index: 0, message, finish_reason: script.finish ?? (calls ? 'tool_calls' : 'stop') }];
    const usage = script.usage && { ...script.usage, total_tokens: 0 };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model, choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('raw' in script) {
    for (const piece of script.raw) await write(response, piece);
    response.end();
    return;
  }
  const deltas: readonly Delta[] | AsyncIterable<Delta> =
    'tools' in script
      ? script.tools.map((tool, index) => ({ tool_calls: [{ index, ...toToolCall(tool) }] }))
      : 'deltas' in script
        ? script.deltas
        : 'stallAfter' in script
          ? script.stallAfter
          : 'breakAfter' in script
            ? script.breakAfter
            : script.errorAfter;
  for await (const delta of deltas)
    await write(response, chunkOf(model, typeof delta === 'string' ? { content: delta } : delta, null));
  if ('stallAfter' in script) return;
  if ('breakAfter' in script) response.destroy();
  else if ('errorAfter' in script) response.end(`data: ${JSON.stringify({ error: script.error })}\n\n`);
  else {
    await write(response, chunkOf(model, {}, script.finish ?? 'stop'));
    if (script.usage) {
      const usage = { ...script.usage, total_tokens: script.usage.prompt_tokens + script.usage.completion_tokens };
      const last = { id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [], usage };
      await write(response, `data: ${JSON.stringify(last)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  }
}

let toolCalls = 0;
function toToolCall({ name, args }: { name: string; args: unknown }) {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { id: `call_${++toolCalls}`, type: 'function', function: { name, arguments: text } };
}

/** One server-sent event of the protocol. */
export function chunkOf(model: string, delta: object, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices })}\n\n`;
}

function write(response: ServerResponse, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(text, () => resolve()));
}
