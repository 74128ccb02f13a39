/** Policies stay closed for attributes of the wrong type, and a policy that does not do what its tests say is refused. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { newId } from '../../src/util/ids.ts';
import { seed } from '../retrieval/corpus.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

let t: TestApp;
before(async () => {
  t = await openTestApp({ env: { PINAKES_AUTHORIZATION: 'on' } });
  const source = (clearance: string) => ({
    id: newId(),
    metadata: { clearance, team: 'secret' },
    chunks: [{ id: newId(), content: `herons at level ${clearance}` }],
  });
  await seed(t.deps.db, t.tenantId, [{ id: newId(), sources: [source('1'), source('3')] }]);
});
after(() => t.close());

const LTE = { key: 'clearance', operator: 'lte', value: { subject: 'clearance' } };
const put = (policy: object) => t.put('/authz/policies/default', policy);
const grant = (attributes: object) => t.put('/authz/subjects/ada/attributes', { attributes });

/** Returns how many chunks the principal finds. */
async function found(): Promise<number> {
  const { status, text, body } = await t.post('/search', { query: 'herons', principal_id: 'ada' });
  assert.equal(status, 200, text);
  return body.results.length;
}

async function refusal(answer: ReturnType<TestApp['put']>): Promise<string> {
  const { status, body, text } = await answer;
  assert.equal(status, 400, text);
  return body.error.message;
}

describe('an attribute of the wrong type opens nothing', () => {
  const WRONG = ['none', 'zzz', '', ' ', '\u00a0', false, true, '2025-01-01', [2], ['none']];
  test('an order compares only numbers with numbers and times with times', async () => {
    assert.equal((await put({ filters: [LTE] })).status, 200);
    for (const clearance of WRONG) {
      assert.equal((await grant({ clearance })).status, 200);
      assert.equal(await found(), 0, JSON.stringify(clearance));
    }
    for (const [clearance, count] of [
      [2, 1],
      [' 3 ', 2],
    ] as const) {
      await grant({ clearance });
      assert.equal(await found(), count, JSON.stringify(clearance));
    }
  });

  test('blank text is contained in nothing, begins nothing, and differs from nothing', async () => {
    for (const operator of ['contains', 'starts_with', 'eq', 'ne', 'in', 'nin']) {
      assert.equal((await put({ filters: [{ key: 'team', operator, value: { subject: 'team' } }] })).status, 200);
      for (const team of ['', ' ', '\t\u00a0', ['', ' ']]) {
        await grant({ team });
        assert.equal(await found(), 0, `${operator} ${JSON.stringify(team)}`);
      }
    }
  });

  test('with declared types, an attribute that was stored before counts as missing, also for ne', async () => {
    const policy = { filters: [{ key: 'clearance', operator: 'ne', value: { subject: 'clearance' } }] };
    await put(policy);
    await grant({ clearance: 'none' });
    assert.equal(await found(), 2);
    assert.equal((await put({ ...policy, attribute_types: { clearance: 'number' } })).status, 200);
    assert.equal(await found(), 0);
    await grant({ clearance: 3 });
    assert.equal(await found(), 1);
  });
});

