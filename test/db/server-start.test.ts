/** Starts on a PostgreSQL server: several at once on an empty database, and starts that fail with an explanation. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { generateApiKey } from '../../src/access/api-key.ts';
import { SchemaMismatch } from '../../src/db/migrate.ts';
import { openDatabase, prepareDatabase } from '../../src/db/open.ts';
import { explainStart } from '../../src/db/server/start.ts';
import { sql } from '../../src/db/sql.ts';
import { ServiceError } from '../../src/errors.ts';
import { ConfigError } from '../../src/util/settings/settings-reader.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const SERVER = process.env['PINAKES_TEST_DATABASE_URL'];
const PASSWORD = 'open-sesame';
const dataDir = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

/** Returns the one line with which a start on this server fails. */
async function refusal(url: string): Promise<string> {
  const error = await openDatabase({ url, dataDir }).then(
    () => assert.fail('it started'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigError, String(error));
  assert.match(error.message, /^PINAKES_DATABASE_URL names .*; for example PINAKES_DATABASE_URL=postgres:\/\/[^\n]*$/);
  assert.ok(!error.message.includes(PASSWORD), error.message);
  return error.message;
}

test('the error for a server that cannot be reached names host and port', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const { port } = free.address() as { port: number };
  await new Promise((resolve) => free.close(resolve));
  const message = await refusal(`postgres://someone:${PASSWORD}@127.0.0.1:${port}/x`);
  assert.match(message, new RegExp(`names 127\\.0\\.0\\.1:${port}, which cannot be reached \\(ECONNREFUSED\\)`));
  assert.match(await refusal(`postgres://someone:${PASSWORD}@pinakes.invalid/x`), /pinakes\.invalid:5432, .*reached/);
});

describe('the error of a start names the host, the role or the database and a remedy for', () => {
  const url = `postgres://jo:${PASSWORD}@db.example:6432/books`;
  const CASES: [string, string | undefined, RegExp][] = [
    ['extension "vector" is not available', '0A000', /names db\.example:6432, which lacks pgvector \(install/],
    ['permission denied to create extension "vector"', '42501', /role "jo" .*superuser runs once: create extension/],
    ['permission denied to create role', '42501', /create role pinakes_app nologin; grant pinakes_app to "jo"/],
    ['permission denied for schema public', '42501', /grant all on schema public to "jo"/],
    ['permission denied for database books', '42501', /grant create on the database to "jo"/],
    ['database "books" does not exist', '3D000', /names the database "books", which db\.example:6432 does not have/],
    ['role "jo" does not exist', '28000', /names the role "jo", which db\.example:6432 refuses/],
    ['password authentication failed for user "jo"', '28P01', /role "jo", but db\.example:6432 refuses its password/],
    [
      'unsupported startup parameter: statement_timeout',
      '08P01',
      /db\.example:6432, which is a pooler .*server itself/,
    ],
    ['The server does not support SSL connections', undefined, /no encrypted connection/],
  ];
  for (const [message, code, expected] of CASES)
    test(message, () => {
      const explained = explainStart(Object.assign(new Error(message), { code }), url);
      assert.ok(explained instanceof ConfigError);
      assert.match(explained.message, expected);
      assert.ok(!explained.message.includes(PASSWORD));
    });

  test('a database that another version made', () => {
    const message = (mismatch: SchemaMismatch): string => (explainStart(mismatch, url) as ConfigError).message;
    assert.match(
      message(SchemaMismatch.unreleased('0001_core')),
      /names the database "books" on db\.example:6432, but an unreleased .* made it: start with a new database and ingest again/,
    );
    assert.match(
      message(SchemaMismatch.newer('0002_later')),
      /a newer .* made it: use the newer program, or start with/,
    );
  });

  test('an unknown error is returned unchanged', () => {
    const bug = new TypeError('x is not a function');
    assert.equal(explainStart(bug, url), bug);
    const wanted = new ServiceError('not_found', 'no such thing');
    assert.equal(explainStart(wanted, url), wanted);
  });
});

describe('on a server', { skip: SERVER === undefined ? 'for a server' : false }, () => {
  const made: string[] = [];
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: SERVER! });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const place = (change: Partial<URL>): string => Object.assign(new URL(SERVER!), change).href;
  after(async () => {
    for (const name of made) await administer(`drop database if exists ${name} with (force)`);
  });

  test('the error names a missing database and a missing role', async () => {
    assert.match(await refusal(place({ pathname: '/pinakes_nowhere' })), /database "pinakes_nowhere", which /);
    assert.match(await refusal(place({ username: 'pinakes_nobody', password: PASSWORD })), /role "pinakes_nobody"/);
  });

  test('two processes prepare the same database one after the other', async () => {
    const two = await Promise.all([openDatabase({ url: SERVER!, dataDir }), openDatabase({ url: SERVER!, dataDir })]);
    try {
      const events: string[] = [];
      await Promise.all(
        two.map((db, index) =>
          prepareDatabase(db, { databaseUrl: SERVER!, dataDir }, async () => {
            events.push(`${index} begins`);
            await db.system.query(sql`select pg_sleep(0.05)`);
            events.push(`${index} ends`);
          }),
        ),
      );
      const first = events[0]!.slice(0, 1);
      assert.deepEqual(events.slice(0, 2), [`${first} begins`, `${first} ends`]);
    } finally {
      await Promise.all(two.map((db) => db.close()));
    }
  });

  test('three processes that start at once on an empty database all become ready', async () => {
    const name = `pinakes_test_${randomBytes(6).toString('hex')}`;
    await administer(`create database ${name}`);
    made.push(name);
    const env = {
      PINAKES_DATABASE_URL: place({ pathname: `/${name}` }),
      PINAKES_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const { key } = generateApiKey();
    const started = await Promise.allSettled(
      ['a', 'b', 'c'].map((own) => startServiceProcess({ dataDir: join(dataDir, own), env, key })),
    );
    const running = started.flatMap((one): ServiceProcess[] => (one.status === 'fulfilled' ? [one.value] : []));
    try {
      const failures = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
      assert.deepEqual(failures, []);
    } finally {
      await Promise.all(running.map((service) => service.stop()));
    }
  });
});
