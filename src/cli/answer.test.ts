import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeLines, formatCitations, proseLine } from './answer.ts';

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

test('a quote that crosses the border of a code block is printed without the fence', () => {
  const quote = 'Run it once:\n\n```sh\nnpm ci\n```\n\nThen start the `worker`.';
  const citation = { number: 1, quote, verified: true, quoted: true };
  const content = {
    citation,
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
  assert.equal(proseLine('> ~~~~ js\n> a()\n> ~~~~'), '> a()');
  assert.equal(proseLine('the mark ``` opens a block\n``` and `x`'), 'the mark ``` opens a block ``` and `x`');
});
