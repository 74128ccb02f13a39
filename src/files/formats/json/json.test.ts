import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, parseJsonl } from './json.ts';

test('a JSON object becomes indented lines', () => {
  const parsed = parseJson('{"name":"Ann","tags":["a","b"],"home":{"city":"Ulm","zip":null},"age":7}', []);
  assert.equal(parsed.text, 'name: Ann\ntags: a, b\n\nhome:\n  city: Ulm\n\nage: 7');
});

test('each object of a JSON array is a record with metadata, also under dotted keys', () => {
  const parsed = parseJson('[{"id":1,"p":{"x":2}},{"id":"two","p":{"x":3}}]', [
    { key: 'id', type: 'integer' },
    { key: 'p.x', type: 'integer' },
  ]);
  assert.deepEqual(
    parsed.blocks.map((block) => [block.kind, block.metadata]),
    [
      ['record', { id: { val: '1', type: 'integer' }, 'p.x': { val: '2', type: 'integer' } }],
      ['record', { 'p.x': { val: '3', type: 'integer' } }],
    ],
  );
  assert.equal(parsed.text, 'id: 1\np:\n  x: 2\n\nid: two\np:\n  x: 3');
  assert.deepEqual(parsed.warnings, ['1 value of "id" could not be read as integer.']);
});

test('a JSON array of values is one text as metadata, and a value that is an object is counted as not converted', () => {
  const parsed = parseJson('[{"k":["a","b"],"p":{"x":[]}},{"k":{"a":1},"p":{"x":[{}]}},{"k":"","p":{}}]', [
    { key: 'k', type: 'string' },
    { key: 'p.x', type: 'string' },
  ]);
  const metadata = parsed.blocks.map((block) => block.metadata);
  assert.deepEqual(metadata, [{ k: { val: 'a, b', type: 'string' } }, {}, {}]);
  assert.deepEqual(parsed.warnings, [
    '1 value of "k" could not be read as string.',
    '1 value of "p.x" could not be read as string.',
  ]);
});

test('inherited members of a JSON record are not metadata', () => {
  const parsed = parseJson('[{"a":1}]', [{ key: 'constructor', type: 'string' }]);
  assert.deepEqual(parsed.blocks[0]!.metadata, {});
});

test('JSON with comments and commas behind the last member is text with its comments', () => {
  const source =
    '{\n  // The "level" of output: see https://x.example/*.\n  "target": "es2022, ]//", /* fixed */\n  "lib": ["dom",],\n}\n';
  const parsed = parseJson(source, []);
  assert.deepEqual([parsed.fileType, parsed.text], ['json', source]);
  for (const broken of ['{"a": 1,,}', '{"a": // 1', '{a: 1}', '/* {"a": 1}'])
    assert.throws(() => parseJson(broken, []), { message: /not valid JSON/ }, broken);
});

test('broken JSON is refused in linear time', () => {
  const used = process.cpuUsage();
  for (const part of ['/*', '\\"', '"', ',', ', ', '/'])
    assert.throws(() => parseJson(`{${part.repeat(500_000)}`, []), part);
  assert.ok(process.cpuUsage(used).user < 5e6);
});

test('large whole numbers in JSON keep all their digits', () => {
  assert.match(parseJson('{"id":1234567890123456789}', []).text, /1234567890123456789/);
});

test('JSON of any depth is read or refused without a crash', () => {
  const depth = 50_000;
  assert.equal(parseJson('['.repeat(depth) + ']'.repeat(depth), []).blocks.length, 0);
  const deep = `${'{"a":'.repeat(depth)}"leaf"${'}'.repeat(depth)}`;
  assert.match(parseJson(deep, []).text, /leaf$/);
});

test('lone surrogates and NUL characters in JSON are replaced', () => {
  assert.equal(parseJson('{"a":"x\\ud800y\\u0000z"}', []).text, 'a: x\ufffdy\ufffdz');
});

test('lines of a JSON Lines file that are not JSON are kept, and a warning counts them', () => {
  const parsed = parseJsonl('{"a":1}\nnot json\n\n{"a":2}\n', []);
  assert.equal(parsed.text, 'a: 1\n\nnot json\n\na: 2');
  assert.deepEqual(parsed.warnings, ['1 line is not valid JSON and kept as text.']);
});

test('a file named .json with JSON Lines is read, and one with other text is refused', () => {
  assert.equal(parseJson('{"a":1}\n{"a":2}', []).fileType, 'jsonl');
  assert.throws(() => parseJson('{"a":', []), /not valid JSON/);
  assert.throws(() => parseJsonl('nothing\nhere', []), /No line/);
});