describe('declared types', () => {
  const TYPES = { clearance: 'number', teams: 'text[]', until: 'time', admin: 'boolean' };

  test('are checked when attributes are written, in every way', async () => {
    assert.equal((await put({ filters: [LTE], attribute_types: TYPES })).status, 200);
    const wrong = { clearance: '3', teams: ['a', 1], until: 'tomorrow', admin: 'true' };
    for (const [name, value] of Object.entries(wrong)) {
      const message = `/attributes/${name}: must be of the type ${TYPES[name as keyof typeof TYPES]}, as the policy "default" declares.`;
      assert.equal(await refusal(grant({ [name]: value })), message);
      const patch = {
        method: 'PATCH',
        path: '/authz/subjects/ada/attributes',
        body: { attributes: { [name]: value } },
      };
      assert.equal(await refusal(t.request(patch as Parameters<TestApp['request']>[0])), message);
      const items = [{ principal_id: 'ada', attributes: { [name]: value } }];
      const { body } = await t.post('/authz/subjects/attributes/batch', { items });
      assert.deepEqual([body.success_count, body.results[0].error], [0, message]);
    }
    const right = { clearance: 3, teams: 'one', until: '2027-01-01', admin: true, other: 'free' };
    assert.equal((await grant(right)).status, 200);
  });

  test('are checked when a policy is written', async () => {
    const of = (operator: string, subject: string) => ({
      filters: [{ operator: 'and', filters: [{ key: 'k', operator, value: { subject } }] }],
      attribute_types: TYPES,
    });
    assert.equal(
      await refusal(put(of('lte', 'teams'))),
      '/filters/0/filters/0/operator: lte needs an attribute of the type number or time, but teams is text[].',
    );
    assert.match(await refusal(put(of('contains', 'clearance'))), /contains needs an attribute of the type text/);
    assert.match(await refusal(put(of('eq', 'teams'))), /eq needs an attribute of the type text or number/);
    assert.equal(
      await refusal(put(of('eq', 'clearence'))),
      '/filters/0/filters/0/value/subject: clearence is not declared in attribute_types.',
    );
    for (const [operator, subject] of [
      ['in', 'teams'],
      ['nin', 'clearance'],
      ['gt', 'until'],
      ['ne', 'admin'],
    ])
      assert.equal((await put(of(operator!, subject!))).status, 200, operator);
    const other = { filters: [LTE], attribute_types: { clearance: 'text' } };
    assert.match(await refusal(t.put('/authz/policies/other', other)), /lte needs an attribute/);
    const clash = { filters: [{ ...LTE, operator: 'eq' }], attribute_types: { clearance: 'text' } };
    assert.equal(
      await refusal(t.put('/authz/policies/other', clash)),
      '/attribute_types/clearance: is text, but number in the policy "default".',
    );
    const unknown = { filters: [LTE], attribute_types: { clearance: 'integer' } };
    assert.match(await refusal(put(unknown)), /^\/attribute_types\/clearance: must be one of text, number/);
  });
});

describe('tests of a policy', () => {
  const POLICY = {
    operator: 'or',
    filters: [
      { target: 'tag', operator: 'eq', value: 'public' },
      { operator: 'and', filters: [LTE, { target: 'group_metadata', key: 'team', operator: 'exists' }] },
    ],
  };
  const CASES = [
    { name: 'everybody sees public files', given: {}, source: { tag: ['public'] }, expect: 'allow' },
    {
      given: { clearance: 2 },
      source: { source_metadata: { clearance: 2 }, group_metadata: { team: 'a' } },
      expect: 'allow',
    },
    { given: { clearance: 'none' }, source: { source_metadata: { clearance: 1 } }, expect: 'deny' },
    { given: { clearance: 2 }, source: { content_metadata: { clearance: 1 } }, expect: 'deny' },
  ];

  test('are stored and returned with the policy', async () => {
    const document = { ...POLICY, attribute_types: { clearance: 'number' }, tests: CASES };
    const { status, text } = await put(document);
    assert.equal(status, 200, text);
    const { body } = await t.get('/authz/policies/default');
    assert.deepEqual([body.tests, body.attribute_types], [CASES, document.attribute_types]);
    assert.equal((await put(POLICY)).body.tests, undefined);
  });

  test('a failing test refuses the policy, and the error says which test and which condition', async () => {
    const { version } = (await put(POLICY)).body;
    const wrong = { ...CASES[1], name: 'clearance suffices', source: { source_metadata: { clearance: 2 } } };
    assert.equal(
      await refusal(put({ ...POLICY, tests: [...CASES, wrong] })),
      '/tests/4 (clearance suffices): expects allow, but the policy denies it. The policy as a whole decided. These conditions are false: ' +
        '/filters/0 (tag name eq "public"), /filters/1/filters/1 (group_metadata team exists).',
    );
    assert.equal(
      await refusal(put({ filters: [LTE], tests: [{ ...CASES[1], expect: 'deny' }] })),
      '/tests/0: expects deny, but the policy allows it. /filters/0 decided. These conditions are true: ' +
        '/filters/0 (source_metadata clearance lte {"subject":"clearance"}).',
    );
    assert.equal((await t.get('/authz/policies/default')).body.version, version, 'the policy before it stays in force');
  });

  test('a malformed test is refused with a pointer', async () => {
    for (const [broken, message] of [
      [{ given: {}, source: {}, expect: 'maybe' }, /^\/tests\/0\/expect: /],
      [{ given: { a: null }, source: {}, expect: 'deny' }, /^\/tests\/0\/given\/a: /],
      [
        { given: {}, source: { source_metadata: { a: [1] } }, expect: 'deny' },
        /^\/tests\/0\/source\/source_metadata\/a: /,
      ],
      [{ given: {}, source: { other: 1 }, expect: 'deny' }, /"other"/],
      [{ source: {}, expect: 'deny' }, /^\/tests\/0\/given: /],
    ] as const)
      assert.match(await refusal(put({ ...POLICY, tests: [broken] })), message);
    assert.match(await refusal(put({ ...POLICY, tests: Array(101).fill(CASES[0]) })), /^\/tests: /);
  });
});

