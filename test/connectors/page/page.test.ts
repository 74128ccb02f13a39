/** Reads a page workspace through the connector: its tree, its rows, its files, and the requests of a second run. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { parseMd } from '../../../src/files/formats/markup/md.ts';
import { block, type Json, paragraph, text } from '../../support/fakes/notion-world.ts';
import { type HarnessOptions, openPageHarness, type PageHarness, type Run } from './harness.ts';

const MINUTE_MS = 60_000;
let harness: PageHarness;

async function reopen(options: HarnessOptions = {}): Promise<void> {
  await harness?.close();
  harness = await openPageHarness(options);
}
beforeEach(() => reopen());
afterEach(() => harness.close());

/** A wait after which the time of an edit identifies one version. */
const settle = () => harness.advance(5 * MINUTE_MS);
const namesOf = (run: Run, outcome: string) =>
  [...run.outcome].filter(([, what]) => what === outcome).map(([id]) => harness.stored.get(id)?.item.name ?? id);
const isFull = ({ changes }: Run) => {
  const end = changes.at(-1);
  return end?.kind === 'end' && end.full;
};
const requests = () => Object.fromEntries(harness.fake.counts);
const pathOf = (name: string) =>
  [...harness.stored.values()].find(({ item }) => item.name === name)?.item.metadata['path']?.val;

/** Makes the page Handbook: Policies (with Leave, and Travel in a column) and a database Projects with two rows. */
function handbook() {
  const { world } = harness.fake;
  const root = world.addPage('Handbook', [paragraph('Welcome.')]);
  const policies = world.addPage('Policies', [paragraph('All policies.')], root);
  const leave = world.addPage('Leave', [paragraph('25 days a year.')], policies);
  const column = block('column', {}, []);
  world.edit(policies, (page) => page.blocks.push(block('column_list', {}, [column])));
  const travel = world.addPage('Travel', [paragraph('Second class.')], column.id);
  const projects = world.addDatabase('Projects', root);
  const property = (type: string, value: unknown, id = type): Json => ({ id, type, [type]: value });
  const apollo = world.addRow(
    projects,
    'Apollo',
    {
      Status: property('status', { id: 's', name: 'In progress', color: 'blue' }),
      Budget: property('number', 1250.5),
      Due: property('date', { start: '2026-04-01', end: '2026-04-30', time_zone: null }),
      Tags: property('multi_select', [{ name: 'space' }, { name: "moon's" }]),
      Urgent: property('checkbox', true),
      Owner: property('people', [{ object: 'user', id: 'x', name: 'Ada Example' }]),
      Total: property('formula', { type: 'number', number: 7 }),
      Names: property('rollup', { type: 'array', array: [{ type: 'title', title: [text('One')] }], function: 'show' }),
      Key: property('unique_id', { prefix: 'P', number: 3 }),
      Empty: property('select', null),
    },
    [paragraph('To the moon.')],
  );
  const gemini = world.addRow(projects, 'Gemini', { Budget: property('number', 10) });
  return { world, root, policies, leave, travel, projects, apollo, gemini };
}

test('a tree of pages is read with its databases, whose rows become sources', async () => {
  const { root, apollo } = handbook();
  settle();
  const run = await harness.run(`https://www.notion.so/w/Handbook-${root.replaceAll('-', '')}?pvs=4`);
  assert.deepEqual(
    [...harness.stored.values()].map(({ item }) => item.name),
    ['Handbook.md', 'Policies.md', 'Leave.md', 'Travel.md', 'Apollo.md', 'Gemini.md'],
  );
  assert.equal(harness.textOf('Leave.md'), '# Leave\n\n25 days a year.\n');
  assert.equal(pathOf('Leave.md'), 'Handbook / Policies');
  assert.equal(pathOf('Travel.md'), 'Handbook / Policies');
  assert.equal(pathOf('Apollo.md'), 'Handbook / Projects');
  assert.equal(isFull(run), true);

  const { item } = harness.stored.get(apollo)!;
  assert.match(item.url ?? '', /^https:\/\/www\.notion\.so\/Apollo-[0-9a-f]{32}$/);
  assert.equal(item.modifiedAt?.toISOString(), '2026-03-02T10:00:00.000Z');
  assert.deepEqual(
    Object.fromEntries(Object.entries(item.metadata).map(([key, { val, type }]) => [key, `${type} ${val}`])),
    {
      title: 'string Apollo',
      path: 'string Handbook / Projects',
      author: 'string Ada Example',
      created: 'datetime 2026-03-02T10:00:00Z',
      Budget: 'float 1250.5',
      Due: 'date 2026-04-01',
      Key: 'string P-3',
      Name: 'string Apollo',
      Names: 'string One',
      Owner: 'string Ada Example',
      Status: 'string In progress',
      Tags: "string space, moon's",
      Total: 'float 7',
      Urgent: 'string true',
    },
  );
});

