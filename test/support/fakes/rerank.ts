/** A server with `/rerank`, as Cohere, Jina and vLLM have it (`documents`) or as text-embeddings-inference does (`texts`). */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RerankCall {
  path: string | undefined;
  query: string;
  texts: readonly string[];
  /** The received body. */
  body: Record<string, unknown>;
  authorization: string | undefined;
}

/** The score of each text, or another answer. `never` does not answer at all. */
export type RerankAnswer =
  | ((call: RerankCall, text: string) => number)
  | { status: number; body?: string }
  | { json: unknown }
  | 'never';

export interface FakeRerank {
  url: string;
  calls: RerankCall[];
  form: 'documents' | 'texts';
  respond(answer: RerankAnswer): void;
  /** Called with every request before it is answered. */
  onCall: ((call: RerankCall) => Promise<void>) | undefined;
  close(): Promise<void>;
}

export async function openFakeRerank(): Promise<FakeRerank> {
  let answer: RerankAnswer = () => 0;
  const fake: FakeRerank = {
    url: '',
    calls: [],
    form: 'documents',
    respond(next) {
      answer = next;
    },
    onCall: undefined,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  const server = createServer((request, response) => void handle(request, response, fake, () => answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  fake: FakeRerank,
  current: () => RerankAnswer,
): Promise<void> {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')) as Record<string, unknown>;
  const send = (status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const texts = body[fake.form] as string[] | undefined;
  if (!texts) {
    const error = `Failed to deserialize the JSON body into the target type: missing field \`${fake.form}\``;
    return send(422, { error, error_type: 'Validation' });
  }
  const { authorization } = request.headers;
  const call = { path: request.url, query: String(body['query']), texts, body, authorization };
  fake.calls.push(call);
  await fake.onCall?.(call);
  const answer = current();
  if (answer === 'never') return;
  if (typeof answer === 'function') {
    const results = texts.map((text, index) => ({ index, score: answer(call, text) }));
    results.sort((a, b) => b.score - a.score);
    if (fake.form === 'texts') return send(200, results);
    return send(200, { id: 'x', results: results.map(({ index, score }) => ({ index, relevance_score: score })) });
  }
  if ('json' in answer) return send(200, answer.json);
  response.writeHead(answer.status).end(answer.body ?? '');
}