test('a list of records that a file mainly consists of is read record by record, wherever it stands', () => {
  const issues = Array.from({ length: 6 }, (_, i) => ({ id: i, title: `The door of room ${i} does not close` }));
  const { text, blocks } = parseJson(JSON.stringify({ total: 6, data: { page: 1, issues } }), []);
  const parts = blocks.map(({ kind, start, end, headingPath }) => [kind, headingPath, text.slice(start, end)]);
  assert.deepEqual(parts.slice(0, 2), [
    ['paragraph', undefined, 'total: 6\ndata:\n  page: 1\n  issues:'],
    ['record', ['data', 'issues'], 'id: 0\ntitle: The door of room 0 does not close'],
  ]);
  assert.equal(parts.length, 7);
});

test('the members of an object that have the same fields are records with their names', () => {
  const licences = Object.fromEntries(
    'abcde'.split('').map((name) => [name, { name: name.toUpperCase(), free: true }]),
  );
  const { text, blocks } = parseJson(JSON.stringify(licences), []);
  assert.deepEqual(blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)]).slice(0, 2), [
    ['record', 'a:\n  name: A\n  free: true'],
    ['record', 'b:\n  name: B\n  free: true'],
  ]);
  const settings = Object.fromEntries('abcde'.split('').map((name) => [name, { [`${name}1`]: 1, [`${name}2`]: 2 }]));
  assert.ok(parseJson(JSON.stringify(settings), []).blocks.every(({ kind }) => kind === 'paragraph'));
});

test('a long member is a section with its name as heading, and the next member is not in it', () => {
  const operation = (id: string) => ({
    operationId: id,
    description: `Returns ${id}. `.repeat(120).trim(),
    tags: ['a'],
  });
  const api = {
    openapi: '3.1.0',
    paths: { '/doors': { get: operation('listDoors'), post: operation('addDoor') } },
    end: { last: 1 },
  };
  const { text, blocks } = parseJson(JSON.stringify(api), []);
  const placed = (words: string) =>
    blocks.find(({ kind, start, end }) => kind !== 'heading' && text.slice(start, end).includes(words));
  assert.deepEqual(placed('addDoor')?.headingPath, ['paths', '/doors', 'post']);
  assert.deepEqual(placed('last: 1')?.headingPath, []);
  assert.equal(text.replace(/\n\n/g, '\n'), parsedPlain(api), 'the text has every name and value once, indented');
});

/** Returns the lines of nested objects of texts. */
function parsedPlain(value: object, lead = ''): string {
  return Object.entries(value)
    .map(([key, member]) =>
      typeof member === 'object' && !Array.isArray(member)
        ? `${lead}${key}:\n${parsedPlain(member as object, `${lead}  `)}`
        : `${lead}${key}: ${String(member)}`,
    )
    .join('\n');
}

test('an object with very many members, and a very deep one, are read in linear time', () => {
  const used = process.cpuUsage();
  const members = Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, { v: i }]));
  assert.equal(parseJson(JSON.stringify({ members, more: 'x'.repeat(2_000_000) }), []).blocks.length > 1, true);
  parseJson(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, []);
  assert.ok(process.cpuUsage(used).user < 5e6);
});

test('members beside the main records are kept, whatever their names and values', () => {
  const records = Array.from({ length: 60 }, (_, id) => ({ id, title: `The door of room ${id} does not close` }));
  const textOf = (beside: string) =>
    parseJson(`{${beside}, "data": {"": {"items": ${JSON.stringify(records)}}}}`, []).text;
  assert.match(textOf('"note": "Never send these to customers:"'), /^note: Never send these to customers:\n/);
  assert.match(textOf('"__proto__": {"owner": "Ann"}'), /^__proto__:\n {2}owner: Ann\n/);
  assert.match(textOf('"errors": []'), /^id: 0\n/);
});

test('long members without names, each in the next, are read in linear time', () => {
  const used = process.cpuUsage();
  const depth = 4_000;
  for (const open of ['{"":', '{"":[']) {
    const close = open.endsWith('[') ? ']}' : '}';
    const deep = `${open.repeat(depth)}{"a": "${'x '.repeat(60_000)}"}${close.repeat(depth)}`;
    assert.match(parseJson(deep, []).text, /a: x x/);
  }
  assert.ok(process.cpuUsage(used).user < 5e6);
});

test('the coordinates of points of GeoJSON have names, because it writes the longitude first, and other lists of numbers stay', () => {
  const place = (geometry: object) => ({ type: 'Feature', properties: { name: 'Hut' }, geometry });
  const textOf = (value: object) => parseJson(JSON.stringify(value), []).text;
  const point = { type: 'Point', coordinates: [10.87, 46.93, 2758] };
  const named = /coordinates:\n +latitude: 46\.93\n +longitude: 10\.87\n +altitude: 2758/;
  assert.match(textOf(place(point)), named);
  const all = textOf({
    type: 'FeatureCollection',
    features: [
      place(point),
      place({
        type: 'LineString',
        coordinates: [
          [1, 2],
          [3, 4],
        ],
      }),
    ],
  });
  assert.match(all, named);
  assert.match(all, /\b1, 2\n/);
  for (const other of [
    { type: 'Point', coordinates: [1] },
    { type: 'Point', coordinates: ['a', 'b'] },
    { kind: 'x', coordinates: [1, 2] },
  ])
    assert.doesNotMatch(textOf(other), /latitude/);
});

