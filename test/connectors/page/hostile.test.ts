/** Responses that violate the API's description, and very large texts: a page is read as far as possible. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksToMarkdown } from '../../../src/connectors/page/markdown.ts';
import { isRow, propertiesHash, propertyMetadata, rowHead } from '../../../src/connectors/page/properties.ts';
import { richTextOf } from '../../../src/connectors/page/text.ts';
import { Page, type PageBlock, parseBlock } from '../../../src/connectors/page/wire.ts';
import { type Json, text } from '../../support/fakes/notion-world.ts';
import { openRandom } from '../../support/random.ts';

const MUTATIONS = 2_000;
const JUNK: readonly unknown[] = [null, 7, 'x', true, [], {}, [null], [[]], { type: 'file' }, Number.MAX_VALUE];
const ID = '248104cd-477e-80fd-b757-e945d38000bd';

const rich = [
  text('word', { bold: true }, 'https://e.com'),
  { type: 'mention', mention: { type: 'date', date: { start: '2026-01-01' } }, plain_text: '', annotations: {} },
  { type: 'equation', equation: { expression: 'x' }, plain_text: 'x' },
];
const file = { type: 'file', file: { url: 'https://e.com/a.pdf?sig=1' }, name: 'a.pdf', caption: rich };
const CONTENTS: Record<string, Json> = {
  paragraph: { rich_text: rich, icon: null },
  heading_2: { rich_text: rich, is_toggleable: true },
  numbered_list_item: { rich_text: rich, list_start_index: 3 },
  to_do: { rich_text: rich, checked: true },
  callout: { rich_text: rich, icon: { type: 'emoji', emoji: '💡' } },
  code: { rich_text: rich, language: 'sql', caption: rich },
  equation: { expression: 'x' },
  table: { has_column_header: true },
  table_row: { cells: [rich, rich] },
  image: file,
  pdf: { type: 'external', external: { url: 'https://e.com/a' }, caption: rich },
  bookmark: { url: 'https://e.com', caption: rich },
  link_to_page: { type: 'page_id', page_id: ID },
  child_page: { title: 'Child' },
  transcription: { title: rich, children: { summary_block_id: ID } },
  synced_block: { synced_from: { block_id: ID } },
  unsupported: { block_type: 'button' },
};
const PROPERTIES: Record<string, Json> = {
  title: { id: 'title', title: rich },
  rich_text: { rich_text: rich },
  number: { number: 1 },
  select: { select: { name: 'a' } },
  multi_select: { multi_select: [{ name: 'a' }] },
  date: { date: { start: '2026-01-01', end: null } },
  people: { people: [{ id: 'x', name: 'Ada' }] },
  files: { files: [file] },
  formula: { formula: { type: 'date', date: { start: '2026-01-01' } } },
  rollup: { rollup: { type: 'array', array: [{ type: 'rich_text', rich_text: rich }] } },
  unique_id: { unique_id: { prefix: 'A', number: 1 } },
  place: { place: { name: 'Here' } },
};

test('members of a wrong type in page API responses are ignored', () => {
  const { pick, integer } = openRandom(20260302);
  for (let i = 0; i < MUTATIONS; i++) {
    const type = pick(Object.keys(CONTENTS));
    const wire = mutated({ object: 'block', id: ID, type, has_children: false, [type]: CONTENTS[type] }, integer(1, 3));
    const parsed = parseBlock(wire);
    if (parsed !== undefined) {
      const block: PageBlock = { ...parsed, children: [], unreadable: false };
      assert.equal(typeof blocksToMarkdown([{ ...block, children: [block] }], ID), 'string');
    }
    const name = pick(Object.keys(PROPERTIES));
    const page = {
      id: ID,
      properties: { [name]: { id: name, type: name, ...PROPERTIES[name] }, x: { type: 'number' } },
    };
    const { properties } = Page.safeParse(mutated(page, integer(1, 3))).data ?? {};
    if (!isRow(properties)) continue;
    assert.equal(typeof propertiesHash(properties), 'string');
    assert.equal(typeof rowHead('T', properties).front, 'string');
    assert.equal(typeof propertyMetadata(properties, {}), 'object');
  }

  function mutated(value: object, times: number): unknown {
    const copy = structuredClone(value);
    for (let time = 0; time < times; time++) {
      const places = placesIn(copy);
      const { holder, key } = pick(places);
      holder[key] = structuredClone(pick(JUNK));
    }
    return copy;
  }
});

function placesIn(value: unknown): { holder: Json; key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [{ holder: value as Json, key }, ...placesIn(member)]);
}

test('very large texts of a page are read in time', () => {
  for (const long of [
    `a${' '.repeat(300_000)}b`,
    '`'.repeat(200_000),
    '`a'.repeat(200_000),
    '['.repeat(200_000),
    '* '.repeat(200_000),
    '\n'.repeat(200_000),
    '<'.repeat(200_000),
    '1'.repeat(200_000),
    '\\['.repeat(100_000),
  ]) {
    const runs = [{ type: 'text', plain_text: long }];
    assert.ok(richTextOf(runs).length <= 2 * long.length);
    for (const type of ['paragraph', 'code', 'heading_1', 'bulleted_list_item', 'quote']) {
      const content = { rich_text: runs };
      blocksToMarkdown([{ id: ID, type, content, children: [], unreadable: false }], ID);
    }
    richTextOf([{ type: 'text', plain_text: long, annotations: { code: true }, href: 'https://e.com' }]);
  }
});

test('pages with many text runs and deep lists are read in time', () => {
  const runs = Array.from({ length: 50_000 }, (_, i) => ({
    type: 'text',
    plain_text: 'ab ',
    annotations: { bold: i % 2 === 0 },
  }));
  assert.equal(richTextOf(runs).match(/\*\*ab\*\*/g)?.length, 25_000);
  let list: PageBlock[] = [];
  for (let depth = 0; depth < 40; depth++) {
    const content = { rich_text: [{ type: 'text', plain_text: `level ${depth}` }] };
    list = [{ id: ID, type: 'bulleted_list_item', content, children: list, unreadable: false }];
  }
  assert.equal(blocksToMarkdown(list, ID).split('\n').length, 40);
});