describe('a policy of many conditions on long metadata', () => {
  const NOTE = 'ab '.repeat(1_300);
  const contains = (target: string, count: number): object => ({
    operator: 'or',
    filters: Array.from({ length: count }, (_, i) => ({
      ...{ target, key: 'note', operator: 'contains', trust_content: true },
      value: `${i}c${'ab '.repeat(100)}`,
    })),
  });
  let key: string;
  before(async () => {
    const tenant = await t.secondTenant();
    key = tenant.key;
    const chunks = Array.from({ length: 400 }, (_, i) => ({
      content: `herons ${i}`,
      metadata: { note: { val: NOTE, type: 'string' as const } },
    }));
    const sources = Array.from({ length: 400 }, () => ({ metadata: { note: NOTE }, chunks: [] }));
    await seed(t.deps.db, tenant.tenantId, [{ sources: [{ chunks }, ...sources] }]);
    await t.deps.db.system.query(sql`
      update source s set chunk_metadata_bytes = (select sum(octet_length(c.metadata::text)) from chunk c
        where c.tenant_id = s.tenant_id and c.source_id = s.id)
      where s.tenant_id = ${tenant.tenantId} and s.chunk_count > 0`);
  });

  for (const [target, what] of [
    ['chunk_metadata', 'chunks'],
    ['source_metadata', 'sources'],
  ] as const) {
    test(`on ${what} is refused before it runs, and a policy of one condition is not`, async () => {
      const ask = async (count: number) => {
        assert.equal((await t.put('/authz/policies/default', contains(target, count), key)).status, 200);
        return t.post('/search', { query: 'herons' }, key);
      };
      assert.equal((await ask(1)).status, 200);
      const { status, body } = await ask(30);
      assert.equal(status, 400);
      assert.match(
        body.error.message,
        new RegExp(`^The policy would take too long on 40[01] ${what}\\. Give it fewer`),
      );
    });
  }

  test('and so is a policy of few short conditions if the metadata of the sources is longer', async () => {
    const tenant = await t.secondTenant();
    const sources = Array.from({ length: 400 }, () => ({ metadata: { note: 'ab '.repeat(10_000) }, chunks: [] }));
    await seed(t.deps.db, tenant.tenantId, [{ sources }]);
    const ask = async (count: number): Promise<number> => {
      const filters = Array.from({ length: count }, (_, i) => ({
        ...{ target: 'source_metadata', key: 'note', operator: 'eq', trust_content: true },
        value: `${i}`,
      }));
      assert.equal((await t.put('/authz/policies/default', { operator: 'or', filters }, tenant.key)).status, 200);
      return (await t.post('/search', { query: 'herons' }, tenant.key)).status;
    };
    // A policy may take ten times as long on a server.
    const few = t.deps.db.kind === 'embedded' ? 4 : 40;
    assert.deepEqual([await ask(1), await ask(few)], [200, 400]);
  });
});