test('the properties of a row are part of its text and give chunk metadata', async () => {
  const { root } = handbook();
  await harness.run(root);
  const whole = harness.textOf('Apollo.md')!;
  const { text: shown, chunkMetadata } = await parseMd(whole, [
    { key: 'Budget', type: 'float' },
    { key: 'Due', type: 'date' },
    { key: 'Tags', type: 'string' },
  ]);
  assert.deepEqual(chunkMetadata, {
    Budget: { val: '1250.5', type: 'float' },
    Due: { val: '2026-04-01', type: 'date' },
    Tags: { val: "space, moon's", type: 'string' },
  });
  assert.equal(
    shown.trim(),
    "# Apollo\n\n- Budget: 1250.5\n- Due: 2026-04-01 → 2026-04-30\n- Key: P-3\n- Names: One\n- Owner: Ada Example\n- Status: In progress\n- Tags: space, moon's\n- Total: 7\n- Urgent: true\n\nTo the moon.",
  );
});

test('lists of the page API with many result pages are read to their end', async () => {
  await reopen({ listMax: 2 });
  const { root } = handbook();
  await harness.run(root);
  assert.equal(harness.stored.size, 6);
});

test('the root of a page source may be a database, a data source or a row', async () => {
  const { world, projects, apollo } = handbook();
  for (const root of [projects, world.database(projects).sources[0]!.id]) {
    harness.stored.clear();
    await harness.run(root);
    assert.deepEqual(
      [...harness.stored.values()].map(({ item }) => item.name),
      ['Apollo.md', 'Gemini.md'],
    );
    assert.equal(pathOf('Apollo.md'), 'Projects');
  }
  harness.stored.clear();
  await harness.run(apollo);
  assert.match(harness.textOf('Apollo.md') ?? '', /^---\ntitle: 'Apollo'\n'Budget': '1250\.5'\n/);
});

test('every row of a database with several data sources is read', async () => {
  const { world } = harness.fake;
  const database = world.addDatabase('People', undefined, ['Staff', 'Guests']);
  world.addRow(database, 'Ada', {});
  world.addRow(database, 'Bob', {}, [], 1);
  await harness.run(database);
  assert.equal(pathOf('Ada.md'), 'People / Staff');
  assert.equal(pathOf('Bob.md'), 'People / Guests');
});

test('a query that ends early is continued from the time of its last row', async () => {
  await reopen({ queryMax: 3, listMax: 2 });
  const { world } = harness.fake;
  const database = world.addDatabase('Log');
  for (let row = 0; row < 8; row++) {
    world.addRow(database, `Row ${row}`, {});
    harness.advance(MINUTE_MS);
  }
  const run = await harness.run(database);
  assert.equal(harness.stored.size, 8);
  assert.equal(isFull(run), true);
});

test('more rows of one minute than a query returns are reported as missing, and no source counts as gone', async () => {
  await reopen({ queryMax: 3 });
  const { world } = harness.fake;
  const database = world.addDatabase('Log');
  for (let row = 0; row < 5; row++) world.addRow(database, `Row ${row}`, {});
  const run = await harness.run(database);
  assert.equal(harness.stored.size, 3);
  assert.equal(namesOf(run, 'failed').length, 1);
  assert.equal(isFull(run), false);
});

test('property values that a page object truncates are read by a separate request', async () => {
  const { world } = harness.fake;
  const database = world.addDatabase('Notes');
  const runs = Array.from({ length: 40 }, (_, index) => text(`word${index} `));
  world.addRow(database, 'Long', { Body: { id: 'b%3Aq', type: 'rich_text', rich_text: runs } });
  await harness.run(database);
  assert.match(harness.textOf('Long.md') ?? '', /- Body: word0 .* word39\n/);
});

