/** Blocks of sources: their places in the text, rows and cells of tables, and all that policies and redaction hide of them. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { sql } from '../../src/db/sql.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { fileChanges } from '../support/file-changes.ts';
import { makeDocx, makePdf, makeXlsx } from '../support/files/make-files.ts';
import { ingest } from '../support/upload.ts';

interface Row {
  start_offset: number;
  end_offset: number;
  cells: string[];
}

interface Block {
  block_index: number;
  kind: string;
  level: number | null;
  title: string | null;
  start_offset: number | null;
  end_offset: number | null;
  pages: number[] | null;
  content: string;
  header: string[] | null;
  rows: Row[] | null;
  sheet: string | null;
  range: string | null;
}

const GRID = [
  ['Ship', 'Master'],
  ['Petrel', 'Ines'],
  ['Gannet 🐦', 'a | b'],
];

let t: TestApp;

before(async () => {
  t = await openTestApp({ runsJobs: true, env: { PINAKES_AUTHORIZATION: 'on' } });
  await t.put('/authz/policies/default', { filters: [{ key: 'department', operator: 'not_exists' }] });
  await t.put('/authz/policies/nobody', { filters: [{ key: 'department', operator: 'exists' }] });
  await t.put('/authz/policies/some', {
    filters: [{ target: 'chunk_metadata', key: 'level', operator: 'not_exists', trust_content: true }],
  });
});
afterEach(async () => {
  await t.delete('/redaction-policy');
});
after(() => t.close());

async function add(name: string, content: string | Uint8Array): Promise<string> {
  const group = await ingest(t, [{ name, content }]);
  return (await t.get(`/source-groups/${group}/sources`)).body.sources[0].id;
}

async function blocksOf(id: string, query = ''): Promise<Block[]> {
  const { status, body, text } = await t.get(`/sources/${id}/blocks${query}`);
  assert.equal(status, 200, text);
  assert.equal(body.source_id, id);
  return body.blocks;
}

async function pointsOf(id: string): Promise<string[]> {
  return [...(await t.get(`/sources/${id}/text?end_offset=200000`)).body.text];
}

const hide = (rule: object) =>
  t.put('/redaction-policy', {
    enabled: true,
    rules: [{ name: 'secret', kind: 'dictionary', action: 'mask', apply_at: ['retrieval'], ...rule }],
  });

describe('structure', () => {
  const table = GRID.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('');
  const markdown = [
    '# Harbour 🚢',
    'Text.',
    '| Ship | Master |\n|---|---|\n| Petrel | Ines |\n| Gannet 🐦 | a \\| b |',
    '- one',
  ];
  const files: Record<string, string | Uint8Array> = {
    'a.md': markdown.join('\n\n'),
    'a.html': `<h1>Harbour 🚢</h1><p>Text.</p><table>${table}</table><ul><li>one</li></ul>`,
    'a.docx': makeDocx({
      blocks: [{ heading: 'Harbour 🚢' }, { paragraph: 'Text.' }, { table: GRID }, { list: ['one'] }],
    }),
  };
  for (const [name, content] of Object.entries(files)) {
    test(`${name}: kinds, levels, places, rows and cells`, async () => {
      const id = await add(name, content);
      const blocks = await blocksOf(id);
      assert.deepEqual(
        blocks.map(({ block_index: index, kind, level, title }) => [index, kind, level, title]),
        [
          [0, 'heading', 1, 'Harbour 🚢'],
          [1, 'paragraph', null, null],
          [2, 'table', null, null],
          [3, 'list', null, null],
        ],
      );
      const points = await pointsOf(id);
      for (const { content: said, start_offset: start, end_offset: end } of blocks)
        assert.equal(points.slice(start!, end!).join(''), said);
      const { rows } = blocks[2]!;
      assert.deepEqual(
        rows!.map(({ cells }) => cells),
        GRID,
      );
      for (const { start_offset: start, end_offset: end, cells } of rows!) {
        const line = points.slice(start, end).join('');
        assert.ok(line.startsWith(`| ${cells[0]} |`) && line.endsWith('|') && !line.includes('\n'), line);
      }
      assert.ok(blocks.every(({ pages, header, sheet }) => pages === null && header === null && sheet === null));
    });
  }

  test('the tables of a workbook say where in their sheet they are, and its records have their header', async () => {
    const rows = [['Ship', 'Master'], ...Array.from({ length: 30 }, (_, i) => [`Petrel ${i}`, i])];
    const id = await add('a.xlsx', makeXlsx({ sheets: [{ name: 'Ships', rows }] }));
    const records = (await blocksOf(id)).filter(({ kind }) => kind === 'record');
    assert.equal(records.length, 30);
    assert.deepEqual([records[0]!.sheet, records[0]!.range], ['Ships', 'A1:B31']);
    assert.deepEqual(records[7]!.header, ['Ship', 'Master']);
    assert.deepEqual(records[7]!.rows?.[0]?.cells, ['Petrel 7', '7']);
  });

  test('the blocks of a PDF have pages', async () => {
    const lines = ['The lighthouse of the harbour was lit for the first time in 1861.', 'Its lamp burns oil.'];
    const id = await add(
      'a.pdf',
      makePdf({
        pages: [
          ['# Harbour', ...lines],
          ['# Pier', ...lines],
        ],
      }),
    );
    const headings = (await blocksOf(id)).filter(({ kind }) => kind === 'heading');
    assert.deepEqual(
      headings.map(({ title, pages }) => [title, pages]),
      [
        ['Harbour', [1]],
        ['Pier', [2]],
      ],
    );
  });

  test('a file has the blocks of the files that it includes, and a file in an archive has blocks', async () => {
    const { changeAndWait, sources } = fileChanges(() => t);
    const group = await ingest(t, [{ name: 'first.txt', content: 'A harbour.' }]);
    const guide = 'Guide\n=====\n\n.. include:: notice.rst\n';
    await changeAndWait(group, { 'guide.rst': guide, 'notice.rst': 'The beacon is lit.\n' });
    const { id } = (await sources(group)).get('guide.rst')!;
    assert.deepEqual(
      (await blocksOf(id)).map(({ content }) => content),
      ['# Guide', 'The beacon is lit.'],
    );
    const archive = await ingest(t, [{ name: 'a.zip', content: zipSync({ 'b.md': strToU8('# Inside') }) }]);
    const members = (await t.get(`/source-groups/${archive}/sources`)).body.sources;
    const inside = members.find(({ name }: { name: string }) => name === 'b.md').id;
    assert.equal((await blocksOf(inside))[0]!.title, 'Inside');
  });
});

test('blocks come in parts, each once, and long ones fewer at a time', async () => {
  const short = Array.from({ length: 25 }, (_, i) => `Paragraph number ${i}.`);
  const id = await add('many.md', short.join('\n\n'));
  const contents: string[] = [];
  for (let start: number | null = 0; start !== null; ) {
    const { body } = await t.get(`/sources/${id}/blocks?limit=10&start_index=${start}`);
    assert.equal(body.blocks_total, 25);
    assert.equal(body.blocks[0].block_index, start);
    contents.push(...body.blocks.map(({ content }: Block) => content));
    start = body.next_index;
  }
  assert.deepEqual(contents, short);
  const beyond = (await t.get(`/sources/${id}/blocks?start_index=25`)).body;
  assert.deepEqual([beyond.blocks, beyond.next_index], [[], null]);

  const long = Array.from({ length: 3 }, (_, i) => `${i} ${'word '.repeat(20_000)}`);
  const big = await add('big.md', [...long, `${'word '.repeat(50_000)}`, 'End.'].join('\n\n'));
  const parts: number[] = [];
  for (let start: number | null = 0; start !== null; ) {
    const { body } = await t.get(`/sources/${big}/blocks?start_index=${start}`);
    parts.push(body.blocks.length);
    assert.ok(body.blocks.every(({ content }: Block) => content.length <= 4_000));
    start = body.next_index;
  }
  assert.deepEqual(parts, [1, 1, 1, 1, 1]);
});

test('a program may keep blocks as long as it asks again, unless rules apply', async () => {
  const id = await add('kept.md', '# Kept');
  const path = `/sources/${id}/blocks`;
  const { headers } = await t.get(path);
  assert.equal(headers['cache-control'], 'private, no-cache');
  const match = { 'if-none-match': String(headers['etag']) };
  assert.equal((await t.request({ path, headers: match })).status, 304);
  assert.equal((await t.request({ path: `${path}?start_index=1`, headers: match })).status, 200);
  await hide({ terms: ['nothing of this file'] });
  const again = await t.request({ path, headers: match });
  assert.deepEqual([again.status, again.headers['etag'], again.headers['cache-control']], [200, undefined, 'no-store']);
});

describe('redaction', () => {
  const secrets = ['Anna Smithson', 'Otto Petersen'] as const;
  const made: Record<string, (secret: string) => string | Uint8Array> = {
    'a.md': (secret) =>
      `# About ${secret}\n\nSays ${secret}.\n\n| Ship | Who |\n|---|---|\n| Petrel | ${secret} |\n\nEnd.`,
    'a.html': (secret) =>
      `<h1>About ${secret}</h1><p>Says ${secret.replace(' ', '</p><p>')}</p><table><tr><td>Ship</td></tr><tr><td>${secret}</td></tr></table><p>End.</p>`,
    'a.docx': (secret) =>
      makeDocx({ blocks: [{ heading: secret }, { table: [['Ship', secret]] }, { paragraph: 'End.' }] }),
    'a.xlsx': (secret) =>
      makeXlsx({
        sheets: [
          { name: secret, rows: [['Ship', secret], ...Array.from({ length: 30 }, (_, i) => [`Petrel ${i}`, i])] },
          { name: 'Open', rows: [['Ship'], ...Array.from({ length: 30 }, (_, i) => [i === 9 ? secret : `Tern ${i}`])] },
        ],
      }),
    'a.csv': (secret) => `Ship,${secret}\n${Array.from({ length: 30 }, (_, i) => `Tern ${i},${secret}`).join('\n')}`,
    'a.pdf': (secret) => makePdf({ pages: [[`# ${secret}`, `Says ${secret} today.`, 'End.']] }),
  };
  /** The answer without what differs between two equal files. */
  const comparable = (text: string, id: string): string => text.replaceAll(id, 'id');

  for (const [name, make] of Object.entries(made)) {
    test(`${name}: blocks are the same whatever the hidden words are, and those with hidden words have no places`, async () => {
      const ids = [await add(name, make(secrets[0])), await add(name, make(secrets[1]))] as const;
      const open = await blocksOf(ids[0]);
      assert.ok(JSON.stringify(open).includes('Smithson'));
      for (const step of ['retrieval', 'ingest']) {
        await hide({ terms: [...secrets], apply_at: [step] });
        if (step === 'ingest') {
          for (const id of ids) assert.equal((await t.get(`/sources/${id}/blocks`)).status, 409, 'not read again yet');
          continue;
        }
        const [a, b] = [await t.get(`/sources/${ids[0]}/blocks`), await t.get(`/sources/${ids[1]}/blocks`)];
        assert.equal(a.status, 200, a.text);
        assert.ok(!/Smithson|Anna|Otto|Petersen/.test(a.text), a.text);
        assert.equal(comparable(a.text, ids[0]), comparable(b.text, ids[1]));
        const masked = (a.body.blocks as Block[]).filter(({ content }) => content.includes('[SECRET]'));
        assert.ok(masked.length > 0);
        for (const block of masked)
          assert.deepEqual([block.start_offset, block.end_offset, block.rows, block.range], [null, null, null, null]);
        const last = (a.body.blocks as Block[]).at(-1)!;
        assert.equal(last.start_offset === null, last.content.includes('[SECRET]'), 'others have their places');
      }
    });
  }

  test('words over the border of two blocks are hidden in both', async () => {
    const id = await add('border.md', 'It was Anna\n\nSmithson who came.\n\nNobody else.');
    await hide({ kind: 'regex', pattern: 'Anna\\s+Smithson' });
    const { text, body } = await t.get(`/sources/${id}/blocks`);
    assert.ok(!/Anna|Smithson/.test(text), text);
    assert.deepEqual(
      body.blocks.map((block: Block) => block.start_offset === null),
      [true, true, false],
    );
  });

  test('a rule that blocks the text leaves no blocks', async () => {
    const id = await add('blocked.md', '# Title\n\nAnna Smithson.');
    await hide({ terms: ['Anna Smithson'], action: 'block' });
    assert.equal((await t.get(`/sources/${id}/blocks`)).status, 404);
    await hide({ terms: ['blocked.md'], action: 'block' });
    assert.equal((await t.get(`/sources/${id}/blocks`)).status, 404, 'by its name');
  });

  test('a file that was read under rules of ingest has the blocks of its stored text', async () => {
    await hide({ terms: ['Anna Smithson'], apply_at: ['ingest'] });
    const id = await add('ingested.md', '# Anna Smithson\n\n| Ship | Who |\n|---|---|\n| Petrel | Anna Smithson |');
    const [heading, table] = await blocksOf(id);
    assert.equal(heading!.title, '[SECRET]');
    assert.deepEqual(table!.rows![1]!.cells, ['Petrel', '[SECRET]']);
    const points = await pointsOf(id);
    assert.equal(points.slice(table!.start_offset!, table!.end_offset!).join(''), table!.content);
  });
});

