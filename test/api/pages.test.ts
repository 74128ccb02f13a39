/** Pages of PDFs: sizes, pictures, boxes, and everything that policies and redaction hide on them. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { makePdf } from '../support/files/make-files.ts';
import { type Picture, readPng } from '../support/files/read-png.ts';
import { eventually, ingest } from '../support/upload.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const FIRST = [
  '# Harbour report',
  'The lighthouse of the harbour was lit for the first time in 1861.',
  'Its keeper is Anna',
  'Smithson, who came from the north.',
  'The lamp burns oil.',
  'The keeper of the lamp writes down every',
];
const SECOND = ['ship that passes in the night, with its name.', 'The lamp burns oil.', 'Nobody has left since.'];

let t: TestApp;
let id: string;
let text: string;

before(async () => {
  t = await openTestApp({ runsJobs: true, env: { PINAKES_AUTHORIZATION: 'on' } });
  await t.put('/authz/policies/default', { filters: [{ key: 'department', operator: 'not_exists' }] });
  await t.put('/authz/policies/nobody', { filters: [{ key: 'department', operator: 'exists' }] });
  const picture = '200 0 0 50 300 300 cm\nBI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI';
  id = await ingestPdf('harbour.pdf', makePdf({ pages: [FIRST, SECOND], drawing: `q\n${picture}\nQ` }));
  text = (await t.get(`/sources/${id}/text`)).body.text;
});
afterEach(async () => {
  await t.delete('/redaction-policy');
});
after(() => t.close());

async function ingestPdf(name: string, content: Uint8Array): Promise<string> {
  const group = await ingest(t, [{ name, content }]);
  return (await t.get(`/source-groups/${group}/sources`)).body.sources[0].id;
}

async function draw(page: number, query = '', source = id): Promise<Picture> {
  const response = await t.app.inject({
    url: `/api/v1/sources/${source}/pages/${page}/image${query}`,
    headers: { 'x-api-key': t.key },
  });
  assert.equal(response.statusCode, 200, response.body.slice(0, 300));
  assert.equal(response.headers['content-type'], 'image/png');
  return readPng(response.rawPayload);
}

/** Returns the boxes of words of the extracted text. */
async function boxes(words: string, page: number): Promise<Box[]> {
  const [found] = text.matchAll(new RegExp(words.replaceAll('.', '\\.').replaceAll(' ', '\\s+'), 'g'));
  assert.ok(found, `${words} is not in ${text}`);
  const start = [...text.slice(0, found.index)].length;
  const query = `start_offset=${start}&end_offset=${start + [...found[0]].length}`;
  const { status, body } = await t.get(`/sources/${id}/pages/${page}/boxes?${query}`);
  assert.equal(status, 200);
  return body.boxes;
}

/** Returns the share of dark pixels in a box. */
function darkness({ width, height, at }: Picture, box: Box): number {
  let dark = 0;
  let all = 0;
  for (let y = Math.ceil(box.y * height); y < Math.floor((box.y + box.height) * height); y += 1) {
    for (let x = Math.ceil(box.x * width); x < Math.floor((box.x + box.width) * width); x += 1) {
      all += 1;
      if (at(x, y) < 128) dark += 1;
    }
  }
  return dark / all;
}

const hide = (rule: object) =>
  t.put('/redaction-policy', {
    enabled: true,
    rules: [{ name: 'keeper', action: 'mask', apply_at: ['retrieval'], ...rule }],
  });
const HIDE_NAME = { kind: 'dictionary', terms: ['Anna Smithson'] };

test('the pages of a PDF have sizes and ranges of the text', async () => {
  const { status, body } = await t.get(`/sources/${id}/pages`);
  assert.equal(status, 200);
  assert.equal(body.source_id, id);
  assert.deepEqual(
    body.pages.map(({ number, width, height }: { number: number; width: number; height: number }) => [
      number,
      width,
      height,
    ]),
    [
      [1, 595, 842],
      [2, 595, 842],
    ],
  );
  assert.equal(body.pages[0].start_offset, 0);
  assert.equal(body.pages[1].end_offset, [...text].length);
});

test('a page is drawn in two sizes, and a browser may keep it as long as it asks again', async () => {
  const [small, large] = [await draw(1), await draw(1, '?scale=2')];
  assert.deepEqual([small.width, small.height, large.width, large.height], [595, 842, 1190, 1684]);
  const path = `/sources/${id}/pages/1/image`;
  const { headers } = await t.get(path);
  assert.equal(headers['cache-control'], 'private, no-cache');
  const again = await t.request({ path, headers: { 'if-none-match': String(headers['etag']) } });
  assert.equal(again.status, 304);
  assert.equal(
    (await t.request({ path: `${path}?scale=2`, headers: { 'if-none-match': String(headers['etag']) } })).status,
    200,
  );
});

