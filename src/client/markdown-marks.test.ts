import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as marks from './markdown-marks.ts';

const withoutMarkdownMarks = (text: string): string => marks.withoutMarkdownMarks(text, 'md');

test('the marks of headings, tables, code blocks and bold words are left out', () => {
  const text =
    '## Hours\n| Season | Days |\n| --- | :-: |\n| Summer | **all** |\n\n```sh\nnpm ci\n```\nThe **last admission**, **early**.';
  assert.equal(
    withoutMarkdownMarks(text),
    'Hours\n| Season | Days |\n\n| Summer | all |\n\n\nnpm ci\n\nThe last admission, early.',
  );
  assert.equal(withoutMarkdownMarks('## **Bold heading**\r\n~~~\r\na'), 'Bold heading\r\n\na');
});

test('bold words may begin with a number, a quotation mark or a bracket, and stand within a text without spaces', () => {
  assert.equal(
    withoutMarkdownMarks('**2024**, **«yes»**, **(no)**, **"so"**, **`a`**, (**b**), 日本語**太字**です'),
    '2024, «yes», (no), "so", `a`, (b), 日本語太字です',
  );
  assert.equal(withoutMarkdownMarks('Use **GET**/**POST**/**PUT**.'), 'Use GET/POST/PUT.');
});

test('what only looks like a mark stays', () => {
  const kept = [
    '# apt update',
    'x ** 2 + y ** 2, 2**x + 3**y',
    'f(*args, **options), g(**more)',
    'src/**/*.ts and lib/**/*.js, **/*.md or **/*.txt',
    'Use `docs/**` and `**/*.md`, "docs/**" and "**/test", src/** or docs/**',
    '`**kwargs` and `x**`',
    '"**kwargs" and "x**"',
    "'**kwargs' and 'x**'",
    '/**Returns x.** Then y.',
    'Use **x or docs/** here',
    '{**x,**/y}',
    'f(**a) and g(**{})',
    '***',
    'a | b',
    '#tag ##',
  ];
  for (const text of kept) assert.equal(withoutMarkdownMarks(text), text);
});

test('lines of a code block have no marks', () => {
  const code = '## not a heading\n**not bold**\n';
  for (const fence of ['```', '```sh', '``` py title="a.py" {1,3}', '~~~ js', '> ```', '````'])
    assert.equal(
      withoutMarkdownMarks(`${fence}\n${code}${fence.match(/^[> ]*(?:`+|~+)/u)![0]}\n**bold**`),
      `\n${code}\nbold`,
    );
  for (const line of ['``` and `x`', '~~~ Part two ~~~', 'a ``` b']) assert.equal(withoutMarkdownMarks(line), line);
});

test('a part of a text may begin or end inside a code block', () => {
  const code = '## not a heading\n**not bold**\n';
  assert.equal(withoutMarkdownMarks(`${code}\`\`\`\n\n## **B**`), `${code}\n\nB`);
  assert.equal(withoutMarkdownMarks(`${code}\`\`\``), code);
  assert.equal(withoutMarkdownMarks(`> ${code}> \`\`\`\n>\n**B**`), `> ${code}\n>\nB`);
  assert.equal(withoutMarkdownMarks(`## A\n\n\`\`\`\n${code}`), `A\n\n\n${code}`);
  assert.equal(withoutMarkdownMarks(`## A\n\`\`\`sh\n\n${code}`), `A\n\n\n${code}`);
  assert.equal(withoutMarkdownMarks(`## A\n\`\`\`\n\n${code}\`\`\`\n`), `A\n\n\n${code}\n`);
});

test('programs and data keep their signs; plain text, as which manuals are stored, does not', () => {
  const text = '## size\n| --- |\n**bold** ```\n```';
  for (const type of ['code', 'yaml', 'csv', 'tsv', 'json', 'jsonl', 'parquet', 'sqlite'])
    assert.equal(marks.withoutMarkdownMarks(text, type), text, type);
  for (const type of ['md', 'html', 'pdf', 'txt', 'xml', undefined])
    assert.equal(marks.withoutMarkdownMarks('## **size**', type), 'size', type);
});
