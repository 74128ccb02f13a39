import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTxt } from './txt.ts';

/** Returns the headings of a text as `level title`. */
function headingsOf(text: string): string[] {
  return parseTxt(text)
    .blocks.filter(({ kind }) => kind === 'heading')
    .map(({ level, title }) => `${level} ${title}`);
}

const BODY = 'The parties agree on this matter,\nand on all that follows from it.';

test('titles with a line of signs below are headings, and the sign that comes first is the highest', () => {
  const text = `Tool 0.37 (2022-08-21)\n======================\n\nLibrary\n-------\n${BODY}\n\nTool 0.36\n=========\n\n${BODY}\n`;
  assert.deepEqual(headingsOf(text), ['1 Tool 0.37 (2022-08-21)', '2 Library', '1 Tool 0.36']);
  const { blocks } = parseTxt(text);
  const body = blocks.find(({ kind }) => kind === 'paragraph')!;
  assert.equal(text.slice(body.start, body.end), BODY, 'the text below the signs is a block of its own');
  assert.equal(parseTxt(text).text, text);
});

test('numbered titles that stand alone and count up are headings', () => {
  const law = ['0. Definitions.', '1. Source Code.', '1.1. Scope', '1.2. Form', '2. Basic Permissions.', '3. Patents'];
  assert.deepEqual(
    headingsOf(law.map((title) => `  ${title}\n\n${BODY}`).join('\n\n')),
    law.map((title) => `${/^\d\.\d/.test(title) ? 2 : 1} ${title}`),
  );
  const missing = ['1. One', '4. Four takes the place of two that have two lines', '5. Five', '6. Six'];
  assert.equal(headingsOf(missing.map((title) => `${title}\n\n${BODY}`).join('\n\n')).length, 4);
});

test('sections stand below the chapters between which they begin, and books beside one another', () => {
  const chapters = [
    'Kapitel 1. Anfang',
    '1.1. Was ist das?',
    '1.2. Wer ist das?',
    'Kapitel 2. Mitte',
    '2.1. Wie?',
    'Kapitel 3. Ende',
  ];
  assert.deepEqual(
    headingsOf(chapters.map((title) => `${title}\n\n${BODY}`).join('\n\n')),
    chapters.map((title) => `${title.startsWith('K') ? 1 : 3} ${title}`),
  );
  const books = ['Matthew 1', 'Matthew 2', 'Matthew 3', 'Mark 1', 'Mark 2', 'Mark 3'];
  assert.deepEqual(
    headingsOf(books.map((title) => `${title}\n\n${BODY}`).join('\n\n')),
    books.map((title) => `1 ${title}`),
  );
  const japanese = ['第１章 総則', '第2章 契約', '第3章 雑則'];
  assert.deepEqual(
    headingsOf(japanese.map((title) => `${title}\n\n${BODY}`).join('\n\n')),
    japanese.map((title) => `1 ${title}`),
  );
});

test('a numbered title directly below a paragraph is a heading, and the last item of a list is none', () => {
  const pages = ['1. Introduction', '2. Bodies', '2.1. Rules', '3. Leader', '4. Committee', '4.1. Powers'];
  const text = pages.map((title) => `   ${title}\n\n   ${BODY}`).join('\n');
  assert.deepEqual(
    headingsOf(text),
    pages.map((title) => `${/\.\d/.test(title) ? 2 : 1} ${title}`),
  );
  const { blocks } = parseTxt(text);
  assert.equal(text.slice(blocks[1]!.start, blocks[1]!.end).trim(), BODY);
  const wrapped = pages.map((title) => `${title}\n\nThe next paragraph follows the rule of section\n5. It is short`);
  assert.deepEqual(headingsOf(wrapped.join('\n\n')).length, pages.length);
  const list = `They decide by:\n1. A vote of all.\n2. A vote of some.\n5. The Secretary\n\n${BODY}`;
  const listed = ['1. One', '2. Two', '3. Three', '4. Four'].map((title) => `${title}\n\n${BODY}\n\n${list}`);
  assert.deepEqual(headingsOf(listed.join('\n\n')), ['1 1. One', '1 2. Two', '1 3. Three', '1 4. Four']);
});

