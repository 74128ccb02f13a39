/** `error.pointer`: where in the request body the value stands that is refused. Editors mark it there. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestApp, type TestApp } from '../../support/app.ts';

let t: TestApp;
before(async () => {
  t = await openTestApp();
});
after(() => t.close());

const good = { key: 'department', operator: 'eq', value: 'sales' };
const term = { name: 'terms', kind: 'dictionary', terms: ['a'], action: 'mask', apply_at: ['output'] };
const pattern = { name: 'pattern', kind: 'regex', pattern: '(', action: 'mask', apply_at: ['output'] };
const names = { name: 'names', kind: 'entity', entities: ['email', 'person'], action: 'mask', apply_at: ['output'] };
const failing = { given: {}, source: {}, expect: 'allow' };

test('a refused filter, policy or redaction rule has the pointer to the wrong value', async () => {
  const policy = '/authz/policies/default';
  const preview = '/authz/preview';
  const redaction = '/redaction-policy';
  const trial = '/redaction-policy/test';
  const wrong: readonly (readonly ['PUT' | 'POST', string, object, string])[] = [
    [
      'POST',
      '/search',
      { query: 'a', source_metadata: { filters: [{ ...good, operator: 'near' }] } },
      '/source_metadata/filters/0/operator',
    ],
    [
      'POST',
      '/search',
      { query: 'a', source_metadata: { filters: [{ key: 'a' }] } },
      '/source_metadata/filters/0/operator',
    ],
    [
      'POST',
      '/search',
      { query: 'a', source_metadata: { filters: [{ ...good, limt: 1 }] } },
      '/source_metadata/filters/0/limt',
    ],
    ['POST', '/search', { query: 'a', 'file/types': [] }, '/file~1types'],
    ['POST', '/search', { query: 'a', file_types: ['md', 'exe'] }, '/file_types/1'],
    [
      'POST',
      '/search',
      { query: 'a', metadata_filter: { filters: [{ filters: [good] }] } },
      '/metadata_filter/filters/0/filters/0/key',
    ],
    ['POST', '/search', { query: 'a', date_from: 1_800_000_000, date_to: 1_700_000_000 + 90_000_000 }, '/date_from'],
    ['PUT', policy, { filters: [good, { ...good, operator: 'near' }] }, '/filters/1/operator'],
    ['PUT', policy, { filters: [good], tests: [{ ...failing, expect: 'deny' }, failing] }, '/tests/1'],
    ['PUT', policy, { filters: [good], attribute_types: { 'a b': 'text', 'c: d': 'many' } }, '/attribute_types/c: d'],
    ['POST', preview, { policy: { filters: [{ ...good, target: 'chunk' }] } }, '/policy/filters/0/target'],
    ['PUT', redaction, { enabled: true, rules: [term, pattern] }, '/rules/1/pattern'],
    ['PUT', redaction, { enabled: true, rules: [names] }, '/rules/0/entities/1'],
    ['POST', trial, { text: 'a', policy: { enabled: true, rules: [term, pattern] } }, '/policy/rules/1/pattern'],
    ['POST', trial, { text: 'a', policy: { enabled: true, rules: [names] } }, '/policy/rules/0/entities/1'],
  ];
  for (const [method, path, body, pointer] of wrong) {
    const answer = await t.request({ method, path, body });
    assert.deepEqual([answer.status, answer.body.error?.pointer], [400, pointer], `${method} ${path}: ${answer.text}`);
  }
});

test('a refused query of tables, patch of metadata or string has the pointer to the wrong value', async () => {
  const sourceId = '01980000-0000-7000-8000-000000000000';
  const patch = `/sources/${sourceId}/metadata`;
  const records = (...all: { key: string; val: string }[]) => ({ metadata: { records: all } });
  const asks = (column: object) => ({ query: { from: 'sales', columns: [{ column: 'region' }, column] } });
  const wrong: readonly (readonly ['PUT' | 'POST', string, object | string, string, RegExp])[] = [
    ['POST', '/tables/query', asks({ fn: 'average', column: 'a' }), '/query/columns/1/fn', /one of count, sum, avg/],
    ['POST', '/tables/query', asks({ fnn: 'sum', column: 'a' }), '/query/columns/1/fnn', /Unknown member "fnn"/],
    ['POST', '/tables/query', asks({ fn: 'sum', colum: 'a' }), '/query/columns/1/colum', /Unknown member "colum"/],
    ['POST', '/tables/query', asks({}), '/query/columns/1/column', /Missing member "column"/],
    ['POST', '/tables/query', { query: { from: 'sales' } }, '/query/from', /there is no table sales/],
    [
      'PUT',
      patch,
      records({ key: 'a', val: 'b' }, { key: 'c', val: 'x'.repeat(4097) }),
      '/metadata/records/1/val',
      /./,
    ],
    ['PUT', patch, records({ key: 'a', val: 'b' }, { key: 'a', val: 'c' }), '/metadata/records/1/key', /each key once/],
    ['POST', '/search', '{"query":"a","tags":["b","c\\u0000"]}', '/tags/1', /U\+0000/],
    ['POST', '/search', '{"query":"a","limit":1,"limit":2}', '/limit', /given twice/],
    ['POST', '/search', { qeury: 'a' }, '/qeury', /Unknown member "qeury"/],
    [
      'POST',
      '/search',
      { query: 'a', file_types: ['exe'] },
      '/file_types/0',
      /must be one of pdf, .*, code, unknown\.$/,
    ],
    ['POST', '/search', '{"query":"a","limit":1e400}', '/limit', /must be a number that a double can hold\.$/],
  ];
  for (const [method, path, body, pointer, message] of wrong) {
    const answer = await t.request({ method, path, body, headers: { 'content-type': 'application/json' } });
    assert.deepEqual([answer.status, answer.body.error?.pointer], [400, pointer], `${method} ${path}: ${answer.text}`);
    assert.match(answer.body.error.message, message);
  }
});

test('an error that is not about a value of the body has no pointer', async () => {
  for (const answer of [
    await t.post('/search', []),
    await t.request({ method: 'POST', path: '/search', body: '{' }),
    await t.get('/source-list?limit=x'),
    await t.get('/authz/policies/missing'),
  ])
    assert.deepEqual(Object.keys(answer.body.error), ['message', 'type'], answer.text);
});

test('the pointer masks an API key that was sent as the name of a member', async () => {
  const { body } = await t.post('/search', { query: 'a', [t.key]: 1 });
  assert.ok(body.error.pointer.length > 1 && !JSON.stringify(body).includes(t.key), JSON.stringify(body));
});