test('a second run over unchanged pages reads no page bodies', async () => {
  const { root } = handbook();
  settle();
  await harness.run(root);
  harness.fake.forget();
  const run = await harness.run(root);
  assert.equal(run.bodies, 0);
  assert.deepEqual([...new Set(run.outcome.values())], ['unchanged']);
  // The root, the blocks with child pages (in the root, in Policies, in its column), the database, its rows, names of users.
  assert.deepEqual(requests(), {
    'GET /v1/pages/:id': 1,
    'POST /v1/search': 1,
    'GET /v1/users': 1,
    'GET /v1/blocks/:id/children': 3,
    'GET /v1/databases/:id': 1,
    'POST /v1/data_sources/:id/query': 1,
  });
});

test('a run reports exactly the pages that were edited, added, moved, renamed or deleted', async () => {
  const { world, root, policies, leave, travel, projects, apollo, gemini } = handbook();
  const old = world.addPage('Old', [paragraph('Outdated.')], policies);
  settle();
  await harness.run(root);
  settle();

  world.edit(leave, (page) => page.blocks.splice(0, 1, paragraph('30 days a year.')));
  world.trash(old);
  world.trash(gemini);
  const added = world.addPage('Sick leave', [paragraph('Call in.')], leave);
  world.addRow(projects, 'Voyager', {});
  world.move(travel, root);
  world.rename(apollo, 'Apollo 11');
  settle();
  const run = await harness.run(root);

  assert.deepEqual(namesOf(run, 'added').sort(), ['Sick leave.md', 'Voyager.md']);
  assert.deepEqual(namesOf(run, 'deleted').sort(), [gemini, old].sort());
  assert.deepEqual(namesOf(run, 'updated').sort(), ['Apollo 11.md', 'Handbook.md', 'Leave.md', 'Policies.md']);
  assert.equal(run.outcome.get(travel), 'unchanged');
  assert.equal(pathOf('Travel.md'), 'Handbook');
  assert.equal(pathOf('Sick leave.md'), 'Handbook / Policies / Leave');
  assert.match(harness.textOf('Leave.md')!, /30 days a year/);
  assert.ok(harness.stored.has(added));

  settle();
  assert.equal((await harness.run(root)).bodies, 0);
});

test('a new child of a page without children is found, whether or not the parent changes', async () => {
  const { world, root, leave, travel } = handbook();
  settle();
  await harness.run(root);
  world.touchesParents = false;
  harness.advance(60 * MINUTE_MS);
  world.addPage('Sick leave', [paragraph('Call in.')], leave);
  world.addPage('Elsewhere');
  settle();
  const run = await harness.run(root);
  assert.deepEqual(namesOf(run, 'added'), ['Sick leave.md']);
  assert.equal(run.outcome.get(travel), 'unchanged');
  assert.equal(pathOf('Sick leave.md'), 'Handbook / Policies / Leave');
  settle();
  harness.fake.faults(({ route }) =>
    route === 'POST /v1/search' ? { status: 400, code: 'validation_error' } : undefined,
  );
  assert.deepEqual([...new Set((await harness.run(root)).outcome.values())], ['unchanged']);
});

test('a page that was edited twice within a minute is not missed', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Busy', [paragraph('first')]);
  harness.advance(10_000);
  await harness.run(root);
  assert.match(harness.textOf('Busy.md')!, /first/);
  // The minute is still the same, so the workspace reports the same time.
  harness.advance(10_000);
  world.edit(root, (page) => page.blocks.splice(0, 1, paragraph('second')));
  harness.advance(10 * MINUTE_MS);
  assert.deepEqual([...(await harness.run(root)).outcome.values()], ['updated']);
  assert.match(harness.textOf('Busy.md')!, /second/);
  assert.equal((await harness.run(root)).bodies, 0);
});

test('a page that is edited while it is read is read again', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Race', [paragraph('first')]);
  settle();
  harness.fake.faults(({ route, before }) => {
    if (route === 'GET /v1/blocks/:id/children' && before === 0)
      world.edit(root, (page) => page.blocks.push(paragraph('more')));
    return undefined;
  });
  await harness.run(root);
  harness.fake.faults(undefined);
  world.edit(root, (page) => page.blocks.push(paragraph('last')));
  settle();
  await harness.run(root);
  assert.match(harness.textOf('Race.md')!, /more\n\nlast/);
});

