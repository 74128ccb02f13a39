import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDirectory } from './directory.ts';

const WORDS = ['abandoned', 'bounced', 'deferred', 'delayed', 'expanded', 'frozen', 'local', 'queued', 'remote'];
const linesOf = (line: (word: string, i: number) => string): string => WORDS.map(line).join('\n');

test('lines with dots before a page are a directory', () => {
  assert.ok(
    isDirectory(
      linesOf((word, i) => `${word} mail . . . . . . ${i + 3}`),
      [],
    ),
  );
});

test('a list of links to the sections of a page is a directory', () => {
  const contents = ['# Server', '## Contents', linesOf((word) => `  - [The ${word} mail](#the-${word}-mail)`)];
  assert.ok(isDirectory(contents.join('\n'), []));
  assert.ok(
    !isDirectory(
      linesOf((word) => `- [The ${word} mail](${word}.md)`),
      [],
    ),
  );
  const few = contents.join('\n').split('\n').slice(2, 9).join('\n');
  assert.ok(!isDirectory(few, []), 'seven links');
});

test('short lines below the title of an index are a directory', () => {
  const entries = linesOf((word) => `- ${word} mail — Log files [Log level], The queue runner [Retries]`);
  for (const title of ['Index', 'Chapter 63 - Concept Index', 'A. Options Index', 'Stichwortverzeichnis', '索引'])
    assert.ok(isDirectory(entries, ['Manual', title]), title);
  assert.ok(isDirectory(entries, ['Manual', 'Concept Index', 'Q']));
  for (const title of ['Mail', 'CREATE INDEX', 'Partial index', 'Index files'])
    assert.ok(!isDirectory(entries, ['Manual', title]), title);
});

test('tables, lists and sentences are no directory', () => {
  assert.ok(
    !isDirectory(
      linesOf((word, i) => `| ${word} | ${i} seconds |`),
      [],
    ),
  );
  assert.ok(
    !isDirectory(
      linesOf((word, i) => `| ${word} | 1.${i} times as fast |`),
      [],
    ),
  );
  assert.ok(
    !isDirectory(
      linesOf((word) => `The ${word} mail is listed here.`),
      ['Index'],
    ),
  );
  assert.ok(!isDirectory(`\`\`\`\n${linesOf((word, i) => `${word} ${i}`)}\n\`\`\``, []), 'output of a program');
  assert.ok(
    !isDirectory(
      linesOf((_, i) => `10 ${i} ${i + 3}`),
      [],
    ),
    'data',
  );
  assert.ok(
    !isDirectory(
      linesOf((word, i) => `${word} mail . . . ${i}`),
      [],
    ),
    'three dots',
  );
  assert.ok(!isDirectory('Mail is deferred .... 3\nMail is queued .... 4', []), 'two lines with dots');
});

test('a list of nothing but names of mails is a directory, and a list that describes files or has addresses is none', () => {
  assert.ok(
    isDirectory(
      linesOf((word) => `- Re: ${word} of the mail.eml`),
      [],
    ),
  );
  assert.ok(
    !isDirectory(
      linesOf((word) => `- ${word}.yaml: what the mail server may do`),
      [],
    ),
  );
  assert.ok(
    !isDirectory(
      linesOf((word) => `- The ${word} waits in the queue.`),
      [],
    ),
  );
  for (const end of ['plumbing: ann@mail.example', 'www.mail.example', 'with Node.js', 'prices/winter.xlsx'])
    assert.ok(
      !isDirectory(
        linesOf((word) => `- ${word} ${end}`),
        [],
      ),
      end,
    );
});

test('code below the title of an index is no directory', () => {
  for (const fence of ['```', '  ~~~']) {
    const code = linesOf((word) => `create index on mail (${word})`);
    const content = `The server looks up mail by its state.\n\n${fence}\n${code}\n${fence}`;
    assert.ok(!isDirectory(content, ['Schema', 'Index']), fence);
  }
});

test('long runs of dots and spaces are read in linear time', () => {
  // Processor time does not depend on other processes.
  const used = process.cpuUsage();
  for (const run of ['.', '. ', ' ', '1', '|', '1.', 'a '])
    isDirectory(Array(9).fill(run.repeat(100_000)).join('\n'), ['1'.repeat(100_000), ' '.repeat(100_000)]);
  assert.ok(process.cpuUsage(used).user < 5e6);
});
