/** What the embedded engine needs from us: durable commits, one process per directory, one session, maintenance. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual, promisify } from 'node:util';
import { createTenant, type Tenant } from '../../src/corpus/tenant-store.ts';
import type { Database } from '../../src/db/database.ts';
import { errorOfStart } from '../../src/db/embedded/disk-room.ts';
import { DurableFs, type EngineFiles } from '../../src/db/embedded/durable-fs.ts';
import { openEmbeddedDatabase } from '../../src/db/embedded/embedded-database.ts';
import { type Engine, openEngine } from '../../src/db/embedded/engine.ts';
import { createSession } from '../../src/db/embedded/session.ts';
import { simpleQuery } from '../../src/db/embedded/wire.ts';
import { dueSteps, startMaintenance } from '../../src/db/maintenance.ts';
import { sql } from '../../src/db/sql.ts';
import { mergeSegments } from '../../src/db/text-segments.ts';
import { newId } from '../../src/util/ids.ts';
import { copyTemplate } from '../support/database.ts';
import { eventually } from '../support/upload.ts';

const openModule = new URL('../../src/db/embedded/embedded-database.ts', import.meta.url).href;

let folder: string;
let db: Database;
let tenant: Tenant;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-test-'));
  await copyTemplate(folder);
  db = await openEmbeddedDatabase({ dataDir: join(folder, 'database') });
  tenant = await createTenant(db, { id: newId(), name: 'default' });
});

after(async () => {
  await db.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a second process on a data directory is refused with one line that names the directory', async () => {
  const dataDir = join(folder, 'database');
  await assert.rejects(openEmbeddedDatabase({ dataDir }), /^ServiceError: another Pinakes process uses .*database /);
  const script = `const { openEmbeddedDatabase } = await import(${JSON.stringify(openModule)});
    await openEmbeddedDatabase({ dataDir: ${JSON.stringify(dataDir)} }).then(() => console.log('opened'), (e) => console.log(e.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.match(
    stdout,
    /^another Pinakes process uses .*: wait if it starts .*stop it, or choose another data directory/,
  );
});

test('acknowledged rows survive a kill, and the directory is unlocked at once', async () => {
  await copyTemplate(join(folder, 'killed'));
  const dataDir = join(folder, 'killed', 'database');
  const script = `const { openEmbeddedDatabase } = await import(${JSON.stringify(openModule)});
    const db = await openEmbeddedDatabase({ dataDir: ${JSON.stringify(dataDir)} });
    await db.system.execute('create table kept (id int)');
    for (let id = 1; ; id++) { await db.system.execute('insert into kept values ($1)', [id]); console.log(id); }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.split('\n').length > 50) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  const acknowledged = Number(output.trimEnd().split('\n').at(-2));
  const reopened = await openEmbeddedDatabase({ dataDir });
  const [row] = await reopened.system.query<{ newest: number; count: number }>(
    sql`select max(id) as newest, count(*) from kept`,
  );
  await reopened.close();
  assert.ok(row!.newest >= acknowledged, `${acknowledged} was acknowledged, ${row!.newest} is there`);
  assert.equal(row!.count, row!.newest);
});

test('commits are fsynced', async () => {
  const before = await walSyncs();
  for (let i = 0; i < 5; i++) {
    await db.query(
      tenant.id,
      sql`insert into tag (tenant_id, id, name) values (${tenant.id}, ${newId()}, ${`tag ${i}`})`,
    );
  }
  assert.ok((await walSyncs()) - before >= 5);
  const [settings] = await db.system.query(
    sql`select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method, current_setting('synchronous_commit') as commit`,
  );
  assert.deepEqual(settings, { fsync: 'on', method: 'fsync', commit: 'on' });
});

async function walSyncs(): Promise<number> {
  await db.system.query(sql`select pg_stat_force_next_flush()`);
  const [row] = await db.system.query<{ syncs: number }>(
    sql`select sum(fsyncs)::int8 as syncs from pg_stat_io where object = 'wal'`,
  );
  return row?.syncs ?? 0;
}

test('an fsync of the engine syncs the file of the host, and reports its failure to the engine', () => {
  class ErrnoError extends Error {
    readonly errno: number;
    constructor(errno: number) {
      super(`errno ${errno}`);
      this.errno = errno;
    }
  }
  const files: EngineFiles = { filesystems: { NODEFS: { stream_ops: {} } }, ErrnoError };
  const durable = new DurableFs(folder);
  durable.install(files);
  const { fsync } = files.filesystems.NODEFS.stream_ops;
  const nfd = openSync(join(folder, 'file'), 'w');
  assert.equal(fsync?.({ nfd }), 0);
  assert.equal(durable.fsyncCount, 1);
  closeSync(nfd);
  assert.throws(() => fsync?.({ nfd }), ErrnoError);
});

test('after a first start was killed half-way, the next start works', async () => {
  const dataDir = join(folder, 'half');
  mkdirSync(`${dataDir}.new`);
  writeFileSync(join(`${dataDir}.new`, 'PG_VERSION'), '18');
  await (await openEmbeddedDatabase({ dataDir })).close();
  assert.ok(!existsSync(`${dataDir}.new`));
});

test('a directory with other files is refused and left unchanged', async () => {
  const dataDir = join(folder, 'other');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'notes.txt'), 'mine');
  await assert.rejects(openEmbeddedDatabase({ dataDir }), /is not empty and holds no database/);
});

test('inside a transaction, a statement outside its tx is refused instead of waiting forever', async () => {
  await assert.rejects(
    db.transaction(tenant.id, async () => {
      await db.query(tenant.id, sql`select 1`);
    }),
    /inside a transaction, use its tx/,
  );
});

test('a notification reaches its listener only when its transaction commits', async () => {
  const heard: string[] = [];
  const second = Promise.withResolvers<void>();
  const listener = await db.system.listen(
    'test channel',
    (payload) => {
      heard.push(payload);
      second.resolve();
    },
    () => {},
  );
  await assert.rejects(
    db.transaction(tenant.id, async (tx) => {
      await tx.query(sql`select pg_notify('test channel', 'rolled back')`);
      throw new Error('no');
    }),
  );
  await db.transaction(
    tenant.id,
    async (tx) => void (await tx.query(sql`select pg_notify('test channel', 'committed')`)),
  );
  await second.promise;
  await listener.close();
  assert.deepEqual(heard, ['committed']);
});

test('maintenance analyzes and vacuums tables that changed, also those of the system, which each ANALYZE makes larger', async () => {
  const columns = Array.from({ length: 40 }, (_, i) => `${i + 1} as c${i}`).join();
  await db.system.execute(`create table wide as select ${columns}; ${'analyze wide; '.repeat(30)} drop table wide`);
  await db.query(
    tenant.id,
    sql`insert into tag (tenant_id, id, name) select ${tenant.id}, gen_random_uuid(), 'many ' || i from generate_series(1, 2000) i`,
  );
  await db.query(tenant.id, sql`delete from tag where tenant_id = ${tenant.id} and name like 'many %'`);
  const maintenance = startMaintenance(db, { warn: () => {} });
  const isTidy = async (): Promise<boolean> => {
    const [row] = await db.system.query<{ tidy: boolean }>(
      sql`select every(last_vacuum is not null) and count(last_analyze) = 1 as tidy from pg_stat_all_tables
        where relname in ('tag', 'pg_statistic')`,
    );
    return row?.tidy ?? false;
  };
  await eventually(isTidy);
  await maintenance.stop();
});

test('maintenance vacuums a table although its dead rows come from before the last start', async () => {
  const dataDir = join(folder, 'daily', 'database');
  await copyTemplate(join(folder, 'daily'));
  const yesterday = await openEmbeddedDatabase({ dataDir });
  await yesterday.system.execute(`create table daily as select 'row ' || i as text from generate_series(1, 4000) i;
    create table small as select 1 as number; delete from daily`);
  await yesterday.close();
  const today = await openEmbeddedDatabase({ dataDir });
  const maintenance = startMaintenance(today, { warn: () => {} });
  const tables = (): Promise<object[]> =>
    today.system.query(sql`
      select relname as name, analyze_count as analyses, vacuum_count as vacuums from pg_stat_user_tables
      where relname in ('daily', 'small') order by 1`);
  const expected = [
    { name: 'daily', analyses: 1, vacuums: 1 },
    { name: 'small', analyses: 0, vacuums: 0 },
  ];
  await eventually(async () => isDeepStrictEqual(await tables(), expected));
  await maintenance.stop();
  await today.close();
});

test('ANALYZE samples no long column of chunks', async () => {
  const rows = await db.system.query<{ name: string }>(sql`
    select attname as name from pg_attribute
    where attrelid = to_regclass(${`chunk_${tenant.partitionNo}`}) and attstattarget = 0 order by 1`);
  const unsampled = rows.map(({ name }) => name);
  assert.deepEqual(unsampled, ['content', 'context', 'heading_path', 'metadata', 'pages', 'terms']);
});

test('maintenance merges the segments of a BM25 index, and inserts do not', async () => {
  await db.system.execute(`
    create table text (id int generated always as identity, words text);
    create index text_words on text using bm25 (words) with (text_config = 'simple')`);
  const levels = async (): Promise<number[]> => {
    const [row] = await db.system.query<{ levels: number[] }>(sql`select bm25_level_counts('text_words') as levels`);
    return row!.levels.slice(0, 2);
  };
  const found = (): Promise<object[]> =>
    db.system.query(sql`
      select id from text order by words <@> to_bm25query('common word3 word7', 'text_words'), id limit 5`);
  const write = async (segments: number): Promise<void> => {
    for (let i = 1; i <= segments; i += 1) {
      await db.system.query(sql`insert into text (words) values (${`common ${'word3 '.repeat(i)} word${i}`})`);
      await db.system.query(sql`select bm25_spill_index('text_words')`);
    }
  };
  const merge = (quietMs: number): Promise<void> => mergeSegments(db, new Map(), quietMs, new AbortController().signal);
  await merge(0);
  await write(9);
  assert.deepEqual(await levels(), [9, 0], 'inserts merge no segments');
  const before = await found();
  await merge(0);
  assert.deepEqual(await levels(), [1, 2], 'while rows are written, only full groups of new segments are merged');
  assert.deepEqual(await found(), before);
  await merge(5_000);
  assert.deepEqual(await levels(), [0, 1]);
  assert.deepEqual(await found(), before);
  await db.system.execute('drop table text');
});

test('maintenance makes no segment of a BM25 index that would take much memory to make', async () => {
  await db.system.execute(`
    create table large (words text);
    create index large_words on large using bm25 (words) with (text_config = 'simple', compaction = 'manual')`);
  for (let i = 1; i <= 8; i += 1) {
    await db.system.query(sql`
      insert into large select string_agg(to_hex(${i}::int * 45000 + n), ' ') from generate_series(1, 45000) n`);
    await db.system.query(sql`select bm25_spill_index('large_words')`);
  }
  await mergeSegments(db, new Map(), 3_600_000, new AbortController().signal);
  const [row] = await db.system.query<{ levels: number[] }>(sql`select bm25_level_counts('large_words') as levels`);
  assert.equal(
    row!.levels.reduce((sum, count) => sum + count),
    2,
  );
  await db.system.execute('drop table large');
});

test('small changes are ignored, and dead rows wait for a quiet moment unless they are many', () => {
  const table = { schema: 'public', name: 'tag', rows: 1_000, dead: 0, changed: 0, uncounted: false };
  const names = (dead: number, changed: number, quiet: boolean): string[] => {
    const due = dueSteps([{ ...table, dead, changed }], quiet);
    return [...due.analyze.map(() => 'analyze'), ...due.vacuum.map(() => 'vacuum')];
  };
  assert.deepEqual(names(10, 10, true), []);
  assert.deepEqual(names(0, 1_000, true), ['analyze']);
  assert.deepEqual(names(0, 1_000, false), [], 'a growing table is analyzed when it has doubled');
  assert.deepEqual(names(0, 1_300, false), ['analyze']);
  assert.deepEqual(names(1_000, 0, false), []);
  assert.deepEqual(names(1_000, 0, true), ['vacuum']);
  assert.deepEqual(names(50_000, 0, false), ['vacuum']);
});

test('an engine that must end is restarted: committed rows stay, the open transaction is lost', async () => {
  await copyTemplate(join(folder, 'restarted'));
  const engine = await openEngine(join(folder, 'restarted', 'database'));
  const session = createSession(engine);
  await session.single(simpleQuery('create table kept (id int); insert into kept values (1)'));
  const lease = await session.lease();
  await lease.run(simpleQuery('begin; insert into kept values (2)'));

  const restarted = new Promise<void>((resolve) => engine.onRestart(resolve));
  engine.restart(new Error('as after a PANIC'));
  await restarted;
  await assert.rejects(lease.run(simpleQuery('insert into kept values (3)')), { code: 'overloaded' });
  await assert.rejects(lease.end(simpleQuery('commit')), { code: 'overloaded' });
  assert.deepEqual((await session.single(simpleQuery('select id from kept'))).rows, [{ id: 1 }]);
  await engine.close();
});

test('an engine that throws an error is restarted: it may not be able to go on', async () => {
  await copyTemplate(join(folder, 'thrown'));
  const engine = await openEngine(join(folder, 'thrown', 'database'));
  const session = createSession(engine);
  await session.single(simpleQuery('create table kept (id int); insert into kept values (1)'));
  const restarted = new Promise<void>((resolve) => engine.onRestart(resolve));
  // The engine's driver throws an error when it gets the first packet of a connection.
  await assert.rejects(engine.run(new Uint8Array(8)), { code: 'overloaded' });
  await restarted;
  assert.deepEqual((await session.single(simpleQuery('select id from kept'))).rows, [{ id: 1 }]);
  await engine.close();
});

test('while the disk is full, requests are told so; the engine starts again when there is room', async () => {
  await copyTemplate(join(folder, 'full'));
  const [database, aside] = [join(folder, 'full', 'database'), join(folder, 'full', 'aside')];
  const engine = await openEngine(database);
  const session = createSession(engine);
  await session.single(simpleQuery('create table kept (id int); insert into kept values (1)'));
  // No byte is free in /proc.
  renameSync(database, aside);
  symlinkSync('/proc', database);
  const restarted = new Promise<void>((resolve) => engine.onRestart(resolve));
  engine.restart(new Error('as after a PANIC'));
  const refusal = () =>
    session.single(simpleQuery('select 1')).then(String, ({ code, message }) => `${code}: ${message}`);
  await eventually(async () => /^overloaded: The disk of the database is full\..* starts again/.test(await refusal()));
  rmSync(database);
  renameSync(aside, database);
  await restarted;
  assert.deepEqual((await session.single(simpleQuery('select id from kept'))).rows, [{ id: 1 }]);
  await engine.close();
});

test('a start on a full disk says so; other errors of a start stay as they are', async () => {
  const error = new Error('Aborted(). Build with -sASSERTIONS for more info.');
  const problem = (await errorOfStart('/proc', error)) as Error;
  assert.match(
    problem.message,
    /does not start: the disk of \/proc is full \(0\.0 MiB free\)\. Make room.*PINAKES_DATA_DIR/,
  );
  assert.equal(problem.name, 'ServiceError', 'the command line prints one line');
  assert.equal(await errorOfStart(join(folder, 'not there', 'yet'), error), error);
  assert.equal(await errorOfStart(folder, error), error);
});

test('the next transaction begins right after one that only read, and outside it', async () => {
  await copyTemplate(join(folder, 'left'));
  const engine = await openEngine(join(folder, 'left', 'database'));
  const sent: string[] = [];
  const run: Engine['run'] = (bytes) => {
    sent.push(/begin|commit|lost/.exec(Buffer.from(bytes).toString())?.[0] ?? '');
    return engine.run(bytes);
  };
  const session = createSession({ ...engine, run });
  const reader = await session.lease();
  await reader.run(simpleQuery('begin read only'));
  const next = session.lease();
  reader.endUnawaited(simpleQuery('commit'));
  const writer = await next;
  const reply = await writer.run(simpleQuery('create table lost (id int)'));
  assert.equal(reply.error, undefined);
  assert.equal(reply.inTransaction, false);
  assert.deepEqual(sent, ['begin', 'commit', 'lost']);
  assert.throws(() => reader.endUnawaited(simpleQuery('commit')), /has ended/);
  await assert.rejects(reader.run(simpleQuery('select 1')), /has ended/);
  await writer.end(simpleQuery(''));
  await session.idle();
  await engine.close();
});
