/** Reads ag-ui event streams strictly: only valid frames, in the order of the protocol. */
import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request } from 'node:http';

// biome-ignore lint/suspicious/noExplicitAny: tests look into events whose shape they assert
export type AgUiEvent = { type: string } & Record<string, any>;

/** Returns the events of a whole body. @throws AssertionError if the body contains anything but events and heartbeats. */
export function readEvents(body: string): AgUiEvent[] {
  assert.ok(body.endsWith('\n\n'), `the stream ends in the middle of an event: ${body.slice(-80)}`);
  assert.equal(/[\r\u0000]/.test(body), false, 'a raw control character');
  return body
    .slice(0, -2)
    .split('\n\n')
    .filter((frame) => frame !== ': heartbeat')
    .map((frame) => {
      assert.match(frame, /^data: \{.*\}$/, `not an event: ${frame.slice(0, 200)}`);
      return JSON.parse(frame.slice('data: '.length));
    });
}

/** Returns the text of a run. @throws AssertionError if the events are not one run in the order of the protocol. */
export function textOfRun(events: readonly AgUiEvent[]): string {
  const kinds = events.map(({ type, name }) => (type === 'CUSTOM' ? `CUSTOM ${name}` : type));
  const sequence = kinds.join('\n').replace(/(?:TEXT_MESSAGE_CONTENT\n?)+/, 'TEXT_MESSAGE_CONTENT\n');
  assert.match(
    sequence,
    /^RUN_STARTED\nTEXT_MESSAGE_START\n(?:TEXT_MESSAGE_CONTENT\n)?(?:RUN_ERROR|TEXT_MESSAGE_END\nCUSTOM citations\n(?:CUSTOM grounding\n)?(?:RUN_FINISHED|RUN_ERROR))$/,
  );
  const [started, message] = events;
  for (const event of events) {
    if (event.type.startsWith('TEXT_MESSAGE')) assert.equal(event['messageId'], message!['messageId']);
    if (event.type === 'RUN_FINISHED')
      assert.deepEqual([event['threadId'], event['runId']], [started!['threadId'], started!['runId']]);
    if (event.type === 'TEXT_MESSAGE_CONTENT') assert.notEqual(event['delta'], '', 'an empty delta');
  }
  return events.map((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? event['delta'] : '')).join('');
}

export interface OpenStream {
  /** Returns the received text. */
  body(): string;
  /** Resolves with the received text once it contains `what`. */
  holds(what: string): Promise<string>;
  /** The whole body; rejects when the connection breaks. */
  ended: Promise<string>;
  /** Closes the connection. */
  leave(): void;
}

/** Requests a completion over a new connection. @throws Error for any status but 200. */
export async function openStream(url: string, key: string, body: object, accept: string): Promise<OpenStream> {
  const sent = request(`${url}/api/v1/completions`, {
    method: 'POST',
    agent: new Agent({ keepAlive: false }),
    headers: { 'x-api-key': key, 'content-type': 'application/json', accept },
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
    sent.end(JSON.stringify(body));
  });
  let text = '';
  const watchers = new Set<() => void>();
  const ended = new Promise<string>((resolve, reject) => {
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      text += piece;
      for (const watch of watchers) watch();
    });
    response.once('end', () => (response.complete ? resolve(text) : reject(new Error('the answer was cut'))));
    response.once('error', reject);
  });
  ended.catch(() => undefined);
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${await ended}`);
  return {
    body: () => text,
    holds: (what) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (!text.includes(what)) return;
          watchers.delete(watch);
          resolve(text);
        };
        watchers.add(watch);
        watch();
        ended.then(
          () => reject(new Error(`the stream ended without ${what}`)),
          (error) => reject(error),
        );
      }),
    ended,
    leave: () => sent.destroy(),
  };
}
