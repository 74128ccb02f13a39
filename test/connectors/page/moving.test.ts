/** Pages that move while a run reads the workspace, and pages whose parts the workspace refuses. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { block, paragraph, says } from '../../support/fakes/notion-world.ts';
import { openPageHarness, type PageHarness } from './harness.ts';

const HOUR_MS = 3_600_000;
let harness: PageHarness;
beforeEach(async () => {
  harness = await openPageHarness({ timeoutMs: 500 });
});
afterEach(() => harness.close());

/** A tree whose second part is visited after the first one. */
function twoParts() {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const toggle = says('toggle', 'Old papers');
  const first = world.addPage('First', [toggle], root);
  const second = world.addPage('Second', [], root);
  const projects = world.addDatabase('Projects', first);
  const moving = world.addPage('Moving', [paragraph('words')], second);
  const below = world.addPage('Below', [paragraph('more words')], moving);
  return { world, root, first, second, projects, toggle, moving, below };
}

/** Does something just before the content of a page is read. */
function beforeReading(page: string, act: () => void): void {
  let isDone = false;
  harness.fake.faults(({ path }) => {
    if (!isDone && path === `/v1/blocks/${page}/children`) {
      isDone = true;
      act();
    }
    return undefined;
  });
}

const pathOf = (id: string) => harness.stored.get(id)?.item.metadata['path']?.val;

for (const [place, target] of [
  ['a page', 'first'],
  ['a block of a page', 'toggle'],
] as const)
  test(`a page that moves to ${place} which was already read keeps its source, and so do the pages below`, async () => {
    const tree = twoParts();
    harness.advance(HOUR_MS);
    await harness.run(tree.root);
    const to = tree[target];
    beforeReading(tree.second, () => tree.world.move(tree.moving, typeof to === 'string' ? to : to.id));
    harness.advance(HOUR_MS);
    const run = await harness.run(tree.root);
    assert.deepEqual(
      [tree.moving, tree.below].map((id) => run.outcome.get(id)),
      ['unchanged', 'unchanged'],
    );
    assert.deepEqual([pathOf(tree.moving), pathOf(tree.below)], ['Root / First', 'Root / First / Moving']);
  });

test('a page that moves into a new page keeps its source, and so do the pages below', async () => {
  const tree = twoParts();
  harness.advance(HOUR_MS);
  await harness.run(tree.root);
  let archive = '';
  beforeReading(tree.second, () => {
    archive = tree.world.addPage('Archive', [], tree.first);
    tree.world.move(tree.moving, archive);
  });
  harness.advance(HOUR_MS);
  const run = await harness.run(tree.root);
  assert.deepEqual(
    [archive, tree.moving, tree.below].map((id) => run.outcome.get(id)),
    ['added', 'unchanged', 'unchanged'],
  );
  assert.equal(pathOf(tree.below), 'Root / First / Archive / Moving');
});

test('the rows of a database that moves keep their sources', async () => {
  const tree = twoParts();
  const tasks = tree.world.addDatabase('Tasks', tree.second, ['Open', 'Done']);
  const rows = Array.from({ length: 130 }, (_, i) => tree.world.addRow(tasks, `Task ${i}`, {}, [], i % 2));
  harness.advance(HOUR_MS);
  await harness.run(tree.root);
  beforeReading(tree.second, () => tree.world.move(tasks, tree.first));
  harness.advance(HOUR_MS);
  const run = await harness.run(tree.root);
  assert.deepEqual([...new Set(rows.map((id) => run.outcome.get(id)))], ['unchanged']);
  assert.equal(pathOf(rows[1]!), 'Root / First / Tasks / Done');
  assert.equal(run.changes.filter((change) => change.kind === 'present' && change.item.originId === rows[0]).length, 1);
});

test('more pages that move together than a list has keep their sources', async () => {
  const { world, root, first, second } = twoParts();
  const pages = Array.from({ length: 520 }, (_, i) => world.addPage(`Old ${i}`, [], second));
  harness.advance(HOUR_MS);
  await harness.run(root);
  beforeReading(second, () => {
    for (const page of pages) world.move(page, first);
  });
  harness.advance(HOUR_MS);
  const run = await harness.run(root);
  assert.deepEqual([...new Set(pages.map((id) => run.outcome.get(id)))], ['unchanged']);
});

test('a page whose place the workspace does not tell stays, and a page that is in the trash goes', async () => {
  const forbidden = { status: 403, code: 'restricted_resource' };
  for (const fault of ['hang', 'cut', 'html', forbidden] as const) {
    const tree = twoParts();
    harness.advance(HOUR_MS);
    await harness.run(tree.root);
    const deleted = tree.world.addPage('Deleted', [], tree.root);
    await harness.run(tree.root);
    tree.world.trash(deleted);
    harness.advance(HOUR_MS);
    const before = harness.stored.get(tree.moving);
    let hasMoved = false;
    harness.fake.faults(({ path }) => {
      if (!hasMoved && path === `/v1/blocks/${tree.second}/children`) {
        hasMoved = true;
        tree.world.move(tree.moving, tree.first);
      }
      return path === `/v1/pages/${tree.moving}` ? fault : undefined;
    });
    const run = await harness.run(tree.root);
    const label = JSON.stringify(fault);
    assert.deepEqual([run.outcome.get(deleted), harness.stored.get(tree.moving)], ['deleted', before], label);
    harness.fake.faults(undefined);
    await harness.run(tree.root);
    assert.equal(pathOf(tree.moving), 'Root / First', label);
    harness.stored.clear();
  }
});