test('a sentence, a step, or a line with the number of another title is no heading below a paragraph', () => {
  const texts = ['1. Introduction', '2. Prices', '3. Outlook', '4. Last'];
  const lines = [
    'The price was raised in 2019.\n3. It fell again in 2020 after the vote.',
    'It was said that the sum is.\n4. December 2020',
    'Do as follows:\n3. Open the lid',
  ];
  for (const line of lines) {
    const parts = texts.map((title, i) => `${title}\n\n${i === 1 ? line : BODY}`);
    assert.deepEqual(
      headingsOf(parts.join('\n\n')),
      texts.map((title) => `1 ${title}`),
      line,
    );
  }
});

test('items of a list, sentences and lines of a table of contents are no headings', () => {
  const none = [
    ['1. Butter', '2. Flour', '3. Sugar', '4. Eggs'].join('\n\n'),
    ['1. Melt the butter. Add flour', '2. Stir it. Wait', '3. Bake it. Eat']
      .map((step) => `${step}\n\n${BODY}`)
      .join('\n\n'),
    ['1. Scope ........ 3', '2. Terms ........ 4', '3. Rules ........ 9']
      .map((line) => `${line}\n\n${BODY}`)
      .join('\n\n'),
    ['7. Seven', '3. Three', '1999. Year'].map((line) => `${line}\n\n${BODY}`).join('\n\n'),
  ];
  for (const text of none) assert.deepEqual(headingsOf(text), [], text);
});

test('a text of titles and signs takes time in proportion to its length', () => {
  const used = process.cpuUsage();
  for (const part of ['1. A\n\n', '=\n', 'a\n===\n\n', '1.1.1.1.1 ', '第1章', '%\n\n']) parseTxt(part.repeat(200_000));
  assert.ok(process.cpuUsage(used).user < 10e6);
});

test('parts between lines of percent signs are records', () => {
  const recipes = ['Lasagne\n\n  300 g noodles', 'Soup\n  1 l water', 'Cake'];
  const text = `${recipes.join('\n%\n')}\n%\n`;
  const { blocks } = parseTxt(text);
  assert.deepEqual(
    blocks.map(({ kind, start, end }) => [kind, text.slice(start, end)]),
    recipes.map((recipe) => ['record', recipe]),
  );
  assert.deepEqual(
    parseTxt('Growth was 3\n%\n and then 4').blocks.map(({ kind }) => kind),
    ['paragraph'],
  );
});

test('comments of TeX are no lines between records, and no part of such a text has most of it', () => {
  const licence = ['%', '% License', '%', '% This file may be distributed', '%'].join('\n');
  const body = `\n\nTitle\n=====\n\n${BODY}\n\nSecond\n======\n\n${BODY}\n`;
  for (const text of [licence + body, `%\n%\n%${body}`, `Dear all,\n\n%\n%\n%${body}`])
    assert.deepEqual(
      parseTxt(text).blocks.flatMap(({ title }) => title ?? []),
      ['Title', 'Second'],
      text,
    );
  const sayings = `${Array.from({ length: 12 }, (_, i) => `Saying ${i}`).join('\n%\n')}\n% man woman\nNo manual entry`;
  assert.equal(parseTxt(sayings).blocks.filter(({ kind }) => kind === 'record').length, 12);
});

test('the items of a list are no headings, and sections go on after the list', () => {
  const list = [
    ' 1. Save the files.',
    ' 2. Read the notes\n    on this machine.',
    ' 3. Start.',
    '4. Load the new system.',
  ];
  const manual = ['1.1. Overview', ...list, BODY, '1.2. Needs', BODY, '2. Start', BODY, '2.1. Boot', BODY];
  assert.deepEqual(headingsOf(manual.join('\n\n')), ['2 1.1. Overview', '2 1.2. Needs', '1 2. Start', '2 2.1. Boot']);
  const short = ['1. Scope', '2. Terms', BODY, '3. Rules', BODY, '4. End', BODY];
  assert.deepEqual(headingsOf(short.join('\n\n')), ['1 1. Scope', '1 2. Terms', '1 3. Rules', '1 4. End']);
});

