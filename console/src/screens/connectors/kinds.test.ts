import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConnectorKind, initialValues, KINDS, linesOf, missingFields, nameOfOrigin, originOf } from './kinds.ts';

const kindOf = (name: string): ConnectorKind => KINDS.find(({ kind }) => kind === name)!;

test('a form gives the members of the origin, without empty fields', () => {
  const web = kindOf('web');
  const values = { ...initialValues(web), urls: ' https://a.example/ \n\nhttps://b.example/', max_depth: '2' };
  assert.deepEqual(originOf(web, values), {
    urls: ['https://a.example/', 'https://b.example/'],
    max_depth: 2,
    max_pages: 500,
    same_host: true,
    use_sitemap: true,
  });
});

test('fields that must have a value, and numbers outside of their range, are named', () => {
  const web = kindOf('web');
  assert.deepEqual(missingFields(web, initialValues(web)), ['urls']);
  const values = { ...initialValues(web), urls: 'https://a.example/', max_depth: '21', max_pages: '1.5' };
  assert.deepEqual(missingFields(web, values), ['max_depth', 'max_pages']);
});

test('tables may name their columns, and are shown as they were entered', () => {
  const database = kindOf('database');
  const tables = 'public.orders\npublic.customers: id , city';
  const origin = originOf(database, { tables });
  assert.deepEqual(origin, {
    tables: [
      { name: 'public.orders', columns: [] },
      { name: 'public.customers', columns: ['id', 'city'] },
    ],
  });
  assert.deepEqual(linesOf(database.fields[0]!, origin['tables']), ['public.orders', 'public.customers: id, city']);
});

test('a source is called after its host, its repository or the title in its address', () => {
  assert.equal(nameOfOrigin(kindOf('web'), { urls: 'https://help.example.com/start\nhttps://x/' }), 'help.example.com');
  const page = 'https://www.notion.so/acme/Leave-policy-248104cd477e80fdb757e945d38000bd';
  assert.equal(nameOfOrigin(kindOf('page'), { page_id: page }), 'Leave policy');
  assert.equal(nameOfOrigin(kindOf('page'), { page_id: page.slice(-32) }), page.slice(-32));
  assert.equal(nameOfOrigin(kindOf('repo'), { repository: ' acme/manual ' }), 'acme/manual');
});
