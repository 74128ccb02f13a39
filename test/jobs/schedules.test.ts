/** Schedules: when a run starts, that it starts once, and with which credential. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { findSettingOfGroup } from '../../src/corpus/setting-store.ts';
import { ingestRun } from '../../src/ingest/run-ingest.ts';
import { jitterMs, startScheduled } from '../../src/ingest/runs/start-scheduled.ts';
import { openSchedules } from '../../src/jobs/schedules.ts';
import { openOneTimeCredential } from '../../src/vault/secret-store.ts';
import { buildWorker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/upload.ts';
import {
  createSource,
  credentialFor,
  SOURCE_FORMS,
  type SourceForm,
  scriptedConnectors,
  storeSecret,
} from '../support/worlds/connector-sources.ts';

const HOUR_MS = 3_600_000;
const JITTER_MS_MAX = 60_000;
const web = SOURCE_FORMS.find(({ kind }) => kind === 'web')!;
const drive = SOURCE_FORMS.find(({ kind }) => kind === 'drive')!;

let ahead = 0;
let frozen: Date | undefined;
const clock = { now: () => frozen ?? new Date(Date.now() + ahead) };
const script = scriptedConnectors();
let t: TestApp;
before(async () => {
  t = await openTestApp({ given: { clock, connectors: script.connectors } });
});
after(() => t.close());

const context = { signal: new AbortController().signal, lastAttempt: true };
const sweep = () => startScheduled(t.deps)({}, context);

async function runsOf(id: string) {
  return (await t.get(`/source-groups/${id}/runs?limit=100`)).body.runs;
}

/** Runs the latest run as a worker does, and returns it. */
async function work(id: string) {
  await ingestRun(t.deps)({ tenantId: t.tenantId, runId: (await runsOf(id)).at(-1).id }, context);
  return (await runsOf(id)).at(-1);
}

async function created(form: SourceForm, more: Record<string, unknown>): Promise<string> {
  const { id } = await createSource(t, form, more);
  assert.equal((await work(id)).status, 'success');
  return id;
}

const statusOf = async (id: string) => (await t.get(`/source-groups/${id}`)).body.status;
const settingOf = async (id: string) => (await t.deps.db.transaction(t.tenantId, (tx) => findSettingOfGroup(tx, id)))!;

/** Moves the clock to the next occurrence of the setting and to the moment at which its run starts. */
async function moveToNext(id: string, more = 0): Promise<void> {
  const { id: settingId, nextTimes } = await settingOf(id);
  ahead = nextTimes[0]!.getTime() + jitterMs(settingId) + more - Date.now();
}