test('sections without text, after the first section or with a word, are no list', () => {
  const repealed = Array.from({ length: 10 }, (_, i) =>
    i > 1 && i < 6 ? [`${i + 1}. Repealed`] : [`${i + 1}. Rules`, BODY],
  );
  assert.equal(headingsOf(repealed.flat().join('\n\n')).length, 10);
  const articles = [
    'Article 1',
    'Article 2',
    'Article 3. Aims',
    ...[4, 5, 6].flatMap((n) => [BODY, `Article ${n}`]),
    BODY,
  ];
  assert.equal(headingsOf(articles.join('\n\n')).length, 6);
  const parts = ['1. Scope', BODY, '1.1. Aims', '2. Terms', '3. Rules', BODY, '4. Costs', BODY, '5. End', BODY];
  assert.equal(headingsOf(parts.join('\n\n')).length, 6);
  const values = ['0. Off', '1. On', '2. Always'];
  const listed = ['1. Scope', BODY, '2. Terms', ...values, BODY, '3. Rules', BODY, '4. Costs', BODY, '5. End', BODY];
  assert.deepEqual(
    headingsOf(listed.join('\n\n')).filter((heading) => values.some((value) => heading.includes(value))),
    [],
  );
});

test('a text with headings keeps them, though a small part of it is a list of entries', () => {
  const entries = ['depth', 'force', 'jobs', 'limit', 'quiet'].map((name) => `  ${name}\n      Sets the ${name}.\n\n`);
  const sections = (times: number) =>
    ['1. Scope', '2. Options', '3. Files'].map((title) => `${title}\n\n${`${BODY}\n\n`.repeat(times)}`);
  const short = `${sections(1).join('')}${entries.join('')}`;
  const long = `${sections(4).join('')}${entries.join('')}`;
  assert.deepEqual(headingsOf(long), ['1 1. Scope', '1 2. Options', '1 3. Files']);
  const many = `${short}${entries.map((entry) => entry.replace('.', ' of a run, and says more about it than this.')).join('')}`;
  assert.deepEqual(headingsOf(many.replaceAll(BODY, 'Yes.')), []);
});

test('titles between equal signs are headings, and a title above all others is the title of the page', () => {
  const down = `====== Backup ======\n\n${BODY}\n===== When =====\n${BODY}\n\n  == code ==\n\n==== Where ====\n${BODY}\n`;
  assert.deepEqual(headingsOf(down), ['1 Backup', '2 When', '3 Where']);
  assert.equal(parseTxt(down).title, 'Backup');
  assert.equal(parseTxt(down).metadata['title']?.val, 'Backup');
  const { blocks } = parseTxt(down);
  const [, first, , second] = blocks.map((block) => down.slice(block.start, block.end));
  assert.deepEqual([first, second], [BODY, BODY]);
  assert.deepEqual(headingsOf(`Page: 1\n\n== When ==\n${BODY}\n=== Where ===\n${BODY}`), ['1 When', '2 Where']);
  assert.deepEqual(headingsOf(`== Backup ==\n${BODY}`), ['1 Backup']);
  assert.equal(parseTxt(`== When ==\n${BODY}\n\n== Where ==\n${BODY}`).title, undefined, 'none is above the others');
});

test('titles behind equal signs alone are headings if the page begins with one sign', () => {
  assert.deepEqual(headingsOf(`= Backup\n${BODY}\n\n== When #when\n${BODY}\n`), ['1 Backup', '2 When']);
  assert.deepEqual(headingsOf(`a\n= 5\n\n== 6\n`), []);
  assert.deepEqual(headingsOf(`${BODY}\n\n== one ==\n`), [], 'one line is chance');
  assert.deepEqual(headingsOf(`Wiki-Format: zim 0.4\n\n====== Tags ======\n${BODY}\n`), ['1 Tags']);
});

test('titles between equal signs are found in linear time', () => {
  const { blocks } = parseTxt('= a =\n'.repeat(200_000));
  assert.equal(blocks.filter(({ kind }) => kind === 'heading').length, 200_000);
  assert.deepEqual(headingsOf(`= a ${' '.repeat(4_000_000)}x\n`.repeat(4)), []);
});

test('a heading below the text is not its title', () => {
  const essay = `${`${BODY}\n\n`.repeat(6)}====== Appendix ======\n\n${BODY}\n`;
  assert.deepEqual(headingsOf(essay), ['1 Appendix']);
  assert.equal(parseTxt(essay).title, undefined);
  assert.equal(parseTxt(`Wiki-Format: zim 0.4\n\n====== Tags ======\n${BODY}\n`).title, 'Tags');
});