test('the boxes of a passage lie on its words, one for each line', async () => {
  const page = await draw(1, '?scale=2');
  const [box, ...others] = await boxes('The lighthouse of the harbour was lit for the first time in 1861.', 1);
  assert.equal(others.length, 0);
  assert.ok(darkness(page, box!) > 0.05, 'there are words');
  assert.equal(darkness(page, { ...box!, y: box!.y + box!.height * 2 + 0.3, height: 0.01, x: 0, width: 0.1 }), 0);
  const lines = await boxes('Its keeper is Anna Smithson, who came from the north.', 1);
  assert.equal(lines.length, 2);
  assert.ok(lines[0]!.y < lines[1]!.y);
  assert.deepEqual(await boxes('The lighthouse of the harbour', 2), [], 'it is on the other page');
});

test('a sentence over two pages is marked on both, and a repeated sentence only in its own place', async () => {
  const sentence = 'The keeper of the lamp writes down every ship that passes in the night, with its name.';
  assert.equal((await boxes(sentence, 1)).length, 1);
  assert.equal((await boxes(sentence, 2)).length, 1);
  const [first] = await boxes('The lamp burns oil.', 1);
  assert.ok(first!.y > (await boxes('Its keeper is Anna', 1))[0]!.y);
  assert.deepEqual(await boxes('The lamp burns oil.', 2), [], 'the passage is that of page 1');
});

test('each chunk of a page has boxes', async () => {
  const { body } = await t.get(`/sources/${id}/pages/1/boxes`);
  assert.deepEqual(body.boxes, []);
  assert.ok(body.chunks.length > 0);
  assert.ok(body.chunks.every((chunk: { boxes: Box[] }) => chunk.boxes.length > 0));
});

test('words that a redaction rule hides are covered, also over a line end, and have no boxes', async () => {
  const [name] = await boxes('Anna', 1);
  const [rest] = await boxes('Smithson', 1);
  const [other] = await boxes('The lighthouse of the harbour', 1);
  const plain = await draw(1, '?scale=2');
  assert.ok(darkness(plain, name!) < 0.6);
  assert.equal((await hide(HIDE_NAME)).status, 200);
  const covered = await draw(1, '?scale=2');
  assert.equal(darkness(covered, name!), 1);
  assert.equal(darkness(covered, rest!), 1);
  assert.ok(darkness(covered, other!) < 0.6, 'other words are shown');
  assert.deepEqual(await boxes('Anna', 1), []);
  const { headers } = await t.get(`/sources/${id}/pages/1/image`);
  assert.deepEqual([headers['etag'], headers['cache-control']], [undefined, 'no-store']);
});

test('while rules apply, an area in one grey stands for a picture', async () => {
  const place = (picture: Picture): number => picture.at(400, 842 - 325);
  const plain = place(await draw(1));
  await hide({ kind: 'dictionary', terms: ['nothing of this page'] });
  const shade = place(await draw(1));
  assert.ok(plain === 0x80 && shade === 0xd8, `${plain} ${shade}`);
});

test('a page that a rule blocks is not shown', async () => {
  await hide({ ...HIDE_NAME, action: 'block' });
  assert.equal((await t.get(`/sources/${id}/pages/1/image`)).status, 404);
  assert.equal((await t.get(`/sources/${id}/pages/2/image`)).status, 404, 'the match may reach over the page end');
});

test('after a change of ingest rules, pages are shown when the file was read again', async () => {
  const stale = sql`update source set redacted_by = 'other rules' where tenant_id = ${t.tenantId} and id = ${id}`;
  await t.deps.db.query(t.tenantId, stale);
  for (const path of ['', '/1/image', '/1/boxes'])
    assert.equal((await t.get(`/sources/${id}/pages${path}`)).status, 409, path);
  await t.deps.db.query(
    t.tenantId,
    sql`update source set redacted_by = '' where tenant_id = ${t.tenantId} and id = ${id}`,
  );
});

test('nobody sees a page of a source that a policy hides', async () => {
  for (const path of ['', '/1/image', '/1/boxes', '/1/boxes?start_offset=0&end_offset=5']) {
    const of = `/sources/${id}/pages${path}`;
    assert.equal((await t.get(of)).status, 200, path);
    assert.equal((await t.get(`${of}${path.includes('?') ? '&' : '?'}authz_policy=nobody`)).status, 404, path);
  }
});

