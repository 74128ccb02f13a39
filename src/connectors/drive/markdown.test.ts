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
  ['~~~\n```\na\\!\n~~~\na\\!', '~~~\n```\na\\!\n~~~\na!'],
  ['1. step\n\n    ```\n    grep "a\\.b"\n    ```', '1. step\n\n    ```\n    grep "a\\.b"\n    ```'],
  ['```\na\\.b\n```js\na\\.b\n```', '```\na\\.b\n```js\na\\.b\n```'],
  ['> ```\n> a\n\n```\na\\.b\n```', '> ```\n> a\n\n```\na\\.b\n```'],
  ['    a\\.b', '    a\\.b'],
  ['*     a\\.b', '*     a\\.b'],
  ['Write \\&\\#169; or \\&\\#65; or \\&copy; or &\\#169;', 'Write \\&\\#169; or \\&\\#65; or \\&copy; or &\\#169;'],
  ['[x\\]y](http://a.de)', '[x\\]y](http://a.de)'],
  ['[a](http://x.y/foo\\)bar)', '[a](http://x.y/foo\\)bar)'],
  ['![a\\]b](http://a.de) and [a](b "c\\"d")', '![a\\]b](http://a.de) and [a](b "c\\"d")'],
  ['<http://a.de/\\_x>', '<http://a.de/\\_x>'],
  ['see \\[image1\\]\n\n[image1]: http://a.de', 'see \\[image1]\n\n[image1]: http://a.de'],
  ['[a\\!](http://a.de) \\(b\\) c\\_d', '[a!](http://a.de) \\(b\\) c_d'],
  ['* a\\.\n  * b\\.\n    * c\\.', '* a.\n  * b.\n    * c.'],
  ['1. a\\.\n\n   ```\n   b\\.\n   ```\n2. c\\.', '1. a.\n\n   ```\n   b\\.\n   ```\n2. c.'],
];

for (const [markdown, expected] of CASES)
  test(`the escapes of ${JSON.stringify(markdown)} go where Markdown does not need them`, () => {
    assert.equal(withoutEscapes(markdown), expected);
    const render = (text: string) => new MarkdownIt({ html: true }).render(text);
    assert.equal(render(expected), render(markdown));
  });

const SIGNS = ['\\', ...'`*_[]()#+-.!~><|= \n\na1&;'];
/** Marks around text. `@` is the text. */
const REAL = [
  '@',
  '**@**',
  '_@_',
  '~~@~~',
  '`x_@`',
  '[@](http://a.de)',
  '[a](http://a.de/@)',
  '![@](http://a.de)',
  '[a](b "@")',
  '<@>',
  '> @',
  '* @',
  '* @\n  * @\n    * @',
  '    * @',
  '> @\n> @',
  '@ **@** `x_@` [@](http://a.de) @',
  '**@** @ _@_\n@',
  '1. @',
  '    @',
  '# @',
  '| @ | b |\n| --- | --- |\n| @ | c |',
  '```\n@\n```',
  '1. a\n\n   ```\n   @\n   ```',
  '~~~\n@\n```\n',
  '    ```\n    @\n    ```',
];

for (const [kind, frames] of [
  ['alone', ['@']],
  ['with real marks', REAL],
] as const)
  test(`text with many signs means the same as before, ${kind}`, () => {
    const markdown = new MarkdownIt({ html: true });
    let state = 7;
    const next = (max: number) => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      return ((state ^ (state >>> 12)) >>> 0) % max;
    };
    // As Google: every sign is escaped. No text of a mark has several lines.
    const text = (signs: readonly string[]) =>
      Array.from({ length: 1 + next(12) }, () => signs[next(signs.length)]!)
        .join('')
        .replace(/[!-/:-@[-`{-~]/g, '\\$&');
    for (let round = 0; round < 20_000; round += 1) {
      const parts = Array.from({ length: frames.length > 1 ? 1 + next(4) : 1 }, () => {
        const frame = frames[next(frames.length)]!;
        return frame.replaceAll('@', () => text(frames.length > 1 ? SIGNS.filter((sign) => sign !== '\n') : SIGNS));
      });
      const escaped = parts.join('\n\n');
      assert.equal(
        markdown.render(withoutEscapes(escaped)),
        markdown.render(escaped),
        JSON.stringify([escaped, withoutEscapes(escaped)]),
      );
    }
  });

test('hostile lines need linear time', () => {
  const start = process.cpuUsage();
  for (const part of ['\\`', '`', '\\[', '[', '1. ', '> ', '\\', '~~~', '\\&', '- '])
    assert.ok(withoutEscapes(`${part.repeat(20_000)}\\.<`.slice(-60_000)).length > 0);
  assert.ok(process.cpuUsage(start).user < 2_000_000);
});
