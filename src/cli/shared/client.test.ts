import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEvents } from '../../client/events.ts';
import { clientConfig } from './client-config.ts';

async function eventsOf(pieces: string[]): Promise<unknown[]> {
  const bytes = new TextEncoder();
  const events: unknown[] = [];
  for await (const event of parseEvents(ReadableStream.from(pieces.map((piece) => bytes.encode(piece)))))
    events.push(event);
  return events;
}

test('server-sent events are read correctly, however the stream is cut into pieces', async () => {
  const text = ': heartbeat\n\ndata: {"type":"A","delta":"灯"}\n\nevent: x\ndata: {"type":\ndata: "B"}\n\n';
  const expected = [{ type: 'A', delta: '灯' }, { type: 'B' }];
  assert.deepEqual(await eventsOf([text]), expected);
  assert.deepEqual(await eventsOf([...text]), expected);
});

test('the client settings come from the environment, and have defaults', () => {
  assert.equal(clientConfig({}).url, 'http://127.0.0.1:7700');
  assert.equal(clientConfig({ PINAKES_PORT: '8123' }).url, 'http://127.0.0.1:8123');
  assert.equal(
    clientConfig({ PINAKES_URL: 'https://k.example.com', PINAKES_PORT: '8123' }).url,
    'https://k.example.com',
  );
  assert.equal(clientConfig({ PINAKES_URL: 'https://k.example.com/api/v1/' }).url, 'https://k.example.com');
  assert.throws(() => clientConfig({ PINAKES_URL: 'k.example.com' }), /PINAKES_URL.*for example/);
});

test('an address with more than an origin is refused, and its password is not printed', () => {
  const ofService = 'http://127.0.0.1:7700';
  const others = ['/console/', '/x/api/v1', '/?x=1', '/#top'].map((rest) => ofService + rest);
  for (const url of [...others, 'http://u@127.0.0.1:7700', 'http://:secret@127.0.0.1:7700'])
    assert.throws(
      () => clientConfig({ PINAKES_URL: url }),
      ({ message }: Error) =>
        /without a path.*PINAKES_URL=http:\/\/127\.0\.0\.1:7700$/.test(message) && !/secret/.test(message),
      url,
    );
});
