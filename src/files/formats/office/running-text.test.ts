import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextBuilder } from '../text-builder.ts';
import { PAGE_MARK, writeRunningTexts } from './running-text.ts';

function written(paragraphs: string[], body = ''): string[] {
  const builder = new TextBuilder();
  if (body !== '') builder.add({ kind: 'heading', level: 1 }, `# ${body}`);
  writeRunningTexts(paragraphs, builder);
  return builder.text().split('\n\n').filter(Boolean);
}

test('headers and footers are written once each, without page numbers', () => {
  const footer = `NW-HR-017\tPage ${PAGE_MARK} of ${PAGE_MARK}`;
  assert.deepEqual(written([footer, 'Northwind', footer, `NW-HR-018 – ${PAGE_MARK}`]), [
    'NW-HR-017',
    'Northwind',
    'NW-HR-018',
  ]);
  assert.deepEqual(
    written([`${PAGE_MARK}`, `- ${PAGE_MARK} -`, `Seite ${PAGE_MARK} von ${PAGE_MARK}`, '12', ' ', '1/2']),
    ['1/2'],
  );
  assert.deepEqual(written([`Version 3.1, page ${PAGE_MARK}`]), ['Version 3.1, page']);
});

test('a header that repeats a line of the text is left out', () => {
  assert.deepEqual(written(['Handbook', 'Draft'], 'Handbook'), ['# Handbook', 'Draft']);
});

test('a header keeps its own separators, also beside a page number that is left out', () => {
  const lines = [
    'Lease – Baker / Smith',
    `Lease – Baker / ${PAGE_MARK}`,
    `– ${PAGE_MARK} –\tDraft`,
    'File 12\tLease – Baker',
  ];
  assert.deepEqual(written(lines), ['Lease – Baker / Smith', 'Lease – Baker', 'Draft', 'File 12 | Lease – Baker']);
});
