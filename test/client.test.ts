/** The published client: generated from the description, typed, and working against the service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { clientText, OPENAI_PATHS } from '../scripts/client-text.ts';
import { allDescribedRoutes } from '../src/app.ts';
import { OPERATIONS } from '../src/client/api.ts';
import { openPinakes, type Pinakes, PinakesError } from '../src/client/client.ts';
import { parseEvents } from '../src/client/events.ts';
import { pathOf } from '../src/http/route.ts';
import { newId } from '../src/util/ids.ts';
import { buildWorker, type Worker } from '../src/worker.ts';
import { openTestApp, type TestApp } from './support/app.ts';
import { ingest } from './support/upload.ts';

const PROJECT = join(import.meta.dirname, '..');

let service: TestApp;
let worker: Worker;
let pinakes: Pinakes;

before(async () => {
  service = await openTestApp();
  worker = buildWorker(service.deps);
  await worker.start();
  await ingest(service, [{ name: 'heron.md', content: 'The heron nests in the old oak by the river.' }]);
  pinakes = openPinakes({ url: `${await service.url()}/api/v1/`, apiKey: service.key });
});
after(async () => {
  await worker.stop(1_000);
  await service.close();
});

test('src/client/api.ts is up to date: npm run client writes it', () => {
  const document = JSON.parse(readFileSync(join(PROJECT, 'openapi.json'), 'utf8'));
  const committed = readFileSync(join(PROJECT, 'src', 'client', 'api.ts'), 'utf8');
  assert.ok(committed === clientText(document), 'src/client/api.ts differs from openapi.json: run npm run client');
});

test('the client has every route but those of the OpenAI API', () => {
  const routes = allDescribedRoutes().filter((route) => !pathOf(route).startsWith(OPENAI_PATHS));
  const expected = routes.map((route) => [route.operation.id, [route.method, pathOf(route)]]);
  assert.deepEqual(Object.entries(OPERATIONS).sort(), expected.sort());
});

test('an unknown keyword of JSON Schema is an error of the client generator, and not a wrong type', () => {
  const schema = { type: 'object', patternProperties: {} };
  const content = { 'application/json': { schema } };
  const operation = { operationId: 'a', summary: 'A', parameters: [], responses: { 200: { content } } };
  const document = { paths: { '/a': { get: operation } }, components: { schemas: {} } };
  assert.throws(() => clientText(document), /patternProperties/);
});

test('the client sends bodies, queries and path parameters', async () => {
  const { results } = await pinakes.search({ body: { query: 'heron', limit: 1 } });
  assert.equal(results[0]?.name, 'heron.md');
  const { sources } = await pinakes.listSourcesOfSourceGroup({
    params: { id: results[0]!.source_group_id },
    query: { limit: 1 },
  });
  assert.equal(sources[0]?.name, 'heron.md');
  const page = await pinakes.listLocalFileGroups();
  assert.equal(page.pagination.total, 1);
  const answer = await pinakes.createCompletion({
    body: { messages: [{ role: 'user', content: 'Where does the heron nest?' }] },
  });
  const conversation = await pinakes.getConversation({ params: { id: answer.conversation_id! } });
  assert.equal(conversation.messages.length, 2);
});

test('the client uploads forms', async () => {
  const form = new FormData();
  form.append('files', new Blob(['The bittern booms.']), 'bittern.txt');
  form.append('last_modified', '1760000000000');
  const { source_group_id: id } = await pinakes.createLocalFileGroup({
    body: form,
    headers: { 'Idempotency-Key': 'k' },
  });
  assert.equal((await pinakes.getLocalFileGroup({ params: { id } })).id, id);
  assert.equal((await pinakes.deleteLocalFileGroup({ params: { id } })).source_group_id, id);
});

test('send() returns a response whose stream can be read', async () => {
  const body = { messages: [{ role: 'user' as const, content: 'Where does the heron nest?' }] };
  const response = await pinakes.send('createCompletion', { body }, { headers: { accept: 'text/event-stream' } });
  const types = (await Array.fromAsync(parseEvents(response.body!))).map(({ type }) => type);
  assert.deepEqual([types[0], types.at(-1)], ['RUN_STARTED', 'RUN_FINISHED']);
});

test('a method refuses a stream, which only send() reads', async () => {
  const body = { messages: [{ role: 'user' as const, content: 'Where does the heron nest?' }], stream: true };
  const refusal = { name: 'TypeError', message: /createCompletion is a stream: read it with send/ };
  await assert.rejects(pinakes.createCompletion({ body }), refusal);
  // These events go on for ever.
  await assert.rejects(pinakes.streamEvents(), /streamEvents is a stream/);
});

test('the client throws a PinakesError with status, type, request id, pointer and Retry-After for an error answer', async () => {
  await assert.rejects(pinakes.getRun({ params: { id: newId() } }), (error) => {
    assert.ok(error instanceof PinakesError);
    assert.deepEqual(
      [error.status, error.type, error.message, error.pointer],
      [
        404,
        'not_found_error',
        'Nothing of this kind has this id or name, or it may not be seen with this key and principal.',
        null,
      ],
    );
    assert.match(error.requestId ?? '', /^[A-Za-z0-9_-]{1,64}$/);
    return true;
  });
  const query = { query: 'a', date_from: 'today' as never };
  await assert.rejects(pinakes.search({ body: query }), { status: 400, pointer: '/date_from' });
  const stranger = openPinakes({ url: await service.url(), apiKey: 'wrong' });
  await assert.rejects(stranger.listConversations(), { name: 'PinakesError', status: 401, retryAfter: null });
  for (const body of ['<h1>Away</h1>', '{"error":{"message":"Full.","type":"overloaded_error"}}']) {
    const answer = async () => new Response(body, { status: 503, headers: { 'retry-after': '60' } });
    const busy = openPinakes({ url: 'http://127.0.0.1', apiKey: 'x', fetch: answer });
    await assert.rejects(busy.listConversations(), { status: 503, retryAfter: '60' });
  }
});

test('an id cannot change the path, and a request with an empty id is not sent', async () => {
  await assert.rejects(pinakes.getRun({ params: { id: '../source-groups' } }), { status: 404 });
  await assert.rejects(pinakes.getRun({ params: { id: '' } }), TypeError);
});

test('a request of the client is aborted by its signal', async () => {
  const signal = AbortSignal.abort();
  await assert.rejects(pinakes.listConversations({}, { signal }), { name: 'AbortError' });
});

test('the client returns the bytes of a downloaded file', async () => {
  const file = Uint8Array.of(0x25, 0x50, 0x00, 0xff);
  const download: typeof fetch = async () =>
    new Response(file, { headers: { 'content-type': 'application/octet-stream' } });
  const client = openPinakes({ url: 'http://127.0.0.1:1', apiKey: service.key, fetch: download });
  const blob = await client.downloadSource({ params: { source_id: newId() } });
  assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), file);
});
