/** A server that answers like a Presidio analyzer and finds the names that a test lists. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AnalyzeCall {
  text: string;
  language: string;
  entities: string[];
  score_threshold: number;
}

/** The answer instead of the found names. `never` does not answer at all. */
export type PresidioAnswer =
  | 'names'
  | 'never'
  | { status: number; headers?: Record<string, string> }
  | { json: unknown };

export interface FakePresidio {
  url: string;
  calls: AnalyzeCall[];
  /** Language -> name -> entity type of Presidio. */
  names: Record<string, Record<string, string>>;
  /** The answer of `/supportedentities` for every language in `names`. */
  supported: string[];
  /** Sets the answer to the next `times` requests to `/analyze`. */
  respond(answer: PresidioAnswer, times?: number): void;
  close(): Promise<void>;
}

export async function openFakePresidio(names: Record<string, string>): Promise<FakePresidio> {
  let answer: PresidioAnswer = 'names';
  let times = 0;
  const fake: FakePresidio = {
    url: '',
    calls: [],
    names: { en: names },
    supported: ['PERSON', 'LOCATION', 'NRP', 'ORGANIZATION', 'EMAIL_ADDRESS', 'DATE_TIME'],
    respond(next, count = Number.POSITIVE_INFINITY) {
      answer = next;
      times = count;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  const server = createServer((request, response) => {
    void handle(request, response, fake, () => (times-- > 0 ? answer : 'names'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  fake: FakePresidio,
  next: () => PresidioAnswer,
): Promise<void> {
  const send = (status: number, value: unknown, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };
  const url = new URL(request.url!, 'http://fake');
  if (url.pathname === '/supportedentities') {
    const isKnown = (url.searchParams.get('language') ?? '') in fake.names;
    return isKnown ? send(200, fake.supported) : send(500, { error: NO_RECOGNIZERS });
  }
  const call = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8')) as AnalyzeCall;
  fake.calls.push(call);
  const answer = next();
  if (answer === 'never') return;
  if (typeof answer === 'object' && 'status' in answer) return send(answer.status, { error: 'no' }, answer.headers);
  if (typeof answer === 'object') return send(200, answer.json);
  if (!call.text) return send(500, { error: 'No text provided' });
  if (!call.language) return send(500, { error: 'No language provided' });
  const known = fake.names[call.language];
  const asked = call.entities.filter((entity) => fake.supported.includes(entity));
  if (!known || asked.length === 0) return send(500, { error: NO_RECOGNIZERS });
  const found = Object.entries(known)
    .filter(([, entity]) => asked.includes(entity))
    .flatMap(([name, entity]) => placesOf(call.text, name).map((place) => ({ entity_type: entity, ...place })));
  send(
    200,
    found.map((one) => ({ ...one, score: 0.85, analysis_explanation: null, recognition_metadata: {} })).reverse(),
  );
}

const NO_RECOGNIZERS = 'No matching recognizers were found to serve the request.';

/** Whole words, in code points as Python counts them. */
function placesOf(text: string, name: string): { start: number; end: number }[] {
  const points = (before: string): number => [...before].length;
  return [...text.matchAll(new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, 'gu'))].map(({ index }) => ({
    start: points(text.slice(0, index)),
    end: points(text.slice(0, index + name.length)),
  }));
}
