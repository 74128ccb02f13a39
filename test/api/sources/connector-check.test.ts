/** Looking at an origin and at a schedule before a source is created. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestApp, type TestApp, type TestTenant } from '../../support/app.ts';
import { type FakeSite, htmlPage, openFakeSite } from '../../support/fakes/site.ts';
import { SECRET_CANARY } from '../../support/passages/canary.ts';
import { bodyFor, SOURCE_FORMS, scriptedConnectors, storeSecret } from '../../support/worlds/connector-sources.ts';
import { tenantSnapshot } from '../../support/worlds/tenant-snapshot.ts';

describe('checks of scripted origins', () => {
  const script = scriptedConnectors();
  let t: TestApp;
  let stranger: TestTenant;
  before(async () => {
    t = await openTestApp({ given: { connectors: script.connectors } });
    stranger = await t.secondTenant();
  });
  after(() => t.close());

  for (const form of SOURCE_FORMS) {
    test(`${form.kind}: the body of a creation says what is there, and nothing is stored`, async () => {
      script.files = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`${i}.md`, 'text']));
      const body = await bodyFor(t, form, { rrule: 'FREQ=DAILY', metadata: { records: [{ key: 'a', val: 'b' }] } });
      const stored = await tenantSnapshot(t.deps.db, t.tenantId);
      const answer = await t.post('/connectors/check', { kind: form.kind, ...body });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body, {
        reachable: true,
        account: null,
        files: 5,
        complete: true,
        names: ['0.md', '1.md', '2.md'],
        problem: null,
      });
      assert.deepEqual(await tenantSnapshot(t.deps.db, t.tenantId), stored);
      if (form.credential?.required) assert.ok(script.credentials.at(-1)?.includes(SECRET_CANARY));
    });

    test(`${form.kind}: what the creation refuses is refused`, async () => {
      const body = { kind: form.kind, ...(await bodyFor(t, form)) };
      assert.equal((await t.post('/connectors/check', { ...body, rrule: 'FREQ=SECONDLY' })).status, 400);
      assert.equal((await t.post('/connectors/check', { ...body, other: 1 })).status, 400);
      if (!form.credential) return;
      const theirs = await storeSecret(t, form, stranger.key);
      assert.equal((await t.post('/connectors/check', { ...body, secret_id: theirs })).status, 404);
    });
  }

  test('an unknown kind is refused', async () => {
    assert.equal((await t.post('/connectors/check', { kind: 'ftp' })).status, 400);
  });

  test('a listing that hangs ends in time with what was found, and a third check of a tenant is told to wait', async () => {
    const form = SOURCE_FORMS.find(({ kind }) => kind === 'web')!;
    const body = { kind: form.kind, ...(await bodyFor(t, form)) };
    const gate = Promise.withResolvers<void>();
    script.gate = gate.promise;
    try {
      const slow = [t.post('/connectors/check', body), t.post('/connectors/check', body)];
      // Both have reached the origin: the third finds them running.
      const { length } = script.credentials;
      while (script.credentials.length < length + 2) await sleep(5);
      const refused = await t.post('/connectors/check', body);
      assert.equal(refused.status, 429);
      assert.ok(refused.headers['retry-after']);
      for (const answer of await Promise.all(slow)) {
        assert.equal(answer.status, 200);
        assert.equal(answer.body.reachable, false);
        assert.match(answer.body.problem.title, /did not answer in time/);
      }
    } finally {
      gate.resolve();
      script.gate = Promise.resolve();
    }
    assert.equal((await t.post('/connectors/check', body)).body.reachable, true);
  });

  test('names are redacted as everywhere', async () => {
    const rules = [{ name: 'mail', kind: 'regex', pattern: '[a-z]+@example', action: 'hash', apply_at: ['retrieval'] }];
    const saved = await t.put('/redaction-policy', { enabled: true, rules });
    assert.equal(saved.status, 200, saved.text);
    script.files = { 'letter to anna@example.com.md': 'x' };
    const form = SOURCE_FORMS.find(({ kind }) => kind === 'web')!;
    const { body } = await t.post('/connectors/check', { kind: form.kind, ...(await bodyFor(t, form)) });
    assert.ok(!body.names[0].includes('anna@'), body.names[0]);
    assert.match(body.names[0], /letter to/);
  });
});

describe('checks of real origins', () => {
  let t: TestApp;
  let site: FakeSite;
  before(async () => {
    site = await openFakeSite();
    t = await openTestApp();
  });
  after(async () => {
    await t.close();
    await site.close();
  });
  const check = async (url: string) => (await t.post('/connectors/check', { kind: 'web', urls: [url] })).body;

  test('addresses of private networks are not asked', async () => {
    const asked = site.requests.length;
    for (const url of [site.url, 'http://169.254.169.254/latest/meta-data/', 'http://[::1]:1/', 'http://10.0.0.1/']) {
      const { reachable, files, problem } = await check(url);
      assert.deepEqual([reachable, files], [false, 0], url);
      assert.ok(problem.title.length > 0, url);
    }
    assert.equal(site.requests.length, asked);
  });

  test('pages of a site that may be asked are counted', async () => {
    const allowed = await openTestApp({ env: { PINAKES_OUTBOUND_ALLOW: '127.0.0.0/8' } });
    site.set({ '/': htmlPage('Start', ['/next']), '/next': htmlPage('Next', []) });
    try {
      const body = { kind: 'web', urls: [`${site.url}/`], delay_ms: 50, use_sitemap: false };
      const { body: found } = await allowed.post('/connectors/check', body);
      assert.equal(found.problem, null);
      assert.deepEqual([found.reachable, found.files > 0], [true, true]);
    } finally {
      await allowed.close();
    }
  });
});

describe('previews of schedules', () => {
  let t: TestApp;
  before(async () => {
    t = await openTestApp();
  });
  after(() => t.close());

  test('a rule gets the zone, and its next five times', async () => {
    const rule = 'FREQ=DAILY;BYHOUR=6;BYMINUTE=0;BYSECOND=0';
    const { status, body } = await t.post('/schedules/preview', { rrule: rule, time_zone: 'Asia/Tokyo' });
    assert.equal(status, 200);
    assert.equal(body.rrule, `${rule};TZID=Asia/Tokyo`);
    assert.equal(body.next_run_times.length, 5);
    // Tokyo has no summer time: 06:00 is 21:00 UTC.
    for (const time of body.next_run_times) assert.equal(time % 86_400, 21 * 3_600);
  });

  test('a zone in the rule wins, and without any zone the rule is in UTC', async () => {
    const own = 'FREQ=DAILY;BYHOUR=6;BYMINUTE=0;BYSECOND=0;TZID=Asia/Tokyo';
    assert.equal((await t.post('/schedules/preview', { rrule: own, time_zone: 'Europe/Berlin' })).body.rrule, own);
    const { body } = await t.post('/schedules/preview', { rrule: 'FREQ=DAILY;BYHOUR=6;BYMINUTE=0;BYSECOND=0' });
    assert.equal(body.next_run_times[0] % 86_400, 6 * 3_600);
  });

  test('a wrong rule or zone is refused in words', async () => {
    for (const body of [{ rrule: 'x' }, { rrule: 'FREQ=MINUTELY' }, { rrule: 'FREQ=DAILY', time_zone: 'Mars/Base' }]) {
      const { status, text } = await t.post('/schedules/preview', body);
      assert.equal(status, 400, text);
      assert.match(text, /rrule/);
    }
  });
});
