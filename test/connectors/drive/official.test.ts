/** The official client of Google reads the fake Drive, so the connector is tested against the real API's behaviour. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drive as openOfficialDrive } from '@googleapis/drive';
import { JWT } from 'google-auth-library';
import { type FakeDrive, openFakeDrive } from '../../support/fakes/drive.ts';

type Official = ReturnType<typeof openOfficialDrive>;

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const READ_ONLY = ['https://www.googleapis.com/auth/drive.readonly'];

let fake: FakeDrive;
let official: Official;

/** The library has Google's token address built in; its requests are redirected to the fake Drive. */
function openClient(key: { client_email: string; private_key: string; private_key_id: string }, scopes = READ_ONLY) {
  const auth = new JWT({
    email: key.client_email,
    key: key.private_key,
    keyId: key.private_key_id,
    scopes,
  });
  auth.transporter.interceptors.request.add({
    resolved: async (config) => {
      if (String(config.url) === 'https://oauth2.googleapis.com/token') config.url = new URL(`${fake.url}/token`);
      return config;
    },
  });
  return openOfficialDrive({ version: 'v3', auth, rootUrl: `${fake.url}/`, retry: false });
}

before(async () => {
  fake = await openFakeDrive();
  official = openClient(JSON.parse(fake.key));
});
after(() => fake.close());

/** Returns status and reason of a refusal. */
async function refusalOf(call: Promise<unknown>): Promise<[number, string | undefined]> {
  const error = await call.then(
    () => assert.fail('it was answered'),
    (reason: unknown) => reason as { status: number; response: { data: unknown } },
  );
  const data = error.response.data;
  const body =
    typeof data === 'string' ? JSON.parse(data) : data instanceof Blob ? JSON.parse(await data.text()) : data;
  return [error.status, body.error?.errors?.[0].reason ?? body.error];
}

test('the fake Drive accepts a valid key and refuses a wrong key, a wrong scope and an expired token', async () => {
  const files = await official.files.list({ q: `'${fake.state.root}' in parents` });
  assert.deepEqual(files.data.files, []);
  const other = await openFakeDrive();
  await other.close();
  assert.deepEqual(await refusalOf(openClient(JSON.parse(other.key)).files.list()), [400, 'invalid_grant']);
  const calendar = openClient(JSON.parse(fake.key), ['https://www.googleapis.com/auth/calendar']);
  assert.deepEqual(await refusalOf(calendar.files.list()), [401, 'authError']);
  fake.expireTokens();
  assert.deepEqual(await refusalOf(official.files.list()), [401, 'authError']);
  official = openClient(JSON.parse(fake.key));
  assert.equal((await official.files.list()).status, 200);
});

test('the official client lists files with pages, fields, queries and drives', async () => {
  const folder = fake.state.addFolder(fake.state.root, 'Pages');
  const ids = Array.from({ length: 5 }, (_, i) => fake.state.addFile(folder, `f${i}.txt`, `text ${i}`));
  const seen: string[] = [];
  let pageToken: string | undefined;
  do {
    const { data } = await official.files.list({
      q: `'${folder}' in parents and trashed = false`,
      pageSize: 2,
      fields: 'nextPageToken,incompleteSearch,files(id,md5Checksum,owners(displayName))',
      ...(pageToken === undefined ? {} : { pageToken }),
    });
    assert.equal(data.incompleteSearch, false);
    for (const file of data.files ?? []) {
      assert.deepEqual(Object.keys(file).sort(), ['id', 'md5Checksum', 'owners']);
      assert.deepEqual(file.owners, [{ displayName: 'Ann Example' }]);
      seen.push(file.id ?? '');
    }
    pageToken = data.nextPageToken ?? undefined;
  } while (pageToken !== undefined);
  assert.deepEqual(seen, ids);
  const [first] = (await official.files.list({ q: `'${folder}' in parents` })).data.files ?? [];
  assert.deepEqual(Object.keys(first ?? {}).sort(), ['id', 'kind', 'mimeType', 'name'], 'without fields');
  assert.deepEqual(await refusalOf(official.files.list({ q: 'nonsense ~ 1' })), [400, 'invalid']);
  assert.deepEqual(await refusalOf(official.files.list({ fields: 'files(nothing)' })), [400, 'invalidParameter']);
  assert.deepEqual(await refusalOf(official.files.list({ pageToken: 'x' })), [400, 'invalid']);
  assert.deepEqual(await refusalOf(official.files.list({ pageSize: 2000 })), [400, 'invalid']);

  const shared = fake.state.addDrive('Team');
  const inside = fake.state.addFile(shared, 'team.txt', 'team');
  assert.deepEqual((await official.files.list({ q: `'${shared}' in parents` })).data.files, [], 'not unless asked for');
  const all = { supportsAllDrives: true, includeItemsFromAllDrives: true };
  const drive = await official.files.list({ q: `'${shared}' in parents`, corpora: 'drive', driveId: shared, ...all });
  assert.deepEqual(
    drive.data.files?.map(({ id }) => id),
    [inside],
  );
  assert.deepEqual(await refusalOf(official.files.get({ fileId: inside })), [404, 'notFound']);
  assert.equal((await official.files.get({ fileId: inside, supportsAllDrives: true })).data.name, 'team.txt');
});

