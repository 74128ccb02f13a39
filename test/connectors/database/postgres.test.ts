/** Database sources with PGlite behind a socket. `npm run faults:databases` runs the same tests with PostgreSQL and MariaDB servers. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { openDatabaseConnector } from '../../../src/connectors/database/connector.ts';
import type { ReadLimits } from '../../../src/connectors/database/session.ts';
import { openTenantSockets } from '../../../src/net/tenant-sockets.ts';
import { openPostgresWire } from '../../support/fakes/postgres-wire.ts';
import { eventually } from '../../support/upload.ts';
import { problemOf, readOrigin } from '../../support/worlds/read-origin.ts';
import { PASSWORD, testDatabase } from './cases.ts';
import { bigPostgresTable, POSTGRES_TYPES } from './types.ts';

testDatabase('PGlite behind a socket', async () => {
  const wire = await openPostgresWire(PASSWORD);
  await wire.run('create schema shop');
  return {
    scheme: 'postgresql',
    port: wire.port,
    run: (sql) => wire.run(`set search_path = shop; ${sql}; set search_path = public`),
    bigTable: bigPostgresTable,
    types: POSTGRES_TYPES,
    isSlow: true,
    hasNoRights: true,
    close: () => wire.close(),
  };
});

test('a table over a limit fails alone, and nothing of it is kept', async () => {
  const wire = await openPostgresWire(PASSWORD);
  try {
    await wire.run(`create table long as select i, repeat('w', 100) as w from generate_series(1, 2000) i;
      create table wide as select repeat('w', 3000) as w; create table short as select 1 as i`);
    const read = async (limits: Partial<ReadLimits>) => {
      const connector = openDatabaseConnector({ sockets: openTenantSockets(['127.0.0.1']), limits });
      const tables = ['long', 'wide', 'short'].map((name) => ({ name: `public.${name}`, columns: [] }));
      const credential = `postgresql://reader:${PASSWORD}@127.0.0.1:${wire.port}/shop?sslmode=disable`;
      const { stored, failed } = await readOrigin(connector, { kind: 'database', tables }, { credential });
      return [Object.keys(stored).sort(), failed];
    };
    const long = (message: string) => ({ 'public.long': `The table is too large: ${message} ${ADVICE}` });
    assert.deepEqual(await read({ tableBytesMax: 100 * 1024 }), [
      ['public.short', 'public.wide'],
      long('It has more than 0.09765625 MiB of text.'),
    ]);
    assert.deepEqual(await read({ rowsMax: 1999 }), [
      ['public.short', 'public.wide'],
      long('It has more than 1999 rows.'),
    ]);
    assert.deepEqual(await read({ cellUnitsMax: 2999 }), [
      ['public.long', 'public.short'],
      {
        'public.wide': `The table is too large: A value of the column w has more than 2999 characters. ${ADVICE}`,
      },
    ]);
    assert.deepEqual(await read({ rowsMax: 2000, cellUnitsMax: 3000 }), [
      ['public.long', 'public.short', 'public.wide'],
      {},
    ]);
  } finally {
    await wire.close();
  }
});

const ADVICE = 'Read fewer columns, or a view with fewer rows.';

test('a server that sends a message without end is cut off', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    // Logged in and ready; then a row of 2 GiB.
    const welcome = Buffer.from('520000000800000000' + '5a0000000549' + '447fffffff0001', 'hex');
    const part = Buffer.alloc(64 * 1024, 'w');
    const send = () => {
      while (!socket.destroyed && socket.write(part));
    };
    socket.once('data', () => socket.write(welcome, send));
    socket.on('drain', send);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connector = openDatabaseConnector({
    sockets: openTenantSockets(['127.0.0.1']),
    limits: { messageBytesMax: 1024 * 1024 },
  });
  const origin = { kind: 'database' as const, tables: [{ name: 'public.long', columns: [] }] };
  const credential = `postgresql://reader:x@127.0.0.1:${port}/shop?sslmode=disable`;
  const { title } = await problemOf(readOrigin(connector, origin, { credential }));
  assert.equal(title, 'The database sent too much at once');
  server.close();
});

test('tables without rows are read again at the end in one new transaction, unless their transaction has just begun', async () => {
  const wire = await openPostgresWire(PASSWORD);
  const sockets = openTenantSockets(['127.0.0.1']);
  let connections = 0;
  const counted: typeof sockets = {
    async open(...given) {
      connections += 1;
      // A server shows these rows only to transactions that begin now. Until the read-only one has ended, the statement fails.
      const insert = () => wire.run('insert into reloaded values (7)').then(() => true);
      if (connections === 2) await eventually(() => insert().catch(() => false));
      return sockets.open(...given);
    },
  };
  try {
    await wire.run(`create table blank (i integer); create table word (w text); insert into word values ('w');
      create table reloaded (i integer); create table last (l text); insert into last values ('l')`);
    const connector = openDatabaseConnector({ sockets: counted });
    const credential = `postgresql://reader:${PASSWORD}@127.0.0.1:${wire.port}/shop?sslmode=disable`;
    const read = async (...names: string[]) => {
      const tables = names.map((name) => ({ name: `public.${name}`, columns: [] }));
      return Object.values((await readOrigin(connector, { kind: 'database', tables }, { credential })).stored);
    };
    assert.deepEqual(await read('blank', 'word'), ['"i"\n', '"w"\n"w"\n']);
    assert.equal(connections, 1);
    connections = 0;
    const tables = await read('word', 'blank', 'reloaded', 'last');
    assert.deepEqual(tables, ['"w"\n"w"\n', '"l"\n"l"\n', '"i"\n', '"i"\n7\n']);
    assert.equal(connections, 2);
  } finally {
    await wire.close();
  }
});

test('a table that is replaced while the tables before it are read is read again at the end, and reported if it stays broken', async () => {
  const wire = await openPostgresWire(PASSWORD);
  const sockets = openTenantSockets(['127.0.0.1']);
  let connections = 0;
  let isBack = false;
  const counted: typeof sockets = {
    async open(...given) {
      connections += 1;
      const create = () => wire.run('create table swapped as select 7 as i').then(() => true);
      if (connections === 3 && isBack) await eventually(() => create().catch(() => false));
      return sockets.open(...given);
    },
  };
  try {
    // The server answers with 42P01 or 42703 for a table or column that an open transaction still sees in its catalogue.
    await wire.run(`create function swapped_rows() returns setof integer language plpgsql as
        'begin return query execute ''select i from public.swapped''; end';
      create view busy as select * from swapped_rows() as i; create table word as select 'w' as w; create table last as select 'l' as l`);
    const connector = openDatabaseConnector({ sockets: counted });
    const credential = `postgresql://reader:${PASSWORD}@127.0.0.1:${wire.port}/shop?sslmode=disable`;
    const tables = ['word', 'busy', 'last'].map((name) => ({ name: `public.${name}`, columns: [] }));
    const broken = await readOrigin(connector, { kind: 'database', tables }, { credential });
    const reason = 'The table cannot be read: The database answered with the error 42P01.';
    assert.deepEqual(
      [Object.keys(broken.stored), broken.failed],
      [['public.word', 'public.last'], { 'public.busy': reason }],
    );
    connections = 0;
    isBack = true;
    const { stored, failed } = await readOrigin(connector, { kind: 'database', tables }, { credential });
    assert.deepEqual([stored['public.busy'], failed, connections], ['"i"\n7\n', {}, 3]);
  } finally {
    await wire.close();
  }
});