test('a file that is read otherwise than when it was ingested has no blocks', async () => {
  const id = await add('changed.md', '# One\n\nTwo.');
  const change = (content: string) =>
    t.deps.db.query(
      t.tenantId,
      sql`update source_text set content = ${content} where tenant_id = ${t.tenantId} and source_id = ${id}`,
    );
  await change('# One\n\nTwx.');
  assert.equal((await t.get(`/sources/${id}/blocks`)).status, 409);
  await change('# One\n\nTwo.');
  assert.equal((await t.get(`/sources/${id}/blocks`)).status, 200);
});

test('nobody sees blocks of a source that a policy, a key or another tenant hides', async () => {
  const id = await add('seen.md', '# Seen\n\nText.');
  const path = `/sources/${id}/blocks`;
  const limited = await t.issueKey(['knowledge:read'], { sourceGroupIds: ['0199a3c0-0000-7000-8000-000000000001'] });
  assert.equal((await t.get(`${path}?authz_policy=some`)).status, 200);
  await t.deps.db.query(
    t.tenantId,
    sql`update chunk set metadata = '{"level": {"val": "high", "type": "string"}}' where tenant_id = ${t.tenantId} and source_id = ${id}`,
  );
  const open = await t.get(path);
  assert.equal(open.status, 200);
  const viewers: Record<string, { query?: string; key?: string; status?: number }> = {
    'another tenant': { key: (await t.secondTenant()).key },
    'a key for another group': { key: limited },
    'a key that may not read': { key: await t.issueKey(['inference:run']), status: 403 },
    'nobody under the policy': { query: '?authz_policy=nobody' },
    'a principal who may see a part': { query: '?authz_policy=some' },
  };
  for (const [name, { query = '', key = t.key, status = 404 }] of Object.entries(viewers)) {
    for (const headers of [{}, { 'if-none-match': String(open.headers['etag']) }]) {
      const answer = await t.request({ path: path + query, key, headers });
      assert.equal(answer.status, status, `${name}, ${JSON.stringify(headers)}`);
    }
  }
  await t.delete(`/sources/${id}`);
  assert.equal((await t.get(path)).status, 404);
  assert.equal((await t.get('/sources/no-id/blocks')).status, 404);
});

test('wrong numbers are refused', async () => {
  const id = await add('numbers.md', '# Numbers');
  for (const query of ['limit=0', 'limit=1001', 'start_index=-1', 'start_index=x', 'unknown=1'])
    assert.equal((await t.get(`/sources/${id}/blocks?${query}`)).status, 400, query);
});
