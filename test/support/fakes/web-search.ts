/**
 * Web search in the form of three providers, on loopback: OpenAI (`POST /v1/responses`), Anthropic (`POST /v1/messages` with the tool
 * web_search) and Google (`POST /v1beta/models/<model>:generateContent` with google_search). The server also streams answers.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicEvents, googleEvents } from './chat-wire.ts';
import { chunkOf } from './openai.ts';

/** A sentence of the findings and the page that it comes from. */
export interface Finding {
  says: string;
  url: string;
  title: string;
}

export interface WebCall {
  path: string;
  /** Whether the request is a search or asks for the answer to it. */
  kind: 'search' | 'answer';
  body: Record<string, unknown>;
}

export interface FakeWebSearch {
  baseUrl(provider: 'openai' | 'anthropic' | 'google'): string;
  calls: WebCall[];
  /** The findings of searches, or the status with which searches fail. */
  findings: readonly Finding[] | { status: number };
  /** Returns the answer to the body of a request. */
  answer: (prompt: string) => string;
  close(): Promise<void>;
}

const QUERY = 'what the provider searched for';

export async function openFakeWebSearch(): Promise<FakeWebSearch> {
  const fake: FakeWebSearch = {
    baseUrl: (provider) => `${origin()}/${provider === 'google' ? 'v1beta' : 'v1'}`,
    calls: [],
    findings: [],
    answer: () => 'Nothing.',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const path = request.url ?? '';
    const body = JSON.parse(text) as Record<string, unknown>;
    const kind = body['stream'] === true || path.includes('streamGenerateContent') ? 'answer' : 'search';
    fake.calls.push({ path, kind, body });
    const { findings } = fake;
    if (kind === 'search' && 'status' in findings) {
      response.writeHead(findings.status, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { type: 'x', code: findings.status, message: 'secret detail', status: 'X' } }),
      );
      return;
    }
    const search =
      path === '/v1/responses' ? openAiFindings : path === '/v1/messages' ? anthropicFindings : googleFindings;
    if (kind === 'search') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(search(findings as readonly Finding[])));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const said = [fake.answer(JSON.stringify(body))];
    const events = path.startsWith('/v1beta')
      ? googleEvents(said, 'STOP')
      : path === '/v1/messages'
        ? anthropicEvents('m', said, 'end_turn')
        : [chunkOf('m', { content: said[0] }, null), chunkOf('m', {}, 'stop'), 'data: [DONE]\n\n'];
    response.end(events.join(''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

function openAiFindings(findings: readonly Finding[]): object {
  let text = '';
  const annotations = findings.map(({ says, url, title }) => {
    text += `${says} `;
    const link = `([${title}](${url}))`;
    const start = text.length;
    text += `${link}\n`;
    return { type: 'url_citation', start_index: start, end_index: start + link.length, url, title };
  });
  const content = [{ type: 'output_text', text, annotations }];
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', incomplete_details: null },
    output: [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: QUERY } },
      { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content },
    ],
    usage: { input_tokens: 50, output_tokens: 20 },
  };
}

function anthropicFindings(findings: readonly Finding[]): object {
  const results = findings.map(({ url, title }) => ({
    ...{ type: 'web_search_result', url, title, encrypted_content: 'x', page_age: null },
  }));
  return {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: QUERY } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: results },
      ...findings.map(({ says, url, title }) => ({
        type: 'text',
        text: `It is said that ${says}`,
        citations: [{ type: 'web_search_result_location', url, title, cited_text: says, encrypted_index: 'x' }],
      })),
    ],
    usage: { input_tokens: 50, output_tokens: 20 },
  };
}

function googleFindings(findings: readonly Finding[]): object {
  const text = findings.map(({ says }) => says).join(' ');
  let end = 0;
  const groundingSupports = findings.map(({ says }, i) => {
    const startIndex = end;
    end += Buffer.byteLength(says) + 1;
    return {
      segment: { startIndex, endIndex: end - 1, text: says },
      groundingChunkIndices: [i],
      confidenceScores: [0.9],
    };
  });
  const groundingChunks = findings.map(({ url, title }) => ({ web: { uri: url, title } }));
  const groundingMetadata = { webSearchQueries: [QUERY], groundingChunks, groundingSupports };
  const content = { role: 'model', parts: [{ text }] };
  return {
    candidates: [{ content, finishReason: 'STOP', index: 0, groundingMetadata }],
    usageMetadata: { promptTokenCount: 50, candidatesTokenCount: 20, totalTokenCount: 70 },
  };
}
