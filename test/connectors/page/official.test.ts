/**
 * The official client of the workspace reads the fake workspace, so the connector is tested against the real API's behaviour.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  APIErrorCode,
  APIResponseError,
  Client,
  collectPaginatedAPI,
  isFullBlock,
  isFullDatabase,
  isFullDataSource,
  isFullPage,
  isFullUser,
} from '@notionhq/client';
import { type FakeNotion, openFakeNotion } from '../../support/fakes/notion.ts';
import { AUTHOR, block, paragraph, says, text } from '../../support/fakes/notion-world.ts';

let fake: FakeNotion;
let official: Client;

before(async () => {
  fake = await openFakeNotion({ listMax: 2 });
  official = openClient(fake.token);
});
after(() => fake.close());

/** The library uses the real address by default. It also retries, which a test does not need. */
const openClient = (auth: string) => new Client({ auth, baseUrl: fake.url, retry: false, logger: () => {} });

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('no error'),
    (reason: unknown) => reason,
  );
  assert.ok(APIResponseError.isAPIResponseError(error), String(error));
  assert.match(error.request_id ?? '', /^[0-9a-f-]{36}$/);
  return `${error.status} ${error.code}`;
}

test('the official client reads a page, its blocks in several lists, and their children', async () => {
  const nested = says('bulleted_list_item', 'outer', [says('bulleted_list_item', 'inner')]);
  const id = fake.world.addPage('Handbook', [paragraph('a'), nested, paragraph('c'), paragraph('d'), paragraph('e')]);
  fake.world.addPage('Below', [], id);
  const page = await official.pages.retrieve({ page_id: id });
  assert.ok(isFullPage(page));
  assert.equal(page.properties['title']?.type, 'title');
  assert.match(page.last_edited_time, /:00\.000Z$/);
  fake.forget();
  const blocks = await collectPaginatedAPI(official.blocks.children.list, { block_id: id });
  assert.equal(fake.counts.get('GET /v1/blocks/:id/children'), 3);
  assert.deepEqual(
    blocks.map((one) => (isFullBlock(one) ? one.type : '')),
    ['paragraph', 'bulleted_list_item', 'paragraph', 'paragraph', 'paragraph', 'child_page'],
  );
  const first = blocks[0]!;
  assert.ok(isFullBlock(first) && first.type === 'paragraph');
  assert.equal(first.paragraph.rich_text[0]?.plain_text, 'a');
  const children = await official.blocks.children.list({ block_id: nested.id });
  assert.equal(children.results.length, 1);
  const last = blocks.at(-1)!;
  assert.ok(isFullBlock(last) && last.type === 'child_page' && last.child_page.title === 'Below');
});

test('the official client reads a database, its data source and its rows', async () => {
  const id = fake.world.addDatabase('Tasks');
  for (let row = 0; row < 5; row++)
    fake.world.addRow(id, `Task ${row}`, { Done: { id: 'done', type: 'checkbox', checkbox: row === 0 } });
  const database = await official.databases.retrieve({ database_id: id });
  assert.ok(isFullDatabase(database));
  const { id: data_source_id } = database.data_sources[0]!;
  const source = await official.dataSources.retrieve({ data_source_id });
  assert.ok(isFullDataSource(source) && source.parent.type === 'database_id');
  const rows = await collectPaginatedAPI(official.dataSources.query, {
    data_source_id,
    sorts: [{ timestamp: 'created_time', direction: 'ascending' }],
  });
  assert.equal(rows.length, 5);
  const [row] = rows;
  assert.ok(row && isFullPage(row) && row.properties['Done']?.type === 'checkbox' && row.properties['Done'].checkbox);
});

test('the official client reads users, a property of many values, and a file with an expiring address', async () => {
  const users = await collectPaginatedAPI(official.users.list, {});
  assert.deepEqual(
    users.filter(isFullUser).map(({ name }) => name),
    [AUTHOR.name, 'Sync'],
  );
  const id = fake.world.addDatabase('Notes');
  const runs = Array.from({ length: 30 }, (_, index) => text(`${index}`));
  const row = fake.world.addRow(id, 'Long', { Body: { id: 'body', type: 'rich_text', rich_text: runs } });
  let values = 0;
  for (let start_cursor: string | undefined, more = true; more; ) {
    const place = { page_id: row, property_id: 'body', ...(start_cursor === undefined ? {} : { start_cursor }) };
    const list = await official.pages.properties.retrieve(place);
    assert.ok(list.object === 'list');
    values += list.results.length;
    more = list.has_more;
    start_cursor = list.next_cursor ?? undefined;
  }
  assert.equal(values, 30);
  const attachment = block('file', fake.world.hostedFile('a b.txt', 'words'));
  fake.world.addPage('Files', [attachment]);
  const found = await official.blocks.retrieve({ block_id: attachment.id });
  assert.ok(isFullBlock(found) && found.type === 'file' && found.file.type === 'file');
  assert.ok(Date.parse(found.file.file.expiry_time) > Date.now());
  assert.equal(await (await fetch(found.file.file.url)).text(), 'words');
  assert.equal((await fetch(found.file.file.url.replace(/expires=\d+/, 'expires=1'))).status, 403);
});

test('the search of the fake workspace returns the last edited page first', async () => {
  const { results } = await official.search({
    filter: { property: 'object', value: 'page' },
    sort: { timestamp: 'last_edited_time', direction: 'descending' },
  });
  const pages = results.filter(isFullPage);
  assert.ok(pages.length > 0 && pages.length === results.length);
  const times = pages.map((page) => page.last_edited_time);
  assert.deepEqual(times, times.toSorted().toReversed());
});

test('the official client recognizes the errors of the fake workspace', async () => {
  const page = fake.world.addPage('Secret');
  const database = fake.world.addDatabase('Tasks');
  assert.equal(await codeOf(openClient('wrong').users.list({})), `401 ${APIErrorCode.Unauthorized}`);
  fake.world.page(page).shared = false;
  assert.equal(await codeOf(official.pages.retrieve({ page_id: page })), `404 ${APIErrorCode.ObjectNotFound}`);
  assert.equal(await codeOf(official.pages.retrieve({ page_id: database })), `400 ${APIErrorCode.ValidationError}`);
  assert.equal(await codeOf(official.pages.retrieve({ page_id: 'x' })), `400 ${APIErrorCode.ValidationError}`);
  assert.equal(
    await codeOf(official.blocks.children.list({ block_id: fake.world.addPage('P'), page_size: 101 })),
    `400 ${APIErrorCode.ValidationError}`,
  );
  fake.faults(() => ({ status: 429, code: 'rate_limited', headers: { 'retry-after': '1' } }));
  assert.equal(await codeOf(official.users.list({})), `429 ${APIErrorCode.RateLimited}`);
  fake.faults(() => ({ status: 503, code: 'service_unavailable' }));
  assert.equal(await codeOf(official.users.list({})), `503 ${APIErrorCode.ServiceUnavailable}`);
  fake.faults(undefined);
});

test('the fake workspace refuses requests above the rate limit with a Retry-After header', async () => {
  let time = Date.now();
  const strict = await openFakeNotion({ perSecond: 3, now: () => new Date(time) });
  const client = new Client({ auth: strict.token, baseUrl: strict.url, retry: false, logger: () => {} });
  for (let call = 0; call < 3; call++) await client.users.list({});
  assert.equal(await codeOf(client.users.list({})), `429 ${APIErrorCode.RateLimited}`);
  time += 1000;
  await client.users.list({});
  await strict.close();
});
