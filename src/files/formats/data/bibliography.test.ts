import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBibliography } from './bibliography.ts';

/** Returns the texts of the records. */
function recordsOf(source: string): string[] {
  const { text, blocks } = parseBibliography(source);
  assert.ok(blocks.every(({ kind }) => kind === 'record'));
  return blocks.map(({ start, end }) => text.slice(start, end));
}

test('each entry is a record with its title first and its authors in reading order', () => {
  const [record] = recordsOf(String.raw`@string{jomch = {J.~Organomet. Chem.}}
@comment{no entry}
@article{aksin, author = {Aks{\i}n, {\"O}zge and {\c{C}}etinkaya, Bekir and van der Berg, Jr., Jan},
  title = {Ef\-fect of \emph{immobilization} on {Pd-N}}, journaltitle = jomch # ", 2nd series",
  year = 2006, month = mar, pages = "3027--3036", url = {http://a.org/~x/50\%}, }`);
  assert.equal(
    record,
    [
      'Effect of immobilization on Pd-N',
      'author: Özge Aksın; Bekir Çetinkaya; Jan van der Berg Jr.',
      'year: 2006',
      'journaltitle: J. Organomet. Chem., 2nd series',
      'month: March',
      'pages: 3027–3036',
      'url: http://a.org/~x/50%',
      'type: article',
      'key: aksin',
    ].join('\n'),
  );
});

test('an entry takes over what it lacks from the book that it names', () => {
  const [part] =
    recordsOf(`@incollection{w:space, author = {Westfahl, Gary}, title = {The True Frontier}, crossref = {W:Frontier}}
@collection{w:frontier, editor = {Westfahl, Gary}, title = {Space and Beyond}, date = {2000}, publisher = {Greenwood}}`);
  assert.match(part!, /^booktitle: Space and Beyond$/m);
  assert.match(part!, /^publisher: Greenwood$/m);
  assert.match(part!, /^date: 2000$/m);
});

test('a damaged entry ends where the next begins, and a file without entries is text', () => {
  const records = recordsOf('@book{a, title = {Open {brace, year = 1990\n@book{b, title = "Second", year = 1991}');
  assert.equal(records.length, 2);
  assert.match(records[1]!, /^Second\n/);
  assert.equal(parseBibliography('Write to me@example.org').blocks[0]!.kind, 'paragraph');
});

test('hostile bibliographies are read in linear time', () => {
  const used = process.cpuUsage();
  for (const part of ['@a{', '@a{b,c={', '@a{b,c="', '{', '@a{b,c=d#', '\\"', '{\\"u}'])
    parseBibliography(`@a{x, y = {${part.repeat(100_000)}`);
  for (const part of ['@a{', '@a{b,c={', '@a{b,c=d,', '@string{a=b}']) parseBibliography(part.repeat(50_000));
  assert.ok(process.cpuUsage(used).user < 10e6);
});