describe('a schedule', () => {
  test('starts one run at its time and shows the next time', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY' });
    assert.equal(await statusOf(id), 'managed');
    await sweep();
    assert.equal((await runsOf(id)).length, 1, 'no run starts before its time');
    const [due] = (await settingOf(id)).nextTimes;
    await moveToNext(id);
    // Several workers check the schedules at the same time.
    await Promise.all([sweep(), sweep(), sweep()]);
    assert.equal((await runsOf(id)).length, 2);
    assert.equal(await statusOf(id), 'queued');
    const { nextTimes } = await settingOf(id);
    assert.equal(nextTimes[0]!.getTime(), due!.getTime() + HOUR_MS);
    assert.equal((await work(id)).status, 'success');
    assert.equal(await statusOf(id), 'managed');
  });

  test('delays its run by a fixed time of at most a minute', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY' });
    const setting = await settingOf(id);
    const delay = jitterMs(setting.id);
    assert.ok(delay >= 0 && delay < JITTER_MS_MAX);
    for (const [early, expected] of [
      [1, 1],
      [0, 2],
    ] as const) {
      frozen = new Date(setting.nextTimes[0]!.getTime() + delay - early);
      await sweep();
      frozen = undefined;
      assert.equal((await runsOf(id)).length, expected);
    }
    await work(id);
  });

  test('that is cleared at the last moment starts no run', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY' });
    await moveToNext(id);
    const { next } = t.deps.schedules;
    const schedules = {
      ...t.deps.schedules,
      async next(...rule: Parameters<typeof next>) {
        await t.put(`${web.settingPath}/${(await settingOf(id)).id}`, { name: 'n', rrule: '' });
        return next(...rule);
      },
    };
    await startScheduled({ ...t.deps, schedules })({}, context);
    assert.equal((await runsOf(id)).length, 1);
    assert.deepEqual((await settingOf(id)).nextTimes, []);
  });

  test('starts one run after any number of missed times', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY' });
    await moveToNext(id, 50 * HOUR_MS);
    await sweep();
    await work(id);
    await sweep();
    assert.equal((await runsOf(id)).length, 2);
    const [next] = (await settingOf(id)).nextTimes;
    assert.ok(next! > clock.now() && next!.getTime() <= clock.now().getTime() + HOUR_MS, String(next));
  });

  test('skips a time while a run is active', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY' });
    await moveToNext(id);
    await sweep();
    for (let i = 0; i < 3; i++) {
      await moveToNext(id);
      await sweep();
      assert.ok((await settingOf(id)).nextTimes[0]! > clock.now());
    }
    assert.equal((await runsOf(id)).length, 2);
    await work(id);
    await sweep();
    assert.equal((await runsOf(id)).length, 2, 'a skipped time is not made up for');
    await moveToNext(id);
    await sweep();
    assert.equal((await runsOf(id)).length, 3);
    await work(id);
  });

  test('ends after its last occurrence', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY;COUNT=3' });
    for (const expected of [2, 3]) {
      await moveToNext(id);
      await sweep();
      assert.equal((await runsOf(id)).length, expected);
      await work(id);
    }
    assert.deepEqual((await settingOf(id)).nextTimes, []);
    ahead += 10 * HOUR_MS;
    await sweep();
    assert.equal((await runsOf(id)).length, 3);
  });

  test('ends when it is cleared, and when its setting or its source is deleted', async () => {
    const rrule = 'FREQ=HOURLY';
    const ends = [
      async (id: string) => t.put(`${web.settingPath}/${(await settingOf(id)).id}`, { name: 'n', rrule: '' }),
      async (id: string) => t.delete(`${web.settingPath}/${(await settingOf(id)).id}`),
      (id: string) => t.delete(`${web.path}/${id}`),
    ];
    for (const end of ends) {
      const id = await created(web, { rrule });
      const runs = (await runsOf(id)).length;
      await moveToNext(id);
      assert.ok((await end(id)).status < 300);
      await sweep();
      assert.equal((await runsOf(id)).length, runs);
    }
  });

  test('starts the next run after a failure', async () => {
    const secret = await storeSecret(t, drive);
    const id = await created(drive, { rrule: 'FREQ=DAILY', secret_id: secret });
    assert.equal((await t.delete(`/secrets/${secret}`)).status, 200);
    for (const expected of [2, 3]) {
      await moveToNext(id);
      await sweep();
      const run = await work(id);
      assert.equal((await runsOf(id)).length, expected);
      assert.equal(run.status, 'failure');
      assert.match(run.error.title, /credential/);
      assert.match(run.error.message, new RegExp(`secret ${secret} was deleted`));
      assert.equal(await statusOf(id), 'failure');
    }
    assert.equal((await t.get(`${drive.path}/${id}`)).body.error.title, 'The credential of the source is gone');
  });

  test('pauses as long as its runs have failed, until one succeeds', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY' });
    const started: number[] = [];
    const next = async () => {
      await moveToNext(id);
      started.push((await settingOf(id)).nextTimes[0]!.getTime() / HOUR_MS);
      await sweep();
      return work(id);
    };
    script.problem = { title: 'The site is down', message: 'Wait.', retryable: true };
    for (let i = 0; i < 8; i++) assert.equal((await next()).status, 'failure');
    assert.deepEqual(
      started.slice(1).map((at, i) => Math.round(at - started[i]!)),
      [1, 1, 2, 4, 8, 16, 22],
    );
    const { id: settingId, nextTimes, failingSince } = await settingOf(id);
    const { body } = await t.get(`${web.settingPath}/${settingId}`);
    assert.equal(body.failing_since_time, Math.floor(failingSince!.getTime() / 1000));
    assert.ok(Math.abs(failingSince!.getTime() / HOUR_MS - started[0]!) < 0.1);
    assert.equal(body.next_run_times[0], nextTimes[0]!.getTime() / 1000);

    script.problem = undefined;
    assert.equal((await t.post(`/source-groups/${id}/runs`, {})).status, 201);
    assert.equal((await work(id)).status, 'success');
    const mended = await t.get(`${web.settingPath}/${settingId}`);
    assert.equal(mended.body.failing_since_time, null);
    assert.ok(mended.body.next_run_times[0] - clock.now().getTime() / 1000 <= 3_600);
  });

  test('keeps its pace when runs end by a fault of the service', async () => {
    const id = await created(web, { rrule: 'FREQ=HOURLY' });
    for (let i = 0; i < 3; i++) {
      await moveToNext(id);
      await sweep();
      script.gate = Promise.reject(new Error('the disk of the service is full'));
      script.gate.catch(() => {});
      await assert.rejects(work(id), /disk/);
      assert.equal(await statusOf(id), 'failure');
      const { nextTimes, failingSince } = await settingOf(id);
      assert.equal(failingSince, null);
      assert.ok(nextTimes[0]!.getTime() - clock.now().getTime() <= HOUR_MS);
    }
    script.gate = Promise.resolve();
    assert.equal((await t.delete(`${web.path}/${id}`)).status, 202);
  });

  test('of a day skips no day while its runs fail, and a last occurrence stays', async () => {
    for (const [rrule, hours] of [
      ['FREQ=DAILY;TZID=Europe/Berlin', 25],
      ['FREQ=HOURLY;COUNT=5', 1],
    ] as const) {
      const id = await created(web, { rrule });
      script.problem = { title: 'The site is down', message: 'Wait.', retryable: true };
      let last = (await settingOf(id)).nextTimes[0]!.getTime();
      for (let i = 0; i < 3; i++) {
        await moveToNext(id);
        await sweep();
        assert.equal((await work(id)).status, 'failure');
        const [time] = (await settingOf(id)).nextTimes;
        assert.ok(time!.getTime() - last <= hours * HOUR_MS);
        last = time!.getTime();
      }
      script.problem = undefined;
      assert.equal((await t.delete(`${web.path}/${id}`)).status, 202);
    }
  });

  test('that failed runs at once when its secret has a new value', async () => {
    const secret = await storeSecret(t, drive);
    const id = await created(drive, { rrule: 'FREQ=HOURLY', secret_id: secret });
    const change = async (value: object) => {
      assert.equal((await t.put(`/secrets/${secret}`, { name: 's', description: '', ...value })).status, 200);
      return (await settingOf(id)).nextTimes[0]! <= clock.now();
    };
    assert.equal(await change({ secret: credentialFor(drive) }), false, 'the last run succeeded');
    script.problem = { title: 'The credential was refused', message: 'Change it.', retryable: false };
    for (let i = 0; i < 3; i++) {
      await moveToNext(id);
      await sweep();
      await work(id);
    }
    await moveToNext(id);
    await sweep();
    assert.equal(await change({ secret: credentialFor(drive) }), true);
    await sweep();
    assert.equal((await work(id)).status, 'failure', 'a run that had begun has the old value');
    const untilNext = (await settingOf(id)).nextTimes[0]!.getTime() - clock.now().getTime();
    assert.ok(untilNext <= HOUR_MS + JITTER_MS_MAX, `${untilNext / HOUR_MS} hours`);
    script.problem = undefined;
    assert.equal(await change({}), false, 'the value is the same');
    assert.equal(await change({ secret: credentialFor(drive) }), true);
    await moveToNext(id);
    await sweep();
    assert.equal((await work(id)).status, 'success');
    assert.equal((await settingOf(id)).failingSince, null);
  });

  test('whose setting is deleted leaves a source that can be run', async () => {
    const id = await created(drive, { rrule: 'FREQ=DAILY' });
    await t.delete(`${drive.settingPath}/${(await settingOf(id)).id}`);
    assert.equal((await t.post(`/source-groups/${id}/runs`, {})).status, 201);
    assert.equal((await t.post(`/source-groups/${id}/runs`, {})).status, 409, 'while it runs');
    assert.equal((await work(id)).status, 'success');
    assert.equal(await statusOf(id), 'success');
    assert.equal(script.credentials.at(-1), credentialFor(drive));
  });
});

