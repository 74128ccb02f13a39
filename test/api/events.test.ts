/** The stream of events: runs of all groups, as they change. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually, uploadFiles } from '../support/upload.ts';

interface Event {
  id: string | undefined;
  type: string;
  run?: { id: string; source_group_id: string; status: string; files_done: number };
  error?: { message: string; type: string };
}

let t: TestApp;
let now = new Date('2026-03-01T12:00:00Z');
before(async () => {
  t = await openTestApp({ given: { clock: { now: () => now } } });
});
after(() => t.close());

/** Opens a stream and collects its events. */
async function open(key = t.key, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(`${await t.url()}/api/v1/events`, {
    headers: { 'x-api-key': key, ...headers },
    signal: abort.signal,
  });
  const events: Event[] = [];
  let ended = false;
  const reading = (async () => {
    let text = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const frame = text.slice(0, end);
        text = text.slice(end + 2);
        const data = /^data: (.*)$/m.exec(frame)?.[1];
        if (data !== undefined) events.push({ id: /^id: (.*)$/m.exec(frame)?.[1], ...JSON.parse(data) });
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    events,
    hasEnded: () => ended,
    async close() {
      abort.abort();
      await reading;
    },
  };
}

const setRun = (group: string, change: { status: string; done: number; endedAt: Date | null }) =>
  t.deps.db.system.query(sql`
    update run set status = ${change.status}, files_done = ${change.done}, ended_at = ${change.endedAt}::timestamptz
    where source_group_id = ${group}`);

test('an active run is sent at once, and again when it changes', async () => {
  const group = await uploadFiles(t, { 'a.txt': 'Not read yet.\n' });
  const stream = await open();
  assert.deepEqual([stream.status, stream.type], [200, 'text/event-stream; charset=utf-8']);
  await eventually(async () => stream.events.length === 1);
  assert.deepEqual([stream.events[0]!.run!.source_group_id, stream.events[0]!.run!.status], [group, 'queued']);
  assert.equal(stream.events[0]!.id, String(now.getTime()));
  await setRun(group, { status: 'success', done: 1, endedAt: now });
  await eventually(async () => stream.events.length === 2);
  assert.deepEqual([stream.events[1]!.run!.status, stream.events[1]!.run!.files_done], ['success', 1]);
  await stream.close();
});

test('a client that comes back gets the runs that ended meanwhile, and none that ended before', async () => {
  const leftAt = now.getTime();
  now = new Date(leftAt + 60_000);
  const before = await uploadFiles(t, { 'before.txt': 'Ended long before.\n' });
  const meanwhile = await uploadFiles(t, { 'meanwhile.txt': 'Ended meanwhile.\n' });
  await setRun(before, { status: 'success', done: 1, endedAt: new Date(leftAt - 30_000) });
  await setRun(meanwhile, { status: 'failure', done: 1, endedAt: new Date(leftAt + 30_000) });
  const stream = await open(t.key, { 'last-event-id': String(leftAt) });
  await eventually(async () => stream.events.some(({ run }) => run?.source_group_id === meanwhile));
  assert.ok(stream.events.every(({ run, type }) => type === 'run' && run!.source_group_id !== before));
  await stream.close();
  for (const id of [String(leftAt - 7_200_000), 'x', String(now.getTime() + 60_000)]) {
    const late = await open(t.key, { 'last-event-id': id });
    await eventually(async () => late.events.length > 0);
    assert.equal(late.events[0]!.type, 'reset', id);
    await late.close();
  }
});

test('a stream has only runs that its key may see', async () => {
  const other = await t.secondTenant();
  const own = await uploadFiles(t, { 'own.txt': 'Own.\n' });
  const hidden = await uploadFiles(t, { 'hidden.txt': 'Hidden.\n' });
  const theirs = await uploadFiles(t, { 'theirs.txt': 'Theirs.\n' }, other.key);
  const limited = await t.issueKey(['knowledge:read'], { sourceGroupIds: [own] });
  const streams = await Promise.all([open(limited), open(other.key)]);
  await eventually(async () => streams.every(({ events }) => events.length > 0));
  await setRun(hidden, { status: 'started', done: 0, endedAt: null });
  await setRun(own, { status: 'started', done: 0, endedAt: null });
  await eventually(async () => streams[0]!.events.length === 2);
  assert.deepEqual([...new Set(streams[0]!.events.map(({ run }) => run!.source_group_id))], [own]);
  assert.deepEqual([...new Set(streams[1]!.events.map(({ run }) => run!.source_group_id))], [theirs]);
  for (const stream of streams) await stream.close();
  const refused = await t.get('/events', await t.issueKey(['inference:run']));
  assert.equal(refused.status, 403);
});

test('a stream ends when its key is revoked', async () => {
  const { id, key } = (await t.post('/api-keys', { name: 'k', scopes: ['knowledge:read'] })).body;
  const stream = await open(key);
  await t.delete(`/api-keys/${id}`);
  await eventually(async () => stream.hasEnded());
  assert.equal(stream.events.at(-1)!.type, 'error');
  assert.equal(stream.events.at(-1)!.error!.type, 'authentication_error');
});

test('a stream of the console ends when its session ends, although its key goes on', async () => {
  const page = { 'x-pinakes-console': '1', 'sec-fetch-site': 'same-origin' };
  const key = await t.issueKey(['knowledge:read']);
  const signedIn = await t.request({
    method: 'POST',
    path: '//console/session',
    key: null,
    body: { api_key: key },
    headers: page,
  });
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0]!;
  const abort = new AbortController();
  const response = await fetch(`${await t.url()}/api/v1/events`, {
    // fetch itself sends `Sec-Fetch-Mode` only, as a browser without `Sec-Fetch-Site` would.
    headers: { 'x-pinakes-console': '1', cookie },
    signal: abort.signal,
  });
  assert.equal(response.status, 200);
  const text = response.text();
  await t.request({ method: 'DELETE', path: '//console/session', key: null, headers: { ...page, cookie } });
  assert.match(await text, /"type":"error".*authentication_error/);
  assert.equal((await t.get('/source-groups', key)).status, 200);
});

test('a key has at most four streams, and a closed one counts no more', async () => {
  const key = await t.issueKey(['knowledge:read']);
  const streams = await Promise.all([1, 2, 3, 4].map(() => open(key)));
  assert.ok(streams.every(({ status }) => status === 200));
  assert.equal((await t.get('/events', key)).status, 429);
  await streams[0]!.close();
  let again = await open(key);
  await eventually(async () => {
    if (again.status !== 200) again = await open(key);
    return again.status === 200;
  });
  for (const stream of [...streams, again]) await stream.close();
});

test('the headers of a stream alone cannot be asked for, because it has no end', async () => {
  for (const path of ['/events', '/agents/runs/01900000-0000-7000-8000-000000000000/events']) {
    const { status } = await fetch(`${await t.url()}/api/v1${path}`, {
      method: 'HEAD',
      headers: { 'x-api-key': t.key },
    });
    assert.equal(status, 405, path);
  }
});