test('the official client gets, downloads and exports files, and recognizes refusals', async () => {
  const { state } = fake;
  const text = state.addFile(state.root, 'a.txt', 'hello there');
  const { data } = await official.files.get({ fileId: text, fields: 'id,size,md5Checksum,parents,trashed,version' });
  assert.deepEqual(data, {
    id: text,
    size: '11',
    md5Checksum: '161bc25962da8fed6d2f59922fb642aa',
    parents: [state.root],
    trashed: false,
    version: '1',
  });
  const media = await official.files.get({ fileId: text, alt: 'media' }, { responseType: 'text' });
  assert.equal(media.data, 'hello there');
  const part = await official.files.get(
    { fileId: text, alt: 'media' },
    { responseType: 'text', headers: { range: 'bytes=6-8' } },
  );
  assert.deepEqual([part.status, part.data], [206, 'the']);

  const doc = state.addGoogle(state.root, 'Doc', 'document', { 'text/markdown': '# Doc', [DOCX]: 'docx bytes' });
  const exported = await official.files.export({ fileId: doc, mimeType: 'text/markdown' }, { responseType: 'text' });
  assert.equal(exported.data, '# Doc');
  const large = state.addGoogle(state.root, 'Large', 'document', { 'text/plain': Buffer.alloc(10 * 1024 * 1024 + 1) });
  const locked = state.addFile(state.root, 'locked.txt', 'x', { canDownload: false });
  const bad = state.addFile(state.root, 'bad.exe', 'x', { abusive: true });
  const expected: [Promise<unknown>, number, string][] = [
    [official.files.get({ fileId: doc, alt: 'media' }), 403, 'fileNotDownloadable'],
    [official.files.get({ fileId: locked, alt: 'media' }), 403, 'cannotDownloadFile'],
    [official.files.get({ fileId: bad, alt: 'media' }), 403, 'cannotDownloadAbusiveFile'],
    [official.files.get({ fileId: 'does-not-exist' }), 404, 'notFound'],
    [official.files.export({ fileId: doc, mimeType: 'image/png' }), 400, 'badRequest'],
    [official.files.export({ fileId: text, mimeType: 'text/plain' }), 403, 'fileNotExportable'],
    [official.files.export({ fileId: large, mimeType: 'text/plain' }), 403, 'exportSizeLimitExceeded'],
  ];
  for (const [call, status, reason] of expected) assert.deepEqual(await refusalOf(call), [status, reason]);
});

test('the official client reads the last change of each file, removals and the new start token', async () => {
  const { state } = fake;
  const start = (await official.changes.getStartPageToken()).data.startPageToken ?? '';
  const kept = state.addFile(state.root, 'kept.txt', '1');
  const gone = state.addFile(state.root, 'gone.txt', '2');
  state.edit(kept, '11');
  state.remove(gone);
  const fields = 'nextPageToken,newStartPageToken,changes(removed,fileId,file(name,trashed))';
  const first = await official.changes.list({ pageToken: start, pageSize: 3, fields });
  assert.equal(first.data.newStartPageToken, undefined);
  const second = await official.changes.list({ pageToken: first.data.nextPageToken ?? '', fields });
  assert.deepEqual(
    [...(first.data.changes ?? []), ...(second.data.changes ?? [])],
    [
      { removed: false, fileId: kept, file: { name: 'kept.txt', trashed: false } },
      { removed: true, fileId: gone },
    ],
  );
  const after = await official.changes.list({ pageToken: second.data.newStartPageToken ?? '' });
  assert.deepEqual([after.data.changes, after.data.newStartPageToken], [[], second.data.newStartPageToken]);
  assert.deepEqual(await refusalOf(official.changes.list({ pageToken: '999999' })), [400, 'invalid']);
});

test('the official client recognizes the faults of the fake Drive', async () => {
  fake.fail('list', { status: 403, reason: 'userRateLimitExceeded' });
  assert.deepEqual(await refusalOf(official.files.list()), [403, 'userRateLimitExceeded']);
  fake.fail('list', 'truncated');
  await assert.rejects(official.files.list());
  assert.equal((await official.files.list()).status, 200);
});