test('the bytes of a picture in JSON are left out, but not keys', async () => {
  const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlE'.repeat(4);
  const value = {
    logo: picture,
    icon: `data:image/svg+xml;base64,${picture}`,
    map: `data:application/json;charset=utf-8;base64,${picture}`,
    key: picture.slice(0, 100),
    certificate: 'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw'.repeat(40),
    name: 'Ann',
  };
  const kept = `key: ${value.key}\ncertificate: ${value.certificate}\nname: Ann`;
  assert.equal(parseJson(JSON.stringify(value), []).text, kept);
});

test('a text behind the address of a picture is no picture', () => {
  const value = `data:image/png;base64,iVBORw0KGgo= is our logo. ${'It is on all doors. '.repeat(20)}`.trim();
  assert.equal(parseJson(JSON.stringify({ value }), []).text, `value: ${value}`);
});

test('a value that is HTML is read as text with its lists and links, and a value that only speaks of tags stays', () => {
  const parsed = parseJson(
    JSON.stringify([
      {
        body: '<p>Open&nbsp;<b>Settings</b>:</p><ol><li>Reset</li><li>See <a href="https://a.example/x">help</a></li></ol>',
      },
    ]),
    [],
  );
  assert.equal(parsed.text, 'body: Open Settings:\n\n  1. Reset\n  2. See help');
  assert.deepEqual(
    parsed.blocks[0]?.links?.map(({ text, url }) => [text, url]),
    [['help', 'https://a.example/x']],
  );
  for (const value of [
    'Use <b> for bold',
    '<p align="center">\n\n# Title\n\nText',
    'a < b > c',
    '<Button>x</Button>',
    '<ul> et <ol> ne doivent contenir que <li>, <script> ou <template>',
    '<table> <span>',
    '<ul> holds <code>li</code>',
    'Use <b>bold</b>',
    '<b> is a tag, <i>',
    '<i></i> <i class="fa"></i>',
    '<p>Room <span hidden>12</span></p>',
    '<p>Use</p> of <b>bold</b> text.',
    '<p>Use:</p>\n```sh\nrun\n```\n- one\n<p>End</p>',
    '<div>Seen <span hidden>and hidden</span></div>',
    '<div>Write <textarea>here</textarea> and press <button>Save</button></div>',
    `${'<div>'.repeat(300)}deep${'</div>'.repeat(300)}`,
  ])
    assert.equal(parseJson(JSON.stringify({ value }), []).text.replace(/\n {2}/g, '\n'), `value: ${value}`);
});

test('HTML with signs only, or with a picture or a rule at its end, is read as text', () => {
  const picture = `<img src="${'a'.repeat(100)}.png">`;
  for (const [html, text] of [
    ['<p>👍</p>', '👍'],
    ['<p>?!</p>', '?!'],
    ['<p>x</p><hr>', 'x'],
    [`<p>x</p>${picture}`, 'x'],
  ])
    assert.equal(parseJson(JSON.stringify({ value: html }), []).text, `value: ${text}`);
});

test('the words of pictures and fields in HTML are read', () => {
  const value = `<p>See <img src="a.png" alt="the plan"> and <input type="submit" value='Save'></p>`;
  assert.equal(parseJson(JSON.stringify({ value }), []).text, 'value: See the plan and Save');
});

test('the links of HTML are kept wherever it stands', () => {
  const help = '<p>See <a href=https://x.example/y>help</a>';
  const record = (id: number) => ({ id, help, title: `The door of room ${id} does not close` });
  const records = (count: number) => Array.from({ length: count }, (_, id) => record(id));
  const message = { type: 'message', user: 'U1', ts: '1700000000.000100', text: 'Hello' };
  const values: [string, unknown][] = [
    ['a member', { help }],
    ['a nested member', { a: { help } }],
    ['a section', { a: { b: { text: 'x'.repeat(2_000), help } } }],
    ['beside records', { help, issues: records(20).map(({ id, title }) => ({ id, title })) }],
    ['beside messages', { help, messages: [message, { ...message, ts: '1700000001.000100' }] }],
    ['a record', [{ help }]],
    ['records in one block', records(20_001)],
  ];
  for (const [name, value] of values) {
    const { text, blocks } = parseJson(JSON.stringify(value), []);
    assert.match(text, /See help/, name);
    assert.ok(
      blocks.flatMap(({ links = [] }) => links).some(({ url }) => url === 'https://x.example/y'),
      name,
    );
  }
});

test('a record keeps its addresses as text', () => {
  const mirrors = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`u${i}`, `https://a.example/${i}`]));
  assert.match(parseJson(JSON.stringify([mirrors]), []).text, /^u0: https:.*\n[\s\S]*u29: https:\/\/a\.example\/29$/);
});
