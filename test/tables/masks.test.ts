/**
 * Redaction of tables: two tables that differ only in the values that a rule masks give the same answer to each statement, so no
 * statement brings a masked value back. `npm run check:table-policies` runs all statements (PINAKES_TEST_MASKS=all).
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestAnswer, type TestApp } from '../support/app.ts';
import { eventually, ingest } from '../support/upload.ts';
import { GUESSES, maskStatements } from '../support/worlds/mask-statements.ts';

const ALL = maskStatements();
/** Some kinds of each part of the list. */
const STATEMENTS = process.env['PINAKES_TEST_MASKS'] === 'all' ? ALL : ALL.filter((_, i) => i % 24 === 0);

type Person = Record<'email' | 'phone' | 'iban' | 'code' | 'born', string> & { salary: number };

/** All of it is masked. The first person is the one whose values are guessed. */
const PEOPLE: [Person[], Person[]] = [
  [
    { ...GUESSES, phone: '+49 30 9018 2074', iban: 'DE89370400440532013000' },
    {
      ...person('bo.lindqvist@example.com', 'EMP-0042', 95_120, '1979-11-02'),
      phone: '+44 20 7946 0958',
      iban: 'GB82WEST12345698765432',
    },
    {
      ...person('cy.moreau@example.net', 'EMP-1234', 90_004, '1991-03-14'),
      phone: '+1 415 555 2671',
      iban: 'FR1420041010050500013M02606',
    },
  ],
  [
    {
      ...person('zoe.nakamura@sample.org', 'EMP-9876', 98_765, '1962-01-30'),
      phone: '+49 89 636 48018',
      iban: 'NL91ABNA0417164300',
    },
    {
      ...person('yan.oduya@sample.org', 'EMP-5555', 92_222, '2001-12-09'),
      phone: '+33 1 42 68 53 00',
      iban: 'BE68539007547034',
    },
    {
      ...person('xi.petrov@sample.io', 'EMP-3141', 99_999, '1958-06-06'),
      phone: '+81 3 3224 9999',
      iban: 'CH9300762011623852957',
    },
  ],
];
function person(email: string, code: string, salary: number, born: string) {
  return { email, code, salary, born };
}

function csvOf(people: readonly Person[]): string {
  const rows = people.map(({ email, phone, iban, code, salary, born }, i) =>
    [i + 1, ['red', 'blue'][i % 2], email, phone, iban, `ask ${email} for ${code}`, salary, born].join(','),
  );
  return ['id,team,email,phone,iban,note,salary,born', ...rows].join('\n');
}

const regex = (name: string, pattern: string) => ({ name, kind: 'regex', pattern });
const RULES = [
  { name: 'contact', kind: 'entity', entities: ['email', 'phone', 'iban'] },
  regex('employee', 'EMP-\\d{4}'),
  regex('pay', '\\b9\\d{4}\\b'),
  regex('day', '\\b(?:19|20)\\d\\d-\\d\\d-\\d\\d\\b'),
];
const policy = (action: string, step: string, rules: object[] = RULES) => ({
  enabled: true,
  rules: rules.map((rule) => ({ ...rule, action, apply_at: [step] })),
});

let t: TestApp;
before(async () => {
  t = await openTestApp({ runsJobs: true });
});
after(() => t.close());

/** Uploads the two tables. Returns their ids. */
async function upload(names: readonly [string, string]): Promise<[string, string]> {
  for (const [i, name] of names.entries()) await ingest(t, [{ name: `${name}.csv`, content: csvOf(PEOPLE[i]!) }]);
  return eventually(async () => {
    const rows = await t.deps.db.system.query<{ id: string; status: string }>(
      sql`select id, status from source_table where sql_name = any(${[...names]}::text[]) order by sql_name`,
    );
    const [one, other] = rows;
    return one && other && rows.every(({ status }) => status === 'ready') && [one.id, other.id];
  });
}

/** Asserts that an answer has no planted value, in some of the ways of writing it, but those that the statement has. */
function assertNoPlanted(answer: TestAnswer, said: string): void {
  const told = answer.text.toLowerCase();
  for (const person of PEOPLE.flat()) {
    for (const value of Object.values(person).map((one) => String(one).toLowerCase())) {
      const { length } = value;
      const bytes = Buffer.from(value);
      const parts = [value.slice(0, 5), value.slice(length - 5)].filter((part) => /^[^.@]+$/.test(part) && length > 5);
      for (const form of [value, [...value].reverse().join(''), bytes.toString('hex'), ...parts])
        assert.ok(!told.includes(form) || said.toLowerCase().includes(form), `${form}: ${said}\n${told.slice(0, 300)}`);
    }
  }
  assert.ok(answer.status < 500, `${said}: ${answer.text}`);
}

