/**
 * Database sources with real servers: PostgreSQL 17 and MariaDB (`npm run faults:databases`). Both are installed into folders of their
 * own: see scripts/postgres.ts and scripts/mariadb.ts.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { startMariadb } from '../../scripts/mariadb.ts';
import { startPostgres } from '../../scripts/postgres.ts';
import { openDatabaseConnector } from '../../src/connectors/database/connector.ts';
import { openTenantSockets } from '../../src/net/tenant-sockets.ts';
import { PASSWORD, testDatabase } from '../connectors/database/cases.ts';
import { bigPostgresTable, MYSQL_TYPES, POSTGRES_TYPES } from '../connectors/database/types.ts';

testDatabase('a PostgreSQL server', async () => {
  const server = await startPostgres({ settings: { password_encryption: 'scram-sha-256' } });
  const url = new URL(server.url);
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  // The server trusts everybody on loopback until its rules are replaced.
  await admin.query(`create role reader login password '${PASSWORD}'`);
  await admin.query('create database shop');
  await admin.end();
  const client = new pg.Client({ connectionString: server.url.replace(/postgres$/, 'shop') });
  await client.connect();
  await client.query('create schema shop; grant usage on schema shop to reader; set search_path = shop');
  await client.query('alter default privileges in schema shop grant select on tables to reader');
  await client.query(`create table public.rules (line text);
    insert into public.rules values ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256')`);
  const { rows } = await client.query<{ file: string }>("select current_setting('hba_file') as file");
  await client.query(`copy public.rules to '${rows[0]!.file}'`);
  await client.query('select pg_reload_conf()');
  return {
    scheme: 'postgresql',
    port: Number(url.port),
    async run(sql) {
      await client.query(sql);
      if (/create table hidden/.test(sql)) await client.query('revoke select on hidden from reader');
    },
    bigTable: bigPostgresTable,
    types: POSTGRES_TYPES,
    async close() {
      await client.end();
      await server.stop();
    },
  };
});

testDatabase('a MariaDB server', async () => {
  const server = await startMariadb();
  const admin = await mysql.createConnection({ uri: server.url, multipleStatements: true });
  await admin.query(`create database shop character set utf8mb4; use shop;
    create user reader@'127.0.0.1' identified by '${PASSWORD}'`);
  return {
    scheme: 'mysql',
    port: server.port,
    async run(sql) {
      await admin.query(sql);
      const created = /create table (\w+)/g;
      for (const [, table] of sql.matchAll(created))
        if (table !== 'hidden') await admin.query(`grant select on shop.${table} to reader@'127.0.0.1'`);
    },
    bigTable: (name, rows) =>
      `create table ${name} as select seq as id, repeat('word', 25) as text from seq_1_to_${rows}`,
    types: MYSQL_TYPES,
    async close() {
      await admin.end();
      await server.stop();
    },
  };
});

/** Lists two tables, and runs `sql` after the first one was read. Returns the rows of the second one, or its problem. */
async function readAround(credential: string, sql: () => Promise<unknown>): Promise<string> {
  const connector = openDatabaseConnector({ sockets: openTenantSockets(['127.0.0.1']) });
  const tables = ['shop.first', 'shop.later'].map((name) => ({ name, columns: [] }));
  const request = {
    cursor: null,
    resume: null,
    findStored: async () => undefined,
    signal: new AbortController().signal,
  };
  let found = '';
  for await (const change of connector.list({ kind: 'database', tables }, credential, request)) {
    if (change.kind === 'failed') found = `${change.problem.title} ${change.problem.retryable}`;
    if (change.kind !== 'present') continue;
    found = Buffer.concat(await Array.fromAsync(change.content!.body)).toString();
    if (change.item.originId === 'shop.first') await sql();
  }
  return found;
}

const TABLES = `create table first (id integer primary key); insert into first values (1);
  create table later (id integer primary key, name varchar(9)); insert into later values (1, 'old')`;
const CHANGES = {
  reloaded: "truncate table later; insert into later values (2, 'new')",
  rewritten: 'alter table later alter column id type bigint',
};

test('a table of PostgreSQL that is reloaded or rewritten in a run is not empty for it', async (context) => {
  const server = await startPostgres();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  context.after(() => client.end().then(server.stop));
  await client.query(`create schema shop; set search_path = shop; ${TABLES}`);
  const credential = `${server.url}?sslmode=disable`.replace('//postgres@', '//postgres:any@');
  assert.equal(await readAround(credential, () => client.query(CHANGES.reloaded)), '"id","name"\n2,"new"\n');
  assert.equal(await readAround(credential, () => client.query(CHANGES.rewritten)), '"id","name"\n2,"new"\n');
});

test('a table of MariaDB that is reloaded in a run fails for this run', async (context) => {
  const server = await startMariadb();
  const admin = await mysql.createConnection({ uri: server.url, multipleStatements: true });
  context.after(() => admin.end().then(server.stop));
  await admin.query(`create database shop; use shop; ${TABLES}; create user reader@'127.0.0.1' identified by '${PASSWORD}';
    grant select on shop.* to reader@'127.0.0.1'`);
  const credential = `mysql://reader:${PASSWORD}@127.0.0.1:${server.port}/shop?sslmode=disable`;
  assert.equal(
    await readAround(credential, () => admin.query(CHANGES.reloaded)),
    'The table changed while it was read true',
  );
});
