import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { LINK_TEXT_UNITS_MAX } from '../../../links.ts';
import { parseRtf } from './rtf.ts';

const read = (source: string) => parseRtf(Buffer.from(source, 'latin1'));

for (const [what, source, text] of [
  ['bytes in the code page of the file', "{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2}", 'Привет'],
  ['raw bytes', '{\\rtf1\\ansi\\ansicpg1252 caf\xe9}', 'café'],
  [
    'bytes in the character set of their font',
    "{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset128 B;}}\\f0 a \\f1\\'93\\'fa\\'96\\'7b\\f0  b}",
    'a 日本 b',
  ],
  ['characters of two bytes whose second is a letter', '{\\rtf1\\ansi\\ansicpg932 \x83A\x83C}', 'アイ'],
  ['Unicode with a fallback of one character', "{\\rtf1\\uc1 \\u960?\\u8364\\'80!}", 'π€!'],
  ['Unicode with a fallback of two', "{\\rtf1\\uc2 \\u26085\\'93\\'fa!}", '日!'],
  ['Unicode beyond the first plane and negative numbers', '{\\rtf1\\uc0 \\u-10179\\u-8704 }', '😀'],
  ['dashes, quotes and blanks', '{\\rtf1 a\\emdash b \\ldblquote c\\rdblquote\\~d\\_e\\-f}', 'a—b “c” d-ef'],
  ['hidden and deleted text', '{\\rtf1 seen{\\v hidden}{\\deleted gone}\\v x\\v0  too}', 'seen too'],
  [
    'pictures, unknown destinations, fields',
    '{\\rtf1 a{\\pict 00ff}{\\*\\new b}{\\field{\\*\\fldinst HYPERLINK "x"}{\\fldrslt c}}}',
    'ac',
  ],
  ['binary data that looks like markup', '{\\rtf1 a{\\pict\\bin5 }}}}}}b}', 'ab'],
  ['text boxes', '{\\rtf1 a\\par{\\shp{\\*\\shpinst{\\sp{\\sn x}{\\sv 1}}{\\shptxt box\\par}}}b}', 'a\n\nbox\n\nb'],
  ['a truncated end', '{\\rtf1 one\\par {\\b two', 'one\n\ntwo'],
  ['too many closing braces', '{\\rtf1 one}}}\\par two', 'one\n\ntwo'],
] as const) {
  test(`an RTF file with ${what} is read`, () => assert.equal(read(source).text, text));
}

test('RTF headings are detected by outline level and by style name', () => {
  const parsed = read(
    '{\\rtf1{\\stylesheet{\\s1\\outlinelevel0 Kop;}{\\s2 heading 2;}}\\pard\\s1 One\\par\\pard text\\par\\pard\\s2 Two\\par}',
  );
  assert.equal(parsed.text, '# One\n\ntext\n\n## Two');
});

test('a nested RTF table stays in its cell, without the fallback for old programs', () => {
  const parsed = read(
    '{\\rtf1\\pard\\intbl\\itap2 a\\nestcell b\\nestcell{\\*\\nesttableprops\\nestrow}{\\nonesttables x\\par}\\pard\\intbl c\\cell d\\cell\\row\\pard after\\par}',
  );
  assert.equal(parsed.text, '| a b c | d |\n| --- | --- |\n\nafter');
});

test('RTF notes and comments follow their paragraphs', () => {
  const parsed = read('{\\rtf1 word\\chftn{\\footnote\\pard the {\\i note}} more{\\*\\annotation odd}\\par next}');
  assert.equal(parsed.text, 'word[^1] more[^2]\n\n[^1]: the note\n\n[^2]: [comment] odd\n\nnext');
});

test('the properties of an RTF file become metadata', () => {
  const { title, metadata } = read(
    '{\\rtf1{\\info{\\title A {\\b title}}{\\author Ann}{\\creatim\\yr2024\\mo3\\dy5\\hr7\\min9}}x}',
  );
  assert.equal(title, 'A title');
  assert.equal(metadata['author']?.val, 'Ann');
  assert.equal(metadata['created']?.val, '2024-03-05T07:09:00Z');
});

test('RTF groups nested too deeply are refused, and long ones are read in linear time', () => {
  assert.throws(() => read('{'.repeat(3000)), /nested too deeply/);
  for (const source of ['{}'.repeat(200_000), '\\'.repeat(300_001), "\\'e9".repeat(200_000), '\\cell'.repeat(50_000)]) {
    assert.ok(read(`{\\rtf1 ${source}`));
  }
});