describe('a one-time credential', () => {
  const once = { secret_id: undefined, service_account_key: credentialFor(drive) };
  const stored = (id: string) => openOneTimeCredential(t.deps, t.tenantId, id);

  test('is used by the first run and deleted at its end, and another run is refused with 409', async () => {
    const { id } = await createSource(t, drive, once);
    assert.equal(await stored(id), credentialFor(drive));
    assert.equal((await work(id)).status, 'success');
    assert.equal(script.credentials.at(-1), credentialFor(drive));
    assert.equal(await stored(id), undefined);
    for (const body of [{}, { only_failed: true }]) {
      const refused = await t.post(`/source-groups/${id}/runs`, body);
      assert.deepEqual([refused.status, refused.body.error.type], [409, 'conflict_error']);
    }
    assert.equal((await t.get(`${drive.path}/${id}`)).body.status, 'success');
  });

  test('is also deleted when the first run fails or is canceled', async () => {
    script.gate = Promise.reject(new Error('the test lets the listing fail'));
    script.gate.catch(() => {});
    const failed = (await createSource(t, drive, once)).id;
    await assert.rejects(work(failed));
    script.gate = Promise.resolve();
    assert.equal(await statusOf(failed), 'failure');
    assert.equal(await stored(failed), undefined);

    const canceled = (await createSource(t, drive, once)).id;
    const [run] = await runsOf(canceled);
    assert.equal((await t.post(`/runs/${run.id}/cancel`, undefined)).status, 202);
    await work(canceled);
    assert.equal(await statusOf(canceled), 'canceled');
    assert.equal(await stored(canceled), undefined);
  });
});

