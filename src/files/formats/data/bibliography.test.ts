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

test('a value of several words without marks is read to the end of its line, and not into the next field', () => {
  const [record] = recordsOf(
    '@book{a, title = The Long Way Home, year = 2006 month = mar\n note = see also, pages = 3 4 % rest\n}',
  );
  assert.deepEqual(record!.split('\n'), [
    'The Long Way Home',
    'year: 2006',
    'month: March',
    'note: see also',
    'pages: 3 4',
    'type: book',
    'key: a',
  ]);
});

test('a damaged entry ends where the next begins, and a file without entries is text', () => {
  const records = recordsOf('@book{a, title = {Open {brace, year = 1990\n@book{b, title = "Second", year = 1991}');
  assert.equal(records.length, 2);
  assert.match(records[1]!, /^Second\n/);
  assert.equal(parseBibliography('Write to me@example.org').blocks[0]!.kind, 'paragraph');
});

test('an entry without a key, or with blanks in it, is read', () => {
  const keys = ['', 'Smith 2020', 'a'].map((key) => recordsOf(`@article{${key}, title = {T}}`)[0]);
  assert.deepEqual(keys, ['T\ntype: article', 'T\ntype: article\nkey: Smith 2020', 'T\ntype: article\nkey: a']);
  assert.deepEqual(recordsOf('@article{title = {T}}\n@a{,}\n@book{, editor = {E}}'), [
    'T\ntype: article',
    'editor: E\ntype: book',
  ]);
});

test('commands without an argument are written as their sign or their name', () => {
  const title = String.raw`TNF-$\alpha$ {and} $\beta$-catenin don{\textquoteright}t {\em cost} \$5 of H$_2$O, \LaTeX{}`;
  assert.match(
    recordsOf(`@a{k, title = {${title}}}`)[0]!,
    /^TNF-alpha and beta-catenin don’t cost \$5 of H_2O, LaTeX\n/,
  );
  const url = String.raw`@a{k, url = {http://a.org/{\textasciitilde}x}}`;
  assert.match(recordsOf(url)[0]!, /^url: http:\/\/a\.org\/~x$/m);
});

test('the name of an organization in braces stays whole', () => {
  const author =
    '{Free Software Foundation, Inc.} and {Barnes and Noble} and {van der Berg}, Jan\nand Knuth, Donald and others';
  assert.match(
    recordsOf(`@a{k, author = {${author}}}`)[0]!,
    /^author: Free Software Foundation, Inc\.; Barnes and Noble; Jan van der Berg; Donald Knuth; others$/m,
  );
});

test('fields of one name are joined', () => {
  const fields =
    'keywords = {x}, keywords = {y}, keywords = {y z}, year = 1, year = 1, author = {A, B}, author = {C, D}';
  const [record] = recordsOf(`@a{k, ${fields}}`);
  assert.equal(record, 'k\nauthor: B A; D C\nyear: 1\nkeywords: x; y; y z\ntype: a\nkey: k');
});

test('a damaged field, and a line that begins with @, do not end an entry', () => {
  const [record, second] =
    recordsOf(`@a{k, 1weird! = {x}, note = (x, y = z), added on = {May}, title = Two words, pages = 1;
year = 2001 month = mar
doi = {10/1}, abstract = {One
@two three(four), five}, isbn = 2}
@a{l, title = {L}}`);
  assert.equal(
    record,
    'Two words\nyear: 2001\n1weird!: x\nadded on: May\npages: 1;\nmonth: March\ndoi: 10/1\n' +
      'abstract: One @two three(four), five\nisbn: 2\ntype: a\nkey: k',
  );
  assert.equal(second, 'L\ntype: a\nkey: l');
});

test('an abbreviation that is made of itself ends at a limit', () => {
  const doubled = `@string{a = {x}}${'@string{a = a # a}'.repeat(60)}@a{k, title = a # a, note = {n}}`;
  const { text } = parseBibliography(doubled);
  assert.ok(text.length < 6_000_000);
  assert.match(text, /^note: n$/m);
});

test('hostile bibliographies are read in linear time', () => {
  const used = process.cpuUsage();
  for (const part of ['@a{', '@a{b,c={', '@a{b,c="', '{', '@a{b,c=d#', '\\"', '{\\"u}', '$', '\\textx', ' and ', ','])
    parseBibliography(`@a{x, author = {${part.repeat(100_000)}`);
  for (const part of [' ', '\n', ',', '(', '=', '@', '\n@a{', 'b=', 'b=(', 'b={c},', 'b=#', 'b %'])
    parseBibliography(`@a{x, ${part.repeat(100_000)}`);
  for (const part of ['@a{', '@a{b,c={', '@a{b,c=d,', '@string{a=b}']) parseBibliography(part.repeat(50_000));
  assert.ok(process.cpuUsage(used).user < 10e6);
});

test('references of RIS, PubMed and EndNote are records as those of BibTeX', () => {
  const ris =
    '\ufeffTY  - JOUR\r\nAU  - Harrison, Warren, Jr.\nTI  - Open\n  Source\nT2  - Empirical Software\nPY  - 2001///\nSP  - 193\nEP  - 194\nER  - \n\nTY  - BOOK\nTI  - Two\nER  -';
  assert.deepEqual(recordsOf(ris.replace('\r', '')), [
    'Open Source\nauthor: Warren Harrison Jr.\nyear: 2001\njournal: Empirical Software\npages: 193–194\ntype: article',
    'Two\ntype: book',
  ]);
  const nbib =
    'PMID- 1\nOWN - NLM\nTI  - Cells\n      and genes.\nFAU - Doe, Ann\nAU  - Doe A\nMH  - Mice\nMH  - Genes\n\nPMID- 2\nTI  - Next.\n';
  assert.deepEqual(recordsOf(nbib), [
    'Cells and genes.\nauthor: Ann Doe\npmid: 1\nkeywords: Mice; Genes',
    'Next.\npmid: 2',
  ]);
  assert.deepEqual(recordsOf('%0 Book\n%T One\n%A Doe, Ann\n\n%0 Book\n%T Two\n'), [
    'One\nauthor: Ann Doe\ntype: book',
    'Two\ntype: book',
  ]);
});

test('an abbreviation at the start of a wrapped line is no tag, and a BibTeX file may have lines like those of other formats', () => {
  const abstract = 'TY  - JOUR\nTI  - One\nAB  - About\nDNA - protein complexes\nER  - \n';
  assert.deepEqual(recordsOf(abstract), ['One\nabstract: About DNA - protein complexes\ntype: article']);
  const entries = '@article{a,\n title = {One}, abstract = {See\nPMID- 1}\n}\n@book{b,\n title = {Two}\n}\n';
  const records = ['One\nabstract: See PMID- 1\ntype: article\nkey: a', 'Two\ntype: book\nkey: b'];
  assert.deepEqual([recordsOf(entries), recordsOf(`%0 my books\n${entries}`)], [records, records]);
});