test('pictures, sizes and boxes that wait are not shown when the page is hidden, deleted or redacted meanwhile', async () => {
  const source = await ingestPdf('waiting.pdf', makePdf({ pages: [FIRST] }));
  const { processor } = t.deps;
  const { process } = processor;
  const allow = (filters: object[]) => t.put('/authz/policies/default', { filters });
  const open = [{ key: 'department', operator: 'not_exists' }];
  let path = '';
  const whileDrawn = async (change: () => Promise<{ status: number; text: string }>): Promise<number> => {
    let isChanged = false;
    processor.process = async (...args) => {
      if (args[0].pages && args[0].pages.kind !== 'texts' && !isChanged) {
        isChanged = true;
        const { status, text } = await change();
        assert.equal(status, 200, text);
      }
      return process.apply(processor, args);
    };
    return (await t.get(`/sources/${source}/pages${path}`)).status;
  };
  try {
    for (path of ['', '/1/boxes', '/1/boxes?start_offset=0&end_offset=10', '/1/image']) {
      assert.equal(await whileDrawn(() => t.get('/service')), 200, path);
      assert.equal(await whileDrawn(() => hide(HIDE_NAME)), 409, path);
      assert.equal(await whileDrawn(() => t.delete('/redaction-policy')), 409, path);
      assert.equal(await whileDrawn(() => allow([{ key: 'department', operator: 'exists' }])), 404, path);
      await allow(open);
    }
    assert.equal(await whileDrawn(() => t.delete(`/sources/${source}`)), 404);
  } finally {
    processor.process = process;
    await allow(open);
  }
});

test('what has no pages is not found, and wrong numbers are refused', async () => {
  const group = await ingest(t, [{ name: 'a.txt', content: 'No pages here.' }]);
  const plain = (await t.get(`/source-groups/${group}/sources`)).body.sources[0].id;
  assert.equal((await t.get(`/sources/${plain}/pages`)).status, 404);
  for (const page of ['0', '3', 'x', '20001'])
    assert.equal((await t.get(`/sources/${id}/pages/${page}/image`)).status, 404, page);
  for (const query of ['scale=3', 'scale=0'])
    assert.equal((await t.get(`/sources/${id}/pages/1/image?${query}`)).status, 400, query);
  for (const query of ['start_offset=1', 'start_offset=5&end_offset=1', 'start_offset=0&end_offset=30000'])
    assert.equal((await t.get(`/sources/${id}/pages/1/boxes?${query}`)).status, 400, query);
  const deleted = await ingestPdf('gone.pdf', makePdf({ pages: [['Soon gone.']] }));
  await t.delete(`/sources/${deleted}`);
  assert.equal((await t.get(`/sources/${deleted}/pages/1/image`)).status, 404);
});

test('a page is not drawn, and has no boxes, if a rule finds values of a table by the header of their column', async () => {
  const [xs, ys] = [
    [72, 172, 292, 400],
    [700, 680, 660, 640],
  ];
  const rows = [
    ['Name', 'Date of birth', 'SSN'],
    ['Ann', '1982-07-19', '536904399'],
    ['Bo', '1971-05-03', '536904398'],
  ];
  const lines = [...ys.map((y) => `72 ${y} m 400 ${y} l S`), ...xs.map((x) => `${x} 700 m ${x} 640 l S`)];
  const word = (x: number, y: number, shown: string) => `BT /F1 11 Tf ${x} ${y} Td (${shown}) Tj ET`;
  const cells = rows.flatMap((row, r) => row.map((shown, c) => word(xs[c]! + 4, ys[r]! - 14, shown)));
  const pages = [['Staff of the harbour.']];
  const source = await ingestPdf('staff.pdf', makePdf({ pages, drawing: [...lines, ...cells].join('\n') }));
  const entities = ['us_ssn', 'date_of_birth'];
  const image = (page: number) => t.get(`/sources/${source}/pages/${page}/image`);
  await hide({ kind: 'entity', entities });
  assert.match((await t.get(`/sources/${source}/text`)).body.text, /\| Ann \| \[DATE_OF_BIRTH\] \|/);
  assert.equal((await image(1)).status, 409);
  const { body } = await t.get(`/sources/${source}/pages/1/boxes`);
  assert.ok(body.chunks.length > 0);
  assert.ok(body.chunks.every((chunk: { boxes: Box[] }) => chunk.boxes.length === 0));
  assert.deepEqual((await t.get(`/sources/${source}/pages/1/boxes?start_offset=0&end_offset=21`)).body.boxes, []);
  await hide({ kind: 'entity', entities: ['jp_my_number', 'email'] });
  assert.equal((await image(1)).status, 200);
  await hide({ kind: 'entity', entities, apply_at: ['ingest'] });
  await eventually(async () =>
    /\| Ann \| \[DATE/.test(JSON.stringify((await t.get(`/sources/${source}/blocks`)).body)),
  );
  await eventually(async () => (await t.get(`/sources/${source}/pages`)).status === 200);
  assert.equal((await image(1)).status, 409);
  assert.match((await image(1)).text, /header of their column/);
});
