import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeLines, formatCitations, proseLine } from './answer.ts';
import { printResults } from './search.ts';

test('code keeps its line breaks and its inner indentation', () => {
  const text = '\n\n    def test():\r\n        return 1\n\n    x = 2\n\n';
  assert.deepEqual(codeLines(text, 6, 80), ['def test():', '    return 1', '', 'x = 2']);
  assert.deepEqual(codeLines('\tfunc f() {\n\t\treturn\n\t}\n', 6, 80), ['func f() {', '    return', '}']);
});

test('code is cut after some lines, a long line within itself', () => {
  assert.deepEqual(codeLines('a\nb\nc\nd', 2, 80), ['a', 'b', '…']);
  assert.deepEqual(codeLines('a\nb', 2, 80), ['a', 'b']);
  assert.deepEqual(codeLines('let 😀😀😀 = 1;', 2, 8), ['let 😀😀😀…']);
  assert.deepEqual(codeLines('\x1b[2J', 2, 8), ['\ufffd[2J']);
  assert.deepEqual(codeLines(' \n\n', 2, 8), []);
});

test('a citation names the lines of its quote, or those of its chunk if the lines of the text are others', () => {
  const content = { source_group_id: 'g', name: 'a.ts', path: 'src/a.ts', url: null, pages: null, heading_path: [] };
  const cited = { ...content, citation: { number: 1, quote: 'b\nc', verified: true }, content: 'a\nb\nc\nd' };
  const place = (lines: object) => formatCitations([{ ...cited, ...lines } as never]).split('\n')[0];
  assert.equal(place({ start_line: 7, end_line: 10 }), '  [1] src/a.ts:8-9  verified');
  assert.equal(place({ start_line: 7, end_line: 12 }), '  [1] src/a.ts:7-12  verified');
  assert.equal(place({ start_line: null, end_line: null }), '  [1] src/a.ts  verified');
});

test('a quote that crosses the border of a code block is printed without the fence', () => {
  const quote = 'Run it once:\n\n```sh\nnpm ci\n```\n\nThen start the `worker`.';
  const citation = { number: 1, quote, verified: true, quoted: true };
  const content = {
    citation,
    content: quote,
    source_group_id: 'g',
    name: 'a.md',
    path: 'a.md',
    url: null,
    pages: null,
    heading_path: [],
  };
  assert.equal(
    formatCitations([content as never]),
    '  [1] quoted from a.md\n      "Run it once: npm ci Then start the `worker`."\n',
  );
  const settings = { ...content, file_type: 'yaml', citation: { ...citation, quote: '## **all**' } };
  assert.equal(formatCitations([settings as never]), '  [1] quoted from a.md\n      "## **all**"\n');
  assert.equal(proseLine('> ~~~~ js\n> a()\n> ~~~~', 'md'), '> a()');
  assert.equal(proseLine('the mark ``` opens a block\n``` and `x`', 'md'), 'the mark ``` opens a block ``` and `x`');
});

test('a result is printed without the marks of headings and the rule of a table, and with prompts and dashes', () => {
  const text = '### Hours\n\n| Season | Days |\n|---|:---:|\n| Summer | all |\n\n# apt update\n\n- a --- b\n##';
  assert.equal(proseLine(text, 'md'), 'Hours | Season | Days | | Summer | all | # apt update - a --- b ##');
  assert.equal(proseLine('## A\n```sh\n## b\n```\n## C', 'md'), 'A ## b C');
});

test('a result of a settings file is printed with its signs, and one of a manual without marks', () => {
  const base = {
    id: 'i',
    score: 1,
    content_time: 1_764_000_000,
    source_group_id: 'g',
    url: null,
    pages: null,
    heading_path: [],
  };
  const printed = ['yaml', 'txt'].map((type) => {
    const lines: string[] = [];
    const io = { out: (text: string) => void lines.push(text) };
    const content = `## size ${'of the cache '.repeat(40)}`;
    for (const one of [content, '## size'])
      printResults([{ ...base, name: type, path: type, file_type: type, content: one } as never], io as never);
    return lines.join('').match(/## size|(?<!# )size/g);
  });
  assert.deepEqual(printed, [
    ['## size', '## size'],
    ['size', 'size'],
  ]);
});
