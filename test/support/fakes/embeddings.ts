/** A server that speaks /v1/embeddings: deterministic vectors from the words of a text, or the answers that a test scripts. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmbeddingCall {
  model: string;
  texts: string[];
  authorization: string | undefined;
  dimensions: number | undefined;
}

/** The reaction to one call; undefined answers with vectors. */
export type EmbeddingScript =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Never answers. */
  | { stall: true }
  /** A complete answer that the test provides. */
  | { answer: unknown }
  | undefined;

export interface FakeEmbeddings {
  /** For PINAKES_EMBEDDING_BASE_URL. */
  url: string;
  calls: EmbeddingCall[];
  /** How often each text was answered with a vector, by model and text. */
  embedded: Map<string, number>;
  /** Sets the reaction to every following call; the default answers with vectors. */
  respond(script: (call: EmbeddingCall) => EmbeddingScript | Promise<EmbeddingScript>): void;
  close(): Promise<void>;
}

export const FAKE_DIMENSION = 64;

/** @param dimensions dimensions of models that do not use FAKE_DIMENSION. */
export async function openFakeEmbeddings(dimensions: Readonly<Record<string, number>> = {}): Promise<FakeEmbeddings> {
  const calls: EmbeddingCall[] = [];
  const embedded = new Map<string, number>();
  let decide: (call: EmbeddingCall) => EmbeddingScript | Promise<EmbeddingScript> = () => undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') {
      response.writeHead(404).end();
      return;
    }
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const {
      model,
      input,
      dimensions: asked,
    } = JSON.parse(text) as { model: string; input: string[]; dimensions?: number };
    const call = { model, texts: input, authorization: request.headers.authorization, dimensions: asked };
    calls.push(call);
    const script = await decide(call);
    if (script && 'stall' in script) return;
    if (script && 'status' in script) {
      response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers });
      response.end(script.body ?? JSON.stringify({ error: { message: 'secret detail of the provider', type: 'x' } }));
      return;
    }
    const vectors = {
      data: input.map((one, index) => ({ index, embedding: hashVector(one, model, asked ?? dimensions[model]) })),
    };
    for (const one of input) {
      const key = `${model}\0${one}`;
      embedded.set(key, (embedded.get(key) ?? 0) + 1);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(script ? script.answer : vectors));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    embedded,
    respond(script) {
      decide = script;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Each word adds to one dimension, chosen by its hash: texts with common words are near each other. No vector is zero. */
export function hashVector(text: string, model: string, dimension: number = FAKE_DIMENSION): number[] {
  const vector: number[] = Array.from({ length: dimension }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const digest = createHash('md5').update(`${model} ${word}`).digest();
    const at = digest.readUInt32LE(0) % dimension;
    vector[at] = vector[at]! + (digest[4]! & 1 ? 1 : -1);
  }
  if (!vector.some((value) => value !== 0)) vector[0] = 1;
  return vector;
}
