/** Files in pages, which become sources. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { block, paragraph, says } from '../../support/fakes/notion-world.ts';
import { type HarnessOptions, openPageHarness, type PageHarness, type Run } from './harness.ts';

const MINUTE_MS = 60_000;
let harness: PageHarness;

async function reopen(options: HarnessOptions = {}): Promise<void> {
  await harness?.close();
  harness = await openPageHarness(options);
}
beforeEach(() => reopen());
afterEach(() => harness.close());

const settle = () => harness.advance(5 * MINUTE_MS);
const namesOf = (run: Run, outcome: string) =>
  [...run.outcome].filter(([, what]) => what === outcome).map(([id]) => harness.stored.get(id)?.item.name ?? id);
const pathOf = (name: string) =>
  [...harness.stored.values()].find(({ item }) => item.name === name)?.item.metadata['path']?.val;

test('files of the workspace become sources, and their addresses are requested before each download', async () => {
  const { world } = harness.fake;
  const attachment = block('file', world.hostedFile('Notes.txt', 'minutes of the meeting'));
  const picture = block('image', world.hostedFile('cat.png', 'png'));
  const elsewhere = block('pdf', { type: 'external', external: { url: 'https://e.com/x.pdf' }, caption: [] });
  const root = world.addPage('Meeting', [says('toggle', 'Files', [attachment]), picture, elsewhere]);
  const database = world.addDatabase('Contracts', root);
  world.addRow(database, 'Lease', {
    Scan: {
      id: 'scan',
      type: 'files',
      files: [world.hostedFile('lease.csv', 'a,b\n1,2'), world.hostedFile('x.csv', '1')],
    },
  });
  settle();
  const run = await harness.run(root);
  assert.equal(harness.textOf('Notes.txt'), 'minutes of the meeting');
  assert.equal(harness.textOf('lease.csv'), 'a,b\n1,2');
  assert.equal(harness.textOf('x.csv'), '1');
  assert.equal(run.outcome.get(`file:${picture.id}`), 'skipped');
  assert.equal(pathOf('Notes.txt'), 'Meeting');
  assert.equal(pathOf('lease.csv'), 'Meeting / Contracts / Lease');
  assert.doesNotMatch(harness.textOf('Meeting.md')!, /X-Amz|files\//);

  // The addresses in the listing have expired, and the page is not read again for its files.
  harness.advance(3 * 60 * MINUTE_MS);
  harness.stored.delete(`file:${attachment.id}`);
  const second = await harness.run(root);
  assert.deepEqual(namesOf(second, 'added'), ['Notes.txt']);
  assert.equal(second.bodies, 1);

  world.edit(root, () => {
    attachment.content = world.hostedFile('Notes.txt', 'corrected minutes');
  });
  settle();
  const third = await harness.run(root);
  assert.deepEqual(namesOf(third, 'updated'), ['Notes.txt']);
  assert.equal(harness.textOf('Notes.txt'), 'corrected minutes');

  world.edit(root, (page) => page.blocks.shift());
  settle();
  assert.deepEqual(namesOf(await harness.run(root), 'deleted'), [`file:${attachment.id}`]);
});

test('a file address that expires before the download is requested once more', async () => {
  const { world } = harness.fake;
  const root = world.addPage('Meeting', [block('file', world.hostedFile('Notes.txt', 'minutes'))]);
  harness.fake.faults(({ route, before }) =>
    route === 'GET /files/:key' && before === 0 ? { status: 403 } : undefined,
  );
  await harness.run(root);
  assert.equal(harness.textOf('Notes.txt'), 'minutes');
});

test('a file address of the workspace cannot reach private hosts', async () => {
  await reopen({ allow: [] });
  const { world } = harness.fake;
  const root = world.addPage('Meeting', [block('file', world.hostedFile('Notes.txt', 'minutes'))]);
  await assert.rejects(harness.run(root), /^OriginError: The page workspace could not be reached/);
  assert.equal(harness.fake.counts.get('GET /files/:key'), undefined);
});

test('names of files in pages are made safe', async () => {
  const { world } = harness.fake;
  const names = ['../../etc/passwd', 'a\\b\u0000c.txt', `${'x'.repeat(400)}.csv`, ' '];
  const root = world.addPage('..//x\ny', [
    paragraph('p'),
    ...names.map((name) => block('file', world.hostedFile(name, 'text'))),
  ]);
  await harness.run(root);
  assert.deepEqual(
    [...harness.stored.values()].map(({ item }) => item.name),
    ['.. x y.md', '.. .. etc passwd', 'a b c.txt', `${'x'.repeat(196)}.csv`, 'Untitled'],
  );
});
