/** Lists and reads folders of a fake Drive. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, describe, test } from 'node:test';
import { OriginError } from '../../../src/connectors/connector.ts';
import { ServiceError } from '../../../src/errors.ts';
import { type DriveWorld, openDriveWorld, pathsIn, textOf } from '../../support/worlds/drive-world.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';
const TOO_LARGE = Buffer.alloc(10 * 1024 * 1024 + 1);

let world: DriveWorld;
before(async () => {
  world = await openDriveWorld();
});
after(() => world[Symbol.asyncDispose]());

/** Every test uses a new folder. */
let folder: string;
beforeEach(() => {
  folder = world.fake.state.addFolder(world.fake.state.root, 'Test');
  world.fake.requests.length = 0;
  world.fake.heal();
  world.stored.clear();
});

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const listFolder = () => world.list(null, null, folder);

async function fetched(originId: string, name?: string): Promise<{ text: string; name: string }> {
  const item = (await listFolder()).present.find((one) => one.originId === originId);
  assert.ok(item);
  if (name !== undefined) assert.equal(item.name, name);
  const answer = await world.fetch(item);
  assert.equal(answer.kind, 'content');
  assert.ok(answer.kind === 'content');
  return { text: await textOf(answer.content), name: answer.content.changes?.name ?? item.name };
}

