/**
 * Streaming chat as Anthropic (`POST /v1/messages`) and Google (`POST /v1beta/models/<model>:streamGenerateContent?alt=sse`) send
 * it, on loopback. Both answer with `deltas`, or with `status`.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WireCall {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** Resolves when the client closes the connection before the end of the answer. */
  left: Promise<void>;
}

export type WireScript = { deltas: readonly string[]; finish?: string; stall?: boolean } | { status: number };

export interface FakeChatWire {
  anthropicUrl: string;
  googleUrl: string;
  calls: WireCall[];
  respond(decide: (call: WireCall) => WireScript): void;
  close(): Promise<void>;
}

const CONTENT_TYPE = { 'content-type': 'text/event-stream' };

export async function openFakeChatWire(): Promise<FakeChatWire> {
  const calls: WireCall[] = [];
  let decide: (call: WireCall) => WireScript = () => ({ deltas: [] });
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const left = new Promise<void>((resolve) => response.once('close', () => response.writableFinished || resolve()));
    const call = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text), left };
    calls.push(call);
    const isAnthropic = call.path === '/v1/messages';
    if (!isAnthropic && !/^\/v1beta\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/.test(call.path)) {
      response.writeHead(404).end();
      return;
    }
    const script = decide(call);
    if ('status' in script) {
      const error = isAnthropic
        ? { type: 'error', error: { type: 'overloaded_error', message: 'secret detail' } }
        : { error: { code: script.status, message: 'secret detail', status: 'RESOURCE_EXHAUSTED' } };
      response.writeHead(script.status, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end(JSON.stringify(error));
      return;
    }
    response.writeHead(200, CONTENT_TYPE);
    const events = isAnthropic
      ? anthropicEvents(String(call.body['model']), script.deltas, script.finish ?? 'end_turn')
      : googleEvents(script.deltas, script.finish ?? 'STOP');
    for (const event of script.stall ? events.slice(0, isAnthropic ? -3 : -1) : events) response.write(event);
    if (!script.stall) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    anthropicUrl: `${origin}/v1`,
    googleUrl: `${origin}/v1beta`,
    calls,
    respond: (by) => {
      decide = by;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function anthropicEvents(model: string, deltas: readonly string[], stopReason: string): string[] {
  const usage = { input_tokens: 12, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...deltas.map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

export function googleEvents(deltas: readonly string[], finishReason: string): string[] {
  const parts = deltas.map((text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }] }));
  const last = {
    candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 9, totalTokenCount: 21 },
  };
  return [...parts, last].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`);
}
