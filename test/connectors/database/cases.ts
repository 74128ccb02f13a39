/** Tests of database sources through the whole service. They are the same for every server. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { buildWorker, type Worker } from '../../../src/worker.ts';
import { openTestApp, type TestApp } from '../../support/app.ts';
import { type CutProxy, openCutProxy } from '../../support/fakes/cut-proxy.ts';
import { SECRET_CANARY } from '../../support/passages/canary.ts';
import { waitForRun } from '../../support/upload.ts';

/** The password of the user `reader`. */
export const PASSWORD = `${SECRET_CANARY}word`;

export interface DatabaseServer {
  /** The begin of its URLs: `postgresql` or `mysql`. */
  scheme: string;
  port: number;
  /** Runs statements in a database or schema `shop`, where the user `reader` may read every table but `hidden`. */
  run(sql: string): Promise<void>;
  /** Returns SQL of a table with as many rows of about 100 characters. */
  bigTable(name: string, rows: number): string;
  /** A table `types` and the cells of its first row, without those that are null. */
  types: { sql: string; row: Record<string, string> };
  /** True if many rows would take too long. */
  isSlow?: true;
  /** True if rights of single tables cannot be taken away. */
  hasNoRights?: true;
  close(): Promise<void>;
}

/** Returns a table as the text of its source. */
function table(header: string, ...rows: string[]): string {
  const names = header.split(' ');
  return [names.join(' | '), names.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`).join('\n');
}

export function testDatabase(name: string, open: () => Promise<DatabaseServer>): void {
  describe(name, () => {
    let server: DatabaseServer;
    let proxy: CutProxy;
    let t: TestApp;
    let worker: Worker;

    before(async () => {
      server = await open();
      proxy = await openCutProxy(server.port);
      t = await openTestApp({ env: { PINAKES_OUTBOUND_ALLOW: '127.0.0.0/8' } });
      worker = buildWorker(t.deps);
      await worker.start();
      await server.run('create table orders (id integer primary key, item varchar(40), price decimal(10,2))');
      await server.run("insert into orders values (2, 'blue lamp', 9.50), (1, 'green chair', 120)");
    });
    after(async () => {
      await worker.stop(5_000);
      await t.close();
      await proxy.close();
      await server.close();
    });

    const url = (password = PASSWORD) =>
      `${server.scheme}://reader:${password}@127.0.0.1:${proxy.port}/shop?sslmode=disable`;

    async function create(tables: { name: string; columns?: string[] }[], connection = url()) {
      const made = await t.post('/database-sources', { name: 'Shop', tables, connection_url: connection });
      assert.equal(made.status, 201, made.text);
      return { id: made.body.id as string, run: await firstRun(made.body.id) };
    }

    async function createScheduled(tables: string[]) {
      const secret = await t.post('/secrets', { name: 's', type: 'database', secret: url() });
      const made = await t.post('/database-sources', {
        name: 'Shop',
        tables: tables.map((table) => ({ name: table })),
        secret_id: secret.body.id,
      });
      assert.equal(made.status, 201, made.text);
      return { id: made.body.id as string, secretId: secret.body.id as string, run: await firstRun(made.body.id) };
    }

    async function firstRun(groupId: string) {
      return waitForRun(t, (await t.get(`/source-groups/${groupId}/runs`)).body.runs[0].id);
    }

    async function runAgain(groupId: string) {
      const started = await t.post(`/source-groups/${groupId}/runs`, {});
      assert.equal(started.status, 201, started.text);
      return waitForRun(t, started.body.id);
    }

    async function textOf(groupId: string, source: string): Promise<string> {
      const { body } = await t.get(`/source-groups/${groupId}/sources?limit=100`);
      const id = body.sources.find((one: { name: string }) => one.name === source)?.id;
      return id === undefined ? '' : (await t.get(`/sources/${id}/text`)).body.text;
    }

    async function errorsOf(run: { id: string }): Promise<string[]> {
      const { body } = await t.get(`/runs/${run.id}/errors`);
      return body.errors.map((one: { name: string; title: string }) => `${one.name}: ${one.title}`);
    }

    const counts = (run: { statistics: Record<string, number> }) =>
      Object.fromEntries(Object.entries(run.statistics).filter(([, count]) => count > 0));

    test('rows become records in the order of the primary key, and search finds them', async () => {
      const { id, run } = await create([{ name: 'shop.orders' }]);
      assert.deepEqual([run.status, counts(run)], ['success', { scanned: 1, added: 1 }], JSON.stringify(run));
      assert.equal(
        await textOf(id, 'shop.orders.csv'),
        table('id item price', '1 | green chair | 120.00', '2 | blue lamp | 9.50'),
      );
      const { body } = await t.post('/search', { query: 'blue lamp', source_types: ['database'] });
      assert.equal(body.results[0].content, '| 2 | blue lamp | 9.50 |');
      const records = body.results[0].metadata.records;
      const metadata = Object.fromEntries(records.map(({ key, val }: { key: string; val: string }) => [key, val]));
      assert.deepEqual([metadata['schema'], metadata['table'], metadata['database']], ['shop', 'orders', 'shop']);
    });

    test('a run over the same rows changes nothing, and a run over other rows replaces them', async () => {
      await server.run(
        "create table stock (id integer primary key, word varchar(40)); insert into stock values (1, 'heron')",
      );
      const { id } = await createScheduled(['shop.stock']);
      assert.deepEqual(counts(await runAgain(id)), { scanned: 1, unchanged: 1 });
      await server.run("update stock set word = 'egret' where id = 1");
      assert.deepEqual(counts(await runAgain(id)), { scanned: 1, updated: 1 });
      assert.equal(await textOf(id, 'shop.stock.csv'), table('id word', '1 | egret'));
      const { body } = await t.post('/search', { query: 'heron', mode: 'lexical' });
      assert.deepEqual(body.results, []);
    });

    test('added and dropped columns appear with the next run', async () => {
      await server.run(
        "create table plants (id integer primary key, name varchar(40)); insert into plants values (1, 'fern')",
      );
      const { id } = await createScheduled(['shop.plants']);
      await server.run('alter table plants add column height integer default 7');
      await runAgain(id);
      assert.equal(await textOf(id, 'shop.plants.csv'), table('id name height', '1 | fern | 7'));
      await server.run('alter table plants drop column name');
      await runAgain(id);
      assert.equal(await textOf(id, 'shop.plants.csv'), table('id height', '1 | 7'));
    });

    test('a dropped table and a dropped column fail alone, and their rows stay', async () => {
      await server.run(
        "create table tools (id integer primary key, name varchar(40)); insert into tools values (1, 'saw')",
      );
      await server.run('create table nails (id integer primary key, mm integer); insert into nails values (1, 60)');
      const { id, run } = await createScheduled(['shop.tools', 'shop.nails']);
      assert.deepEqual(counts(run), { scanned: 2, added: 2 });
      await server.run('drop table tools; insert into nails values (2, 80)');
      const second = await runAgain(id);
      assert.deepEqual([second.status, counts(second)], ['success', { scanned: 2, updated: 1, failed: 1 }]);
      assert.deepEqual(await errorsOf(second), ['shop.tools.csv: The table does not exist']);
      assert.equal(await textOf(id, 'shop.tools.csv'), table('id name', '1 | saw'));
      assert.equal(await textOf(id, 'shop.nails.csv'), table('id mm', '1 | 60', '2 | 80'));

      const other = await create([
        { name: 'shop.nails', columns: ['mm', 'width'] },
        { name: 'shop.orders', columns: ['item'] },
      ]);
      assert.deepEqual(await errorsOf(other.run), ['shop.nails.csv: A column does not exist']);
      assert.equal(await textOf(other.id, 'shop.orders.csv'), table('item', 'green chair', 'blue lamp'));
    });

    test('a wrong password fails the run, is named in no answer, and deletes nothing', async () => {
      const { id, secretId } = await createScheduled(['shop.orders']);
      await t.put(`/secrets/${secretId}`, { name: 's', secret: url(`${PASSWORD}-wrong`) });
      const run = await runAgain(id);
      assert.deepEqual(
        [run.status, run.error.title],
        ['failure', 'The database refused the login'],
        JSON.stringify(run),
      );
      assert.ok(!JSON.stringify(run).includes(SECRET_CANARY));
      assert.match(await textOf(id, 'shop.orders.csv'), /blue lamp/);
      await t.put(`/secrets/${secretId}`, { name: 's', secret: url() });
      assert.equal((await runAgain(id)).status, 'success');
    });

    test('a server that goes away in the middle of a table fails the run, and the old rows stay', async () => {
      await server.run(server.bigTable('logs', 50));
      const { id } = await createScheduled(['shop.orders', 'shop.logs']);
      const before = await textOf(id, 'shop.logs.csv');
      await server.run('drop table logs');
      await server.run(server.bigTable('logs', 4_000));
      proxy.cutAfter = 200_000;
      const run = await runAgain(id);
      proxy.cutAfter = null;
      assert.equal(run.status, 'failure', JSON.stringify(run));
      assert.match(JSON.stringify(run.error), /The connection to the database was lost/);
      assert.equal(await textOf(id, 'shop.logs.csv'), before);
      assert.match(await textOf(id, 'shop.orders.csv'), /blue lamp/);
      const again = await runAgain(id);
      assert.deepEqual([again.status, counts(again)], ['success', { scanned: 2, updated: 1, unchanged: 1 }]);
    });

    test('a table over the limit of bytes fails alone', async (context) => {
      if (server.isSlow) return context.skip('a smaller limit is tested instead');
      await server.run(server.bigTable('huge', 350_000));
      const { run } = await createScheduled(['shop.huge', 'shop.orders']);
      assert.deepEqual(
        [run.status, counts(run)],
        ['success', { scanned: 2, added: 1, failed: 1 }],
        JSON.stringify(run),
      );
      assert.deepEqual(await errorsOf(run), ['shop.huge.csv: The table is too large']);
      await server.run('drop table huge');
    });

    test('a table that the user may not read fails alone', async (context) => {
      if (server.hasNoRights) return context.skip('the server has no users');
      await server.run('create table hidden (id integer); insert into hidden values (1)');
      const { run } = await createScheduled(['shop.hidden', 'shop.orders']);
      assert.deepEqual(counts(run), { scanned: 2, added: 1, failed: 1 });
      const [error] = await errorsOf(run);
      assert.match(error ?? '', /^shop\.hidden\.csv: The table (?:may not be read|does not exist)$/);
    });

    test('a check names the account and a table that does not exist', async () => {
      const tables = [{ name: 'shop.orders' }, { name: 'shop.nowhere' }];
      const { body } = await t.post('/connectors/check', { kind: 'database', tables, connection_url: url() });
      assert.deepEqual(
        [body.reachable, body.account, body.files, body.names, body.problem?.title],
        [true, 'reader@127.0.0.1', 1, ['shop.orders.csv'], 'The table does not exist'],
        JSON.stringify(body),
      );
    });

    test('every type keeps its value', async () => {
      await server.run(server.types.sql);
      const { id } = await create([{ name: 'shop.types' }]);
      const [source] = (await t.get(`/source-groups/${id}/sources`)).body.sources;
      const raw = await t.get(`/sources/${source.id}/raw`);
      const [names = [], cells = [], nulls = []] = parse(raw.text) as string[][];
      const row = Object.fromEntries(names.flatMap((column, index) => (cells[index] ? [[column, cells[index]]] : [])));
      assert.deepEqual(row, server.types.row);
      assert.deepEqual(nulls.slice(1).filter(Boolean), []);
    });

    test('a table without rows has its columns', async () => {
      await server.run('create table blank (id integer primary key, name varchar(40))');
      const { id, run } = await create([{ name: 'shop.blank' }]);
      assert.deepEqual(counts(run), { scanned: 1, added: 1 });
      assert.equal(await textOf(id, 'shop.blank.csv'), table('id name'));
    });

    test('a server without the wanted TLS and an address that is not allowed are refused before the login', async () => {
      const withTls = await create([{ name: 'shop.orders' }], url().replace('?sslmode=disable', ''));
      assert.match(withTls.run.error.title, /offers no TLS|is not trusted/);
      const connections = proxy.connections;
      const elsewhere = await create([{ name: 'shop.orders' }], url().replace('127.0.0.1', '[::1]'));
      assert.equal(elsewhere.run.error.title, 'The database could not be reached');
      assert.equal(proxy.connections, connections);
    });
  });
}