/** Asserts that the tables give the same answers. Returns the number of statements that ran. */
async function assertSame(
  names: readonly [string, string],
  statements: readonly string[],
  hasHashes = false,
): Promise<number> {
  let ran = 0;
  for (const statement of statements) {
    const told: unknown[] = [];
    for (const name of names) {
      const sql = statement.replace(/\bpeople\b/g, name);
      const answer = await t.post('/tables/query', { sql, timeout_ms: 30_000, row_limit: 1_000 });
      assertNoPlanted(answer, sql);
      const { rows, columns, warnings, witness_count, citations, error } = answer.body;
      if (answer.status === 200) ran += 1;
      const cited = citations?.map(({ content, row }: { content: string; row: { text: string } }) => [
        content,
        row.text,
      ]);
      told.push(
        JSON.stringify([answer.status, rows, columns, warnings, witness_count, cited, error]).replaceAll(
          name,
          'people',
        ),
      );
    }
    if (!hasHashes) assert.equal(told[0], told[1], statement);
  }
  return ran;
}

async function set(document: object): Promise<void> {
  const { status, text } = await t.put('/redaction-policy', document);
  assert.equal(status, 200, text);
}

describe(`a rule for retrieval, and ${STATEMENTS.length} of ${ALL.length} statements`, () => {
  const names = ['people_a', 'people_b'] as const;
  let ids: [string, string];
  before(async () => {
    assert.ok(new Set(ALL).size >= 200, `${ALL.length} statements`);
    ids = await upload(names);
  });

  test('without a rule, the tables differ', async () => {
    await assert.rejects(assertSame(names, ["select left(note, 6), 'ada.kingsley@example.com' from people"]));
  });

  for (const action of ['mask', 'drop', 'hash'])
    test(`no statement brings back a value with the action ${action}`, async (context) => {
      await set(policy(action, 'retrieval'));
      const ran = await assertSame(names, STATEMENTS, action === 'hash');
      context.diagnostic(`${ran} of ${2 * STATEMENTS.length} ran`);
      assert.ok(ran > STATEMENTS.length);
    });

  test('a row that a rule blocks is in no result', async () => {
    await set(policy('block', 'retrieval', [regex('employee', 'EMP-(?:4711|9876)')]));
    for (const [i, name] of names.entries()) {
      const results = {
        'select id from people': [[2], [3]],
        'select count(*), min(id) from people': [[2, 2]],
        'select count(*) from people where id = 1': [[0]],
      };
      for (const [statement, rows] of Object.entries(results)) {
        const { body, text } = await t.post('/tables/query', { sql: statement.replace('people', name) });
        assert.deepEqual(body.rows, rows, text);
        assert.ok(!text.includes(PEOPLE[i]![0]!.email));
      }
    }
  });

  test('the catalogue shows no masked value, example or extreme', async () => {
    await set(policy('mask', 'retrieval'));
    for (const path of ['', '/rows']) {
      const told: unknown[] = [];
      for (const [i, id] of ids.entries()) {
        const answer = await t.get(`/tables/${id}${path}`);
        assertNoPlanted(answer, '');
        const { columns, sample, rows } = answer.body;
        const values = (sample ?? rows).map((row: { values: object }) => row.values);
        told.push(JSON.stringify([columns, values]).replaceAll(names[i]!, 'people'));
      }
      assert.equal(told[0], told[1]);
    }
  });
});

test('the catalogue shows a row as a statement does: with the header beside the value, and blocked as a whole', async () => {
  const [id] = await upload(['crew_a', 'crew_b']);
  const values = async (columns: string) =>
    (await t.get(`/tables/${id}/rows?${columns}`)).body.rows.map((row: { values: object }) => row.values);
  await set(policy('mask', 'retrieval', [{ name: 'birth', kind: 'entity', entities: ['date_of_birth'] }]));
  const shown = (await t.get(`/tables/${id}`)).text + JSON.stringify(await values('columns=born'));
  for (const { born } of PEOPLE[0]) assert.ok(!shown.includes(born), born);
  await set(policy('block', 'retrieval', [regex('employee', 'EMP-4711')]));
  assert.deepEqual(await values('columns=id'), [{ id: 2 }, { id: 3 }]);
});

