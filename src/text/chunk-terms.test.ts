import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameTerms } from './analysis/names.ts';
import { analyzeQuery, searchTerms } from './analyzer.ts';
import { chunkTerms, foldersOf, otherNames } from './chunk-terms.ts';

const CHUNK = { content: 'LIMIT = 30\nclass Session:', context: 'Defines: LIMIT', headingPath: ['Session'] };

/** Returns how often the terms of a name are among the terms of a chunk. */
function countOf(name: string, terms: string): number {
  const [term] = nameTerms(name);
  return terms.split(' ').filter((one) => one === term).length;
}

test('a chunk of code has a term of each name that it defines, and the query of a name has the same term', () => {
  const terms = chunkTerms(CHUNK, 'sessions.py', 'en', true);
  for (const name of ['Session', 'LIMIT']) {
    assert.equal(countOf(name, terms), 1);
    assert.ok(countOf(name, searchTerms(name, ['en']).join(' ')) > 0);
  }
  assert.equal(countOf('class', terms), 0);
});

test('the names that the context of code lists are no further words of the chunk', () => {
  const [listed, alone] = [CHUNK, { ...CHUNK, context: null }].map((chunk) => chunkTerms(chunk, 's.py', 'en', true));
  const names = new Set(nameTerms('LIMIT'));
  assert.deepEqual(
    listed!.split(' ').filter((term) => !names.has(term)),
    alone!.split(' '),
  );
});

test('text that is not code, and declarations of what another file defines, have no such terms', () => {
  assert.equal(countOf('Session', chunkTerms(CHUNK, 'sessions.md', 'en', false)), 0);
  for (const title of ['index.d.ts', 'index.d.mts', 'sessions.pyi'])
    assert.equal(countOf('Session', chunkTerms(CHUNK, title, 'en', true)), 0, title);
});

test('a long chunk repeats the term of its name', () => {
  const long = { ...CHUNK, content: `${CHUNK.content}\n${'more words '.repeat(150)}` };
  assert.ok(countOf('Session', chunkTerms(long, 'sessions.py', 'en', true)) > 4);
});

test('the terms of words of a query come before those of its names, so that a long query loses no word', () => {
  const words = Array.from({ length: 300 }, (_, i) => `someName${i}`);
  const plain = searchTerms(words.join(' ').toLowerCase(), ['en']);
  const named = new Set(searchTerms(words.join(' '), ['en']));
  assert.ok(named.has(plain[0]!) && named.size === 512);
});

test('a test case in quotes defines no name, and counts only once', () => {
  const content = "test('parseCookie', () => {});";
  const terms = (heading: string) => chunkTerms({ content, context: null, headingPath: [heading] }, 'a.js', null, true);
  assert.ok(terms('parseCookie').startsWith(nameTerms('parseCookie')[0]!));
  assert.ok(!terms("'parseCookie'").includes(nameTerms('parseCookie')[0]!));
  assert.equal(
    terms("'parseCookie'")
      .split(' ')
      .filter((term) => term === 'parsecooki').length,
    1,
  );
});

test('only the chunk that defines a name has its term: no later part of it, no constructor, no test and no mock', () => {
  const defines = (content: string, headingPath: string[], title = 'a.ts') =>
    chunkTerms({ content, context: null, headingPath }, title, null, true).includes(nameTerms('Session')[0]!);
  assert.ok(defines('/** Doc. */\nclass Session {', ['Session']));
  assert.ok(!defines('return this.openSession(1);\n}', ['Session']));
  assert.ok(!defines('Session(int id) {', ['Session', 'Session']));
  for (const title of ['Session.java', 'test-runner.ts', 'openapi-spec.ts', 'pod_spec.go', 'crash_test_dummy.py'])
    assert.ok(defines('class Session {', ['Session'], title), title);
  const ofFile = chunkTerms(
    { content: 'class ChiSquareTest {', context: null, headingPath: ['ChiSquareTest'] },
    'ChiSquareTest.java',
    null,
    true,
  );
  assert.ok(ofFile.includes(nameTerms('ChiSquareTest')[0]!));
  for (const title of ['test_sessions.py', 'a.test.ts', 'a_test.go', 'a_spec.rb', 'SessionTest.java'])
    assert.ok(!defines('class Session {', ['Session'], title), title);
});

test('the first chunk of a file with a title has the words of the file name, without the extension, and of its aliases', () => {
  const page = { content: 'Turnover rose.', context: null, headingPath: [] };
  const termsOf = (fileName: string, aliases?: string) =>
    chunkTerms(page, 'Figures', 'en', false, otherNames('Figures', fileName, aliases)).split(' ');
  const named = termsOf('QuarterlyReport_2023-Q4.final.docx');
  for (const query of ['quarterly report 2023', 'q4', 'quarterlyreport2023q4finaldocx'])
    assert.ok(searchTerms(query, ['en']).filter((term) => named.includes(term)).length > 0, query);
  const asked = new Set(searchTerms('QuarterlyReport_2023-Q4.final.docx', ['en']));
  assert.ok(
    analyzeQuery('quarterlyreport2023q4finaldocx', ['en']).every((term) => asked.has(term)),
    'a whole name has one term',
  );
  assert.ok(!named.includes('docx'));
  assert.deepEqual(termsOf('Figures'), chunkTerms(page, 'Figures', 'en', false).split(' '));
  assert.ok(termsOf('Figures', 'Bluebird').includes('bluebird'));
});

test('the first chunk has the words of the folders, the nearest first and no more than fit', () => {
  const page = { content: 'Turnover rose.', context: null, headingPath: [] };
  const termsOf = (path: string) =>
    chunkTerms(page, 'Figures', 'en', false, otherNames('Figures', 'Figures', null, path)).split(' ');
  const named = termsOf('Clients/ACME_Ltd/2023/Figures');
  for (const query of ['clients', 'acme', '2023'])
    assert.ok(
      searchTerms(query, ['en']).some((term) => named.includes(term)),
      query,
    );
  assert.deepEqual(termsOf('Figures'), termsOf(''));
  const numbers = Array.from({ length: 100 }, (_, i) => `folder ${i}`);
  const far = termsOf(`${numbers.join('/')}/Figures`);
  assert.ok(far.includes('99') && far.includes('90') && !far.includes('50') && far.length < 60, far.join(' '));
  assert.ok(foldersOf(`${'会議'.repeat(200)}/a.txt`).length <= 120);
  assert.equal(foldersOf(`Rotorwerk/${'x'.repeat(115)}/a.txt`), 'x'.repeat(115), 'no part of a word');
});