test('a page that shows a synced block of another page is compared by its bytes', async () => {
  const { world } = harness.fake;
  const copy = block('synced_block', { synced_from: { type: 'block_id', block_id: root0() } }, [
    paragraph('old words'),
  ]);
  const root = world.addPage('Shows', [copy]);
  settle();
  await harness.run(root);
  assert.deepEqual([...(await harness.run(root)).outcome.values()], ['same']);
  // Not an edit of this page.
  copy.children.splice(0, 1, paragraph('new words'));
  assert.deepEqual([...(await harness.run(root)).outcome.values()], ['updated']);
  assert.match(harness.textOf('Shows.md')!, /new words/);
});

const root0 = () => harness.fake.world.addPage('Elsewhere');

test('child pages in a synced block of another page are not read as children', async () => {
  const { world } = harness.fake;
  const copy = block('synced_block', { synced_from: { type: 'block_id', block_id: root0() } }, []);
  const root = world.addPage('Shows', [copy]);
  const far = world.addPage('Far away', [], copy.id);
  await harness.run(root);
  assert.deepEqual([...harness.stored.keys()], [root]);
  assert.match(harness.textOf('Shows.md')!, new RegExp(`Far away.*${far.replaceAll('-', '')}`));
});

test('a row whose computed value changed is read again, although nobody edited it', async () => {
  const { world, root, apollo } = handbook();
  settle();
  await harness.run(root);
  (world.page(apollo).properties['Total']!['formula'] as Json)['number'] = 8;
  const run = await harness.run(root);
  assert.deepEqual(namesOf(run, 'updated'), ['Apollo.md']);
  assert.match(harness.textOf('Apollo.md')!, /Total: 8/);
});

test('pages that are not shared are not read, and pages that lose sharing are removed', async () => {
  const { world, root, leave, policies } = handbook();
  world.page(leave).shared = false;
  settle();
  const first = await harness.run(root);
  assert.equal(first.outcome.get(leave), 'skipped');
  const skipped = first.changes.find((change) => change.kind === 'skipped');
  assert.match(skipped?.reason ?? '', /not shared with the integration/);
  assert.equal(harness.stored.size, 5);

  // The source of a page that is no longer shared is removed, with all sources below it.
  world.page(policies).shared = false;
  const second = await harness.run(root);
  assert.equal(second.outcome.get(policies), 'deleted');
  assert.deepEqual(
    [...harness.stored.values()].map(({ item }) => item.name),
    ['Handbook.md', 'Apollo.md', 'Gemini.md'],
  );
});

test('pages in the trash are not read, also where the API still lists them', async () => {
  const { world, root, leave, projects, gemini } = handbook();
  settle();
  await harness.run(root);
  for (const object of [world.page(leave), world.page(gemini), world.database(projects)]) object.trashed = true;
  await harness.run(root);
  assert.deepEqual(
    [...harness.stored.values()].map(({ item }) => item.name),
    ['Handbook.md', 'Policies.md', 'Travel.md'],
  );
});

test('a linked view of a database is skipped', async () => {
  const { world, root, projects } = handbook();
  world.database(projects).shared = false;
  const run = await harness.run(root);
  assert.equal(run.outcome.get(projects), 'skipped');
});

test('a listing of pages comes to its end, however often it is cut off', async () => {
  const { world } = harness.fake;
  const ids = [world.addPage('Root')];
  for (let page = 1; page <= 400; page += 1)
    ids.push(world.addPage(`Page ${page}`, [paragraph('words')], ids[Math.floor(page / 2)]));
  settle();
  let run: Run | undefined;
  let attempts = 0;
  while (run === undefined && attempts < 10) {
    let requests = 0;
    harness.fake.faults(() => {
      requests += 1;
      return requests > 120 ? { status: 401 } : undefined;
    });
    run = await harness.run(ids[0]!, { goesOn: attempts > 0 }).catch(() => undefined);
    attempts += 1;
  }
  assert.ok(run !== undefined && isFull(run));
  assert.equal(harness.stored.size, 401);
});

test('settings of a page source that can never work are refused', () => {
  const check = (pageId: string, credential: string | null) =>
    harness.connector.check({ kind: 'page', pageId }, credential);
  check('248104cd477e80fdb757e945d38000bd', 'ntn_abc');
  check('248104cd477e80fdb757e945d38000bd', null);
  assert.throws(() => check('Leave policy', null), { code: 'invalid_request', message: /^page_id must be/ });
  for (const token of ['', 'two words', 'a\nb', 'ключ'])
    assert.throws(() => check('248104cd477e80fdb757e945d38000bd', token), { code: 'invalid_request' });
});