describe('a Drive folder', () => {
  test('a Drive folder is listed with everything below it and the metadata of each file', async () => {
    const { state } = world.fake;
    const sub = state.addFolder(folder, 'Sub');
    const deep = state.addFolder(sub, 'Deep / with slash');
    const a = state.addFile(folder, 'a.txt', 'text a', { mimeType: 'text/plain' });
    const b = state.addFile(sub, 'b.pdf', 'text b', { mimeType: 'application/pdf' });
    const c = state.addFile(deep, 'c.md', 'text c');
    state.addFile(state.root, 'outside.txt', 'no');
    const listing = await listFolder();
    assert.deepEqual(pathsIn(listing), { 'a.txt': a, 'Sub/b.pdf': b, 'Sub/Deep / with slash/c.md': c });
    assert.equal(listing.end?.full, true);
    const item = listing.present.find(({ originId }) => originId === b);
    assert.deepEqual(item, {
      originId: b,
      name: 'b.pdf',
      url: `https://drive.google.com/file/d/${b}/view?usp=drivesdk`,
      revision: `md5:${md5('text b')}`,
      modifiedAt: state.get(b).modified,
      metadata: {
        path: { val: 'Sub/b.pdf', type: 'string' },
        mime_type: { val: 'application/pdf', type: 'string' },
        owner: { val: 'Ann Example', type: 'string' },
        last_modified_by: { val: 'Ann Example', type: 'string' },
        created: { val: state.get(b).created.toISOString(), type: 'datetime' },
      },
      locator: { id: b, mimeType: 'application/pdf', md5: md5('text b'), bytes: 6, resourceKey: null },
    });
    assert.equal((await fetched(b)).text, 'text b');
  });

  test('a Drive folder of 1,000 files in 200 folders needs a bounded number of requests, also in a second run', async () => {
    const { state } = world.fake;
    const folders = [folder];
    for (let i = 0; i < 200; i++) folders.push(state.addFolder(folders[Math.floor(i / 3)]!, `folder ${i}`));
    const ids = Array.from({ length: 1000 }, (_, i) =>
      state.addFile(folders[i % folders.length]!, `file ${i}.txt`, `text ${i}`),
    );
    const listing = await listFolder();
    assert.deepEqual(new Set(listing.present.map(({ originId }) => originId)), new Set(ids));
    assert.equal(listing.present.length, 1000);
    assert.ok(world.fake.requests.length <= 15, `${world.fake.requests.length} requests`);
    world.fake.requests.length = 0;
    const again = await world.list(listing.end?.cursor ?? null, null, folder);
    assert.deepEqual([again.present, again.gone, again.end?.full], [[], [], false]);
    assert.deepEqual(
      world.fake.requests.map(({ route }) => route),
      ['changes'],
    );
  });

  test('a Drive folder with many files is read page by page', async () => {
    await using small = await openDriveWorld({ pageSizeMax: 3 });
    for (let i = 0; i < 10; i++) small.fake.state.addFile(small.fake.state.root, `f${i}.txt`, `${i}`);
    const { listing } = await small.run();
    assert.equal(listing.present.length, 10);
    assert.equal(small.fake.count('list'), 4);
    for (const { originId } of listing.present) small.fake.state.edit(originId, 'other');
    const { fetched: changed } = await small.run(listing.end?.cursor);
    assert.equal(changed.length, 10);
    assert.equal(small.fake.count('changes'), 5, 'one at the end of the first listing');
  });

  test('a Drive folder is listed completely although Drive returns nothing for several folders in one query', async () => {
    const { state } = world.fake;
    const expected = Array.from({ length: 4 }, (_, i) => state.addFile(state.addFolder(folder, `F${i}`), 'x.txt', 'x'));
    world.fake.setForgetsSeveralParents(true);
    const listing = await listFolder();
    world.fake.setForgetsSeveralParents(false);
    assert.deepEqual(new Set(listing.present.map(({ originId }) => originId)), new Set(expected));
  });

  test('files and folders with several parents are reported once', async () => {
    const { state } = world.fake;
    const two = state.addFolder(state.addFolder(folder, 'One'), 'Two');
    const both = state.addFolder(folder, 'Both');
    const file = state.addFile(both, 'in both.txt', 'x');
    state.get(both).parents = [folder, two];
    state.get(file).parents = [both, two];
    const listing = await listFolder();
    assert.deepEqual(
      listing.present.map(({ originId }) => originId),
      [file],
    );
    assert.equal(world.fake.count('list'), 3, 'a request for each level');
  });

  test('a Drive address of a missing folder, a deleted folder or a file ends the run with a reason', async () => {
    const { state } = world.fake;
    const file = state.addFile(folder, 'a.txt', 'a');
    const trashed = state.addFolder(folder, 'Trashed');
    state.trash(trashed);
    const hidden = state.addFolder(folder, 'Hidden', { access: 'hidden' });
    const problems: [string, RegExp][] = [
      [file, /Not a folder/],
      [trashed, /in the trash/],
      [hidden, /Folder not found: .*not shared/],
      ['no-such-folder-at-all', /Folder not found/],
    ];
    for (const [id, message] of problems)
      await assert.rejects(
        world.list(null, null, id),
        (error) => error instanceof OriginError && !error.problem.retryable && message.test(error.message),
        id,
      );
  });

  test('a Drive folder may be given as a shortcut and may need a resource key', async () => {
    const { state } = world.fake;
    const keyed = state.addFolder(state.root, 'Keyed', { resourceKey: '0-key' });
    const inside = state.addFile(keyed, 'in.txt', 'in', { resourceKey: '0-other' });
    await assert.rejects(world.list(null, null, keyed), /not found/);
    const url = `https://drive.google.com/drive/folders/${keyed}?resourcekey=0-key`;
    // The key of the file is unknown before the listing, and the file is listed only with the key, as in Drive.
    assert.deepEqual((await world.list(null, null, url)).present, []);
    state.get(inside).resourceKey = null;
    assert.deepEqual(pathsIn(await world.list(null, null, url)), { 'in.txt': inside });
    const shortcut = state.addShortcut(folder, 'To keyed', keyed);
    assert.deepEqual(pathsIn(await world.list(null, null, shortcut)), { 'in.txt': inside });
  });
});