test('only the innermost of nested RTF links is recorded', () => {
  const field = (url: string, inside: string) => `{\\field{\\*\\fldinst HYPERLINK "${url}"}{\\fldrslt ${inside}}}`;
  const plain = (inside: string) => `{\\field{\\*\\fldinst REF x}{\\fldrslt ${inside}}}`;
  const linksOf = (body: string) =>
    read(`{\\rtf1 ${body}\\par}`).blocks.flatMap(({ links = [] }) => links.map(({ text, url }) => [text, url]));
  const [a, b] = ['http://a.example/', 'http://b.example/'];
  assert.deepEqual(linksOf(field(a, `x ${plain(field(b, 'in'))} y`)), [['in', b]]);
  assert.deepEqual(linksOf(field(a, `x ${plain('in')} y`)), [['x in y', a]]);
  assert.deepEqual(linksOf(`${field(a, `x ${field(b, '1')} ${field(b, '2')}`)} ${field(a, '3')}`), [
    ['1', b],
    ['2', b],
    ['3', a],
  ]);
  let deep = 'word '.repeat(1000);
  for (let i = 0; i < 900; i += 1) deep = field(`http://${i}.example/`, `x ${deep}`);
  const links = linksOf(deep);
  assert.equal(links.length, 1);
  assert.ok(links[0]![0]!.length <= LINK_TEXT_UNITS_MAX);
});

test('headers and footers of RTF follow the text, each different line once and without page numbers', () => {
  const header = '{\\header\\pard\\qc Animal Hospital\\tab Room 5\\par}';
  const footer =
    '{\\footerr\\pard Page {\\field{\\*\\fldinst PAGE}{\\fldrslt 3}} of {\\field{\\*\\fldinst NUMPAGES}{\\fldrslt 9}}\\par Confidential\\cell\\row}';
  const row = '\\trowd\\intbl a\\cell b\\cell\\row\\pard ';
  const parsed = parseRtf(
    Buffer.from(`{\\rtf1 ${header}${footer}Dear Ann,\\par ${row}{\\headerl Animal Hospital\\tab Room 5}Yours\\par}`),
  );
  assert.deepEqual(parsed.text.split('\n\n'), [
    'Dear Ann,',
    '| a | b |\n| --- | --- |',
    'Yours',
    'Animal Hospital | Room 5',
    'Confidential',
  ]);
});

test('marks of lists in headers and notes of RTF, and page numbers in its text, are no text', () => {
  const header = '{\\header\\pard{\\listtext 1.\\tab}Point\\par}';
  assert.equal(read(`{\\rtf1 ${header}Hello world\\par}`).text, 'Hello world\n\nPoint');
  assert.equal(read(`{\\rtf1 Body begins ${header}and goes on\\par}`).text, 'Body begins and goes on\n\nPoint');
  assert.equal(
    read('{\\rtf1 {\\listtext 7.\\tab}word{\\footnote {\\listtext 1.}note}\\par}').text,
    read('{\\rtf1 {\\listtext 7.\\tab}word{\\footnote note}\\par}').text,
  );
  assert.equal(read('{\\rtf1 Chapter \\chpgn  text{\\footnote on \\chpgn}\\par}').text, 'Chapter text[^1]\n\n[^1]: on');
});

test('RTF paragraphs and headings keep their numbers, and headings stand below the title', () => {
  const style = '{\\stylesheet{\\s1 heading 1;}{\\s9 Title;}}';
  const counted = (mark: string, text: string, more = '\\ls1') =>
    `\\pard${more}{\\listtext\\pard\\plain ${mark}\\tab}${text}\\par`;
  const body = [
    '\\pard\\s9 Lease\\par',
    counted("\\u167\\'a7 7", 'Liability', '\\s1\\ls1'),
    counted('(1)', 'one'),
    counted('3.2.1', 'two'),
    counted('b)', 'three'),
    counted('o', 'four'),
    counted('(ii)', 'five'),
    counted('10', 'six'),
  ];
  assert.equal(
    read(`{\\rtf1 ${style}${body.join('')}}`).text,
    '# Lease\n\n## § 7 Liability\n\n(1) one\n* 3.2.1 two\nb) three\n\n- four\n\n(ii) five\n10. six',
  );
});
