import assert from 'node:assert/strict';
import { test } from 'node:test';
import MarkdownIt from 'markdown-it';
import { withoutEscapes } from './markdown.ts';

const CASES: [string, string][] = [
  ['Stop\\! Set user\\_name to MAX\\_RETRIES\\.', 'Stop! Set user_name to MAX_RETRIES.'],
  [
    'C\\# and C\\+\\+, a \\= b, R\\&D, 5 \\* 3, 3 \\> 2, 2 \\< 3, \\~40 EUR',
    'C# and C++, a = b, R&D, 5 * 3, 3 > 2, 2 < 3, ~40 EUR',
  ],
  ['\\-40 °C at night, see \\[1\\]', '-40 °C at night, see [1]'],
  ['\\- not a list', '\\- not a list'],
  ['* \\- no inner list\\!', '* \\- no inner list!'],
  ['1\\. not a list, but version 2\\.1', '1\\. not a list, but version 2.1'],
  ['In 1990\\. Then', 'In 1990. Then'],
  ['\\# not a heading \\#1', '\\# not a heading #1'],
  ['\\=\\=\\=', '\\=\\=\\='],
  ['\\---', '\\---'],
  ['\\_private\\_ and \\*not bold\\*', '\\_private\\_ and \\*not bold\\*'],
  ['\\<b\\> and \\&amp;', '\\<b> and \\&amp;'],
  ['\\[a\\](b) and \\[a\\]\\(b\\)', '[a\\](b) and [a\\](b)'],
  ['| a \\| b\\! | c |', '| a \\| b! | c |'],
  ['`a\\_b` and a\\_b', '`a\\_b` and a_b'],
  ['C:\\\\temp\\\\x\\_y', 'C:\\\\temp\\\\x_y'],
  ['```\na\\_b\n```\na\\_b', '```\na\\_b\n```\na_b'],
  ['1. step\n\n    ```\n    grep "a\\.b"\n    ```\n\na\\!', '1. step\n\n    ```\n    grep "a\\.b"\n    ```\n\na!'],
  ['```\n```js\na\\.b\n```', '```\n```js\na\\.b\n```'],
  ['Write \\&\\#169;', 'Write \\&#169;'],
  ['[x\\]y](http://a.de) \\[1\\]\\!', '[x\\]y](http://a.de) \\[1\\]!'],
  ['[a](http://x.y/foo\\)bar)', '[a](http://x.y/foo\\)bar)'],
  ['~~~\n```\na\\!\n~~~\na\\!', '~~~\n```\na\\!\n~~~\na!'],
];

for (const [markdown, expected] of CASES)
  test(`the escapes of ${JSON.stringify(markdown)} go where Markdown does not need them`, () => {
    assert.equal(withoutEscapes(markdown), expected);
    const render = (text: string) => new MarkdownIt({ html: true }).render(text);
    assert.equal(render(expected), render(markdown));
  });

test('text with many signs means the same as before', () => {
  const signs = [
    '\\',
    '`',
    '*',
    '_',
    '[',
    ']',
    '(',
    ')',
    '#',
    '+',
    '-',
    '.',
    '!',
    '~',
    '>',
    '<',
    '|',
    '=',
    ' ',
    '\n',
    'a',
    '1',
    '&',
  ];
  const markdown = new MarkdownIt({ html: true });
  let state = 7;
  const next = (max: number) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return ((state ^ (state >>> 12)) >>> 0) % max;
  };
  for (let round = 0; round < 20_000; round += 1) {
    // As Google: every sign is escaped.
    const text = Array.from({ length: 1 + next(12) }, () => signs[next(signs.length)]!).join('');
    const escaped = text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
    assert.equal(
      markdown.render(withoutEscapes(escaped)),
      markdown.render(escaped),
      JSON.stringify([escaped, withoutEscapes(escaped)]),
    );
  }
});