test('a worker starts due runs at its own start and later at their time', async () => {
  const id = await created(web, { rrule: 'FREQ=HOURLY' });
  await moveToNext(id, 5 * HOUR_MS);
  const worker = buildWorker(t.deps, { scheduleIntervalMs: 100 });
  await worker.start();
  try {
    await eventually(async () => (await runsOf(id)).length === 2 && (await statusOf(id)) === 'managed');
    await moveToNext(id);
    await eventually(async () => (await runsOf(id)).length === 3 && (await statusOf(id)) === 'managed');
  } finally {
    await worker.stop(5_000);
  }
});

describe('the evaluation of rules', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  /** A rule without occurrences, which takes long to evaluate. */
  const HEAVY = 'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30';

  test('does not block the event loop', async () => {
    const schedules = openSchedules();
    let ticks = 0;
    await schedules.check('FREQ=DAILY', now, now);
    const timer = setInterval(() => ticks++, 1);
    await assert.rejects(schedules.check(HEAVY, now, now), { code: 'invalid_request' });
    clearInterval(timer);
    assert.ok(ticks > 0);
    await schedules.close();
  });

  test('refuses a rule that takes too long, and evaluates later rules', async () => {
    const schedules = openSchedules({ ruleMsMax: 1 });
    await assert.rejects(schedules.check(HEAVY, now, now), { code: 'invalid_request', message: /too long/ });
    await schedules.close();
    const unhurried = openSchedules({ ruleMsMax: 60_000 });
    await unhurried.check('FREQ=DAILY', now, now);
    // The thread ends as after a rule that used up its memory.
    await unhurried.close();
    assert.equal((await unhurried.check('FREQ=DAILY', now, now)).length, 5);
    await unhurried.close();
  });

  test('waits for a rule that gets little processor time, but not for a thread that hangs', async () => {
    const script = new URL('../support/sleeping-schedule-worker.ts', import.meta.url);
    const patient = openSchedules({ ruleMsMax: 1_000, script });
    assert.deepEqual(await patient.check('1500', now, now), []);
    await patient.close();
    const brief = openSchedules({ ruleMsMax: 20, script });
    await assert.rejects(brief.check('Infinity', now, now), { message: /too long/ });
    await brief.close();
  });

  test('names the problem of a rule without repeating the rule', async () => {
    const answer = await t.post(web.path, { name: 'n', ...web.origin, rrule: 'FREQ=DAILY;INTERVAL=-1' });
    assert.equal(answer.body.error.message, '/rrule: the rule must have in INTERVAL a whole number of 1 or more.');
  });
});