test('names in SQL do not tell what a rule hides, and a table of a blocked source does not exist', async () => {
  const [id] = await upload(['guests_a', 'guests_b']);
  const rule = { name: 'x', kind: 'dictionary', terms: ['guests_a', 'team'], whole_words: false };
  await set(policy('mask', 'retrieval', [rule]));
  const { sql_name: name, columns } = (await t.get(`/tables/${id}`)).body;
  assert.deepEqual([name, columns[1].sql_name], [`table_${id.replaceAll('-', '')}`, 'column_2']);
  assert.deepEqual(
    (await t.get(`/tables?name=${name}`)).body.tables.map((one: { id: string }) => one.id),
    [id],
  );
  const query = (sql: string) => t.post('/tables/query', { sql, timeout_ms: 30_000, citation: false });
  const { body, text } = await query(`select column_2, * from ${name} where id = 1`);
  assert.deepEqual([body.rows?.[0][0], body.columns?.[2].name], ['red', 'column_2'], text);
  assert.ok(!/guests_a|team/.test((await query('select 1 from guests_b where column_9')).text));
  const { rows } = (await t.get(`/tables/${id}/rows?columns=column_2&limit=1`)).body;
  assert.deepEqual(rows[0].values, { column_2: 'red' });
  const described = { columns: [{ sql_name: 'column_2', description: 'A colour' }] };
  assert.equal((await t.put(`/tables/${id}`, described)).status, 200);

  await set(policy('block', 'retrieval', [rule]));
  for (const path of [`/tables/${id}`, `/tables/${id}/rows`]) assert.equal((await t.get(path)).status, 404, path);
  assert.ok(!(await t.get('/tables?limit=100')).text.includes(id));
  assert.equal((await t.post('/tables/query', { sql: `select 1 from ${name}`, tables: [id] })).status, 404);
  for (const one of ['guests_a', name]) assert.equal((await query(`select 1 from ${one}`)).status, 400, one);
  await t.delete('/redaction-policy');
});

/** Uploads a table of its own. Returns its id. */
async function uploadTable(file: string, content: string): Promise<string> {
  const group = await ingest(t, [{ name: file, content }]);
  const table = await eventually(async () => {
    const [one] = (await t.get(`/tables?source_group_id=${group}`)).body.tables;
    return one?.status === 'ready' && one;
  });
  return table.id;
}

test('the catalogue does not show a value that a rule finds by the rest of its row', async () => {
  const id = await uploadTable('pay.csv', 'id,secret,salary\n1,core,95000\n2,,70000\n');
  const masked = async () => {
    const { columns, sample } = (await t.get(`/tables/${id}`)).body;
    const { min, max, examples } = columns[2];
    return { min, max, examples, sample: sample.map((row: { values: { salary: unknown } }) => row.values.salary) };
  };
  assert.deepEqual((await masked()).max, '95000');
  await set(policy('mask', 'retrieval', [regex('x', 'secret: core\\s+salary: \\d+')]));
  assert.deepEqual(await masked(), { min: null, max: null, examples: [], sample: ['[X]', 70000] });
  await t.delete('/redaction-policy');
});

test('a list does not tell by its filter, its total or its cursor what a rule hides', async () => {
  const group = await ingest(t, [
    { name: 'Project Falcon.csv', content: 'region,weight\nNorth,1 kg\nSouth,2 lb\nEast,3 kg\nWest,4 lb\n' },
    { name: 'Project Eagle.csv', content: 'region,amount\nNorth,1\n' },
  ]);
  const list = async (query: string) => {
    const { tables, pagination } = (await t.get(`/tables?source_group_id=${group}&${query}`)).body;
    return { ids: tables.map((one: { id: string }) => one.id), pagination };
  };
  const [falcon] = await eventually(async () => {
    const found = (await t.get(`/tables?source_group_id=${group}`)).body.tables;
    const isReady = found.length === 2 && found.every((one: { status: string }) => one.status === 'ready');
    return isReady && found.sort((a: { name: string }, b: { name: string }) => (a.name < b.name ? 1 : -1));
  });
  const eagle = (await list('name=project_eagle')).ids;
  const guesses = ['name=Project%20Falcon', 'name=project_falcon'];
  for (const guess of guesses) assert.deepEqual((await list(guess)).ids, [falcon.id]);
  const rules = [{ name: 'x', kind: 'dictionary', terms: ['Project Falcon', 'weight'] }];
  await set(policy('mask', 'retrieval', rules));
  for (const guess of guesses) {
    const { ids, pagination } = await list(guess);
    assert.deepEqual([ids, pagination.total], [[], 0], guess);
  }
  const seen = (await t.get(`/tables/${falcon.id}`)).body;
  assert.deepEqual(
    seen.warnings.map((one: { column: string }) => one.column),
    ['column_2'],
  );
  assert.deepEqual((await list(`name=${seen.sql_name}`)).ids, [falcon.id]);
  assert.deepEqual((await list('name=Project%20Eagle')).ids, eagle);

  await set(policy('block', 'retrieval', rules));
  for (const order of ['asc', 'desc']) {
    const { ids, pagination } = await list(`limit=1&order=${order}`);
    assert.deepEqual([ids, pagination], [eagle, { limit: 1, has_more: false, total: 1, next_id: null }]);
  }
  // Who manages the corpus can still describe or delete the table.
  assert.equal((await t.put(`/tables/${falcon.id}`, { description: 'Weights' })).status, 200);
  await t.delete('/redaction-policy');
});

test('no statement brings back a value that a rule masks before it is stored', async () => {
  await set(policy('mask', 'ingest'));
  const names = ['staff_a', 'staff_b'] as const;
  await upload(names);
  await assertSame(names, STATEMENTS);
});