describe('shared drives', () => {
  test('a shared drive is read from its root, with its own change log', async () => {
    const { state } = world.fake;
    const drive = state.addDrive('Team');
    const sub = state.addFolder(drive, 'Sub');
    const a = state.addFile(sub, 'a.txt', 'a');
    const listing = await world.list(null, null, drive);
    assert.deepEqual(pathsIn(listing), { 'Sub/a.txt': a });
    assert.equal(listing.end?.cursor?.['driveId'], drive);
    const asked = world.fake.requests.filter(({ route }) => route === 'list').map(({ url }) => url.searchParams);
    for (const params of asked) assert.deepEqual([params.get('corpora'), params.get('driveId')], ['drive', drive]);
    state.edit(a, 'aa');
    const second = await world.list(listing.end?.cursor ?? null, null, drive);
    assert.deepEqual([pathsIn(second), second.end?.full], [{ 'Sub/a.txt': a }, false]);
    const item = second.present[0];
    assert.ok(item);
    const answer = await world.fetch(item);
    assert.ok(answer.kind === 'content');
    assert.equal(await textOf(answer.content), 'aa');
  });

  test('a shared drive without membership, or with files of other drives, is listed completely by every run', async () => {
    const { state } = world.fake;
    const foreign = state.addDrive('Foreign', false);
    const inside = state.addFile(state.addFolder(foreign, 'Shared'), 'f.txt', 'f');
    const shared = state.get(inside).parents[0]!;
    const listing = await world.list(null, null, shared);
    assert.deepEqual([pathsIn(listing), listing.end?.cursor], [{ 'f.txt': inside }, null]);
    const drive = state.addDrive('Team 2');
    const toDrive = state.addShortcut(folder, 'team', drive);
    assert.equal((await listFolder()).end?.cursor, null, 'also while it is empty');
    const linked = state.addFile(drive, 'team.txt', 'team');
    const mixed = await listFolder();
    assert.deepEqual([pathsIn(mixed), mixed.end?.cursor], [{ 'team/team.txt': linked }, null]);
    state.remove(toDrive);
    state.addShortcut(folder, 'one file', linked);
    const single = await listFolder();
    assert.deepEqual([pathsIn(single), single.end?.cursor], [{ 'one file': linked }, null]);
  });
});

describe("Google's own documents", () => {
  test('a Google document is read without the backslashes that Markdown does not need', async () => {
    const markdown = '# Rules\n\nSet user\\_name\\! \\[1\\]\n';
    const doc = world.fake.state.addGoogle(folder, 'Rules', 'document', { 'text/markdown': markdown });
    assert.deepEqual(await fetched(doc), { text: '# Rules\n\nSet user_name! [1]\n', name: 'Rules.md' });
  });

  test("documents of Google's editors are exported in the best format for the parsers", async () => {
    const { state } = world.fake;
    const doc = state.addGoogle(folder, 'Plan', 'document', { 'text/markdown': '# Plan', [DOCX]: 'docx' });
    const sheet = state.addGoogle(folder, 'Sums', 'spreadsheet', { [XLSX]: 'xlsx', 'text/csv': 'csv' });
    const slides = state.addGoogle(folder, 'Talk.pptx', 'presentation', { [PPTX]: 'pptx', 'text/plain': 'plain' });
    assert.deepEqual(await fetched(doc, 'Plan.md'), { text: '# Plan', name: 'Plan.md' });
    assert.deepEqual(await fetched(sheet, 'Sums.xlsx'), { text: 'xlsx', name: 'Sums.xlsx' });
    assert.deepEqual(await fetched(slides, 'Talk.pptx'), { text: 'pptx', name: 'Talk.pptx' });
  });

  test('exports fall back to another format, and an unchanged file keeps the name of that format', async () => {
    const { state } = world.fake;
    const large = state.addGoogle(folder, 'Large', 'document', { 'text/markdown': TOO_LARGE, [DOCX]: 'docx' });
    const odd = state.addGoogle(folder, 'Odd', 'document', { 'text/plain': 'plain' });
    const broken = state.addGoogle(folder, 'Broken', 'spreadsheet', { [XLSX]: 'x', 'text/csv': 'a,b' });
    world.fake.fail('export', { status: 500, reason: 'internalError' }, 99, (url) => url.search.includes('sheetml'));
    const listing = await listFolder();
    for (const item of listing.present) {
      const answer = await world.fetch(item);
      assert.ok(answer.kind === 'content');
      const known = { revision: item.revision, state: answer.content.state ?? null };
      world.stored.set(item.originId, { item, known, text: await textOf(answer.content) });
      assert.ok(answer.content.changes?.name, 'the name says what it is');
    }
    assert.deepEqual(
      [large, odd, broken].map((id) => world.stored.get(id)?.text),
      ['docx', 'plain', 'a,b'],
    );
    const names = (await listFolder()).present.map(({ name }) => name);
    assert.deepEqual(names.sort(), ['Broken.csv', 'Large.docx', 'Odd.txt']);
    state.edit(large, { 'text/markdown': '# small now' });
    assert.deepEqual(await fetched(large, 'Large.md'), { text: '# small now', name: 'Large.md' });
  });

  test("documents of Google's editors that are too large in every format are skipped until they change", async () => {
    const { state } = world.fake;
    const huge = state.addGoogle(folder, 'Huge', 'spreadsheet', { [XLSX]: TOO_LARGE, 'text/csv': TOO_LARGE });
    const [item] = (await listFolder()).present;
    assert.ok(item);
    const answer = await world.fetch(item);
    assert.ok(answer.kind === 'skipped' && /10 MB/.test(answer.reason));
    state.touch(huge);
    assert.notEqual((await listFolder()).present[0]?.revision, item.revision);
  });
});