test('a page that leaves the tree is removed with the pages below, and a deleted page costs one request', async () => {
  const tree = twoParts();
  const elsewhere = tree.world.addPage('Elsewhere');
  harness.advance(HOUR_MS);
  await harness.run(tree.root);
  tree.world.move(tree.moving, elsewhere);
  harness.advance(HOUR_MS);
  const run = await harness.run(tree.root);
  assert.deepEqual(
    [tree.moving, tree.below].map((id) => run.outcome.get(id)),
    ['deleted', 'deleted'],
  );
  tree.world.trash(tree.first);
  harness.advance(HOUR_MS);
  harness.fake.forget();
  assert.equal((await harness.run(tree.root)).outcome.get(tree.first), 'deleted');
  // One for the root, one for the deleted page, and one for the page that has none below it.
  assert.ok(harness.fake.counts.get('GET /v1/pages/:id')! <= 3);
});

test('nothing counts as gone if the workspace does not say where a page is', async () => {
  const tree = twoParts();
  harness.advance(HOUR_MS);
  await harness.run(tree.root);
  tree.world.trash(tree.moving);
  harness.advance(HOUR_MS);
  harness.fake.faults(({ path }) => (path === `/v1/pages/${tree.moving}` ? { status: 503 } : undefined));
  await harness.run(tree.root);
  assert.ok(harness.stored.has(tree.moving));
  harness.fake.faults(undefined);
  await harness.run(tree.root);
  assert.equal(harness.stored.has(tree.moving), false);
});

test('a part of a page that is not shared is named, and read as soon as it is shared', async () => {
  for (const status of [403, 404]) {
    const { world } = harness.fake;
    const hidden = says('toggle', 'Salaries', [paragraph(`between ${status} and more`)]);
    const root = world.addPage(`Staff ${status}`, [paragraph('before'), hidden, paragraph('after')]);
    hidden.childrenStatus = status;
    harness.advance(HOUR_MS);
    const run = await harness.run(root);
    assert.equal(run.outcome.get(root), 'added', `${status}`);
    assert.match(
      harness.textOf(`Staff ${status}.md`)!,
      /before\n\n\*\*Salaries\*\*\n\n\[Unreadable block: toggle\]\n\nafter/,
    );
    delete hidden.childrenStatus;
    await harness.run(root);
    assert.match(harness.textOf(`Staff ${status}.md`)!, new RegExp(`between ${status}`));
  }
});

test('a page that alone is refused with 403 fails alone', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const refused = world.addPage('Refused', [paragraph('old')], root);
  world.addPage('After', [paragraph('text')], root);
  harness.advance(HOUR_MS);
  await harness.run(root);
  world.edit(refused);
  const added = world.addPage('New', [paragraph('new')], root);
  harness.advance(HOUR_MS);
  harness.fake.faults(({ path }) =>
    path === `/v1/blocks/${refused}/children` ? { status: 403, code: 'restricted_resource' } : undefined,
  );
  const run = await harness.run(root);
  assert.deepEqual([run.outcome.get(refused), run.outcome.get(added)], ['failed', 'added']);
  assert.match(harness.textOf('Refused.md')!, /old/);
  harness.fake.faults(({ path }) =>
    path.endsWith('/children') ? { status: 403, code: 'restricted_resource' } : undefined,
  );
  for (const [id, entry] of harness.stored) harness.stored.set(id, { ...entry, revision: null });
  await harness.run(root);
  assert.equal(harness.stored.size, 4);
});

test('an answer without sense about one page fails this page alone', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const lines = Array.from({ length: 120 }, (_, i) => paragraph(`line ${i}`));
  const odd = world.addPage('Odd', lines, root);
  world.addPage('After', [block('divider')], root);
  harness.advance(HOUR_MS);
  harness.fake.faults(({ path }) => (path === `/v1/blocks/${odd}/children` ? 'loop' : undefined));
  const run = await harness.run(root);
  assert.deepEqual([run.outcome.get(odd), harness.textOf('After.md')], ['failed', '# After\n\n---\n']);
  harness.fake.faults(undefined);
  await harness.run(root);
  assert.match(harness.textOf('Odd.md')!, /line 119/);
});

test('a query of rows whose cursor expires once is read again, and no row counts as gone if it expires always', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Root');
  const tasks = world.addDatabase('Tasks', root);
  for (let i = 0; i < 150; i += 1) world.addRow(tasks, `Task ${i}`, {});
  harness.advance(HOUR_MS);
  const expired = { status: 400, code: 'validation_error' };
  harness.fake.faults(({ route, before }) => (route.includes('query') && before === 1 ? expired : undefined));
  const first = await harness.run(root);
  assert.deepEqual([harness.stored.size, [...new Set(first.outcome.values())]], [151, ['added']]);
  harness.fake.forget();
  harness.fake.faults(({ route, before }) => (route.includes('query') && before % 2 === 1 ? expired : undefined));
  const second = await harness.run(root);
  const problem = second.changes.find(({ kind }) => kind === 'failed');
  assert.match(problem?.kind === 'failed' ? problem.problem.message : '', /cursor_expired/);
  assert.equal(harness.stored.size, 151);
});