describe('files without text', () => {
  test('files are skipped by type, size or permission without a download', async () => {
    const { state } = world.fake;
    for (const kind of ['form', 'site', 'map', 'drawing', 'script', 'jam', 'something-new'])
      state.addGoogle(folder, kind, kind, {});
    state.addFile(folder, 'film.mp4', 'x', { mimeType: 'video/mp4' });
    state.addFile(folder, 'photo.jpg', 'x', { mimeType: 'image/jpeg' });
    state.addFile(folder, 'huge.pdf', 'x', { mimeType: 'application/pdf', claimedBytes: 500 * 1024 * 1024 + 1 });
    state.addFile(folder, 'locked.pdf', 'x', { mimeType: 'application/pdf', canDownload: false });
    const listing = await listFolder();
    assert.deepEqual(listing.present, []);
    assert.equal(listing.skipped.length, 11);
    for (const { name, reason } of listing.skipped) assert.match(reason, /no text|allow downloads|larger than/, name);
    assert.equal(world.fake.count('media') + world.fake.count('export'), 0);
  });

  test('pictures are listed if OCR is on', async () => {
    await using reading = await openDriveWorld({ readsPictures: true });
    reading.fake.state.addFile(reading.fake.state.root, 'photo.jpg', 'x', { mimeType: 'image/jpeg' });
    assert.deepEqual(Object.keys(pathsIn(await reading.list())), ['photo.jpg']);
  });

  test('files that Google refuses to download are skipped with a reason', async () => {
    const { state } = world.fake;
    state.addFile(folder, 'bad.txt', 'x', { abusive: true });
    const late = state.addFile(folder, 'late.txt', 'y');
    const listing = await listFolder();
    state.get(late).canDownload = false;
    for (const item of listing.present) {
      const answer = await world.fetch(item);
      assert.ok(answer.kind === 'skipped' && /malware|allow downloads/.test(answer.reason));
    }
  });
});

describe('fetching one file', () => {
  test('the fetch of a deleted file reports it as gone, and an unreadable file fails alone', async () => {
    const { state } = world.fake;
    const gone = state.addFile(folder, 'gone.txt', 'x');
    const unreadable = state.addFile(folder, 'unreadable.txt', 'x', { access: 'unreadable' });
    const items = new Map((await listFolder()).present.map((item) => [item.originId, item]));
    state.remove(gone);
    assert.deepEqual(await world.fetch(items.get(gone)!), { kind: 'gone' });
    await assert.rejects(
      world.fetch(items.get(unreadable)!),
      (error) => error instanceof OriginError && error.problem.title === 'No permission' && !error.problem.retryable,
    );
  });

  test('a file whose bytes are truncated or differ from the listing fails at its end', async () => {
    const { state } = world.fake;
    const id = state.addFile(folder, 'a.txt', 'a text that is long enough');
    const item = (await listFolder()).present[0]!;
    for (const change of [() => world.fake.fail('media', 'truncated'), () => state.edit(id, 'another one')]) {
      change();
      const answer = await world.fetch(item);
      assert.ok(answer.kind === 'content');
      await assert.rejects(
        textOf(answer.content),
        (error) =>
          (error instanceof OriginError && error.problem.retryable) ||
          (error instanceof ServiceError && error.code === 'upstream_failed'),
      );
    }
  });
});
