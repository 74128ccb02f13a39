/** Tests of links in all file types: words stay in the text, and addresses are recorded with the block of the link. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { detectFileType } from '../../src/files/detect/file-types.ts';
import { parseFile } from '../../src/files/formats/parse-file.ts';
import type { ParsedFile } from '../../src/files/parsed.ts';
import { fixture } from '../support/files/fixtures.ts';
import { makeXlsx } from '../support/files/make-files.ts';

async function read(name: string, content: Uint8Array | string): Promise<ParsedFile> {
  const bytes = typeof content === 'string' ? strToU8(content) : content;
  return parseFile(await detectFileType(bytes, name), bytes, {
    name,
    size: bytes.length,
    chunkMetadataKeys: [],
  });
}

/** Returns words, address and block of each link, and asserts that the words are at the link's place. */
function linksOf({ blocks, text }: ParsedFile): string[][] {
  return blocks.flatMap(({ kind, links = [] }) =>
    links.map(({ text: words, url, at }) => {
      assert.equal(text.slice(at, at + words.length), words);
      return [words, url, kind];
    }),
  );
}

const part = (parts: Record<string, Uint8Array>, name: string) => new TextDecoder().decode(parts[name]);
const outside = (...urls: string[]) =>
  urls.map((url, i) => `<Relationship Id="o${i}" Type="hyperlink" Target="${url}" TargetMode="External"/>`).join('');

test('the links of texts, shapes, tables and titles of a pptx file are recorded', async () => {
  const parts = unzipSync(fixture('slides.pptx'));
  const linked = (slide: number, change: (xml: string) => string) => {
    const [name, rels] = [`ppt/slides/slide${slide}.xml`, `ppt/slides/_rels/slide${slide}.xml.rels`];
    parts[name] = strToU8(change(part(parts, name)));
    const urls = outside('https://a.example/?x=1&amp;y=2', 'slide3.xml', 'https://b.example/');
    parts[rels] = strToU8(part(parts, rels).replace('</Relationships>', `${urls}</Relationships>`));
  };
  const click = (id: string) => `<a:hlinkClick r:id="${id}"/>`;
  const runs = (words: string, id: string) => (xml: string) =>
    xml.replace(
      new RegExp(`<a:r>(?:(?!<a:r>).)*?<a:t>${words}</a:t></a:r>`, 's'),
      `<a:r><a:rPr>${click(id)}</a:rPr><a:t>${words}</a:t></a:r>`,
    );
  linked(2, (xml) => runs('rent', 'o1')(runs('energy', 'o0')(runs('Results', 'o2')(xml))));
  linked(3, runs('North', 'o0'));
  linked(4, (xml) =>
    xml.replace(/(<p:cNvPr [^>]*?)\/>(?=(?:(?!<p:cNvPr).)*Left side)/s, `$1>${click('o2')}</p:cNvPr>`),
  );
  assert.deepEqual(linksOf(await read('a.pptx', zipSync(parts))), [
    ['Results', 'https://b.example/', 'heading'],
    ['energy', 'https://a.example/?x=1&y=2', 'list'],
    ['North', 'https://a.example/?x=1&y=2', 'table'],
    ['Left side with plans', 'https://b.example/', 'paragraph'],
  ]);
});

test('the links of cells and formulas of an xlsx file are recorded with their records', async () => {
  const parts = unzipSync(
    makeXlsx({
      sheets: [
        {
          name: 'S',
          rows: [[null], [null, 'name', 'site'], [null, 'Tea', 'shop'], [null, 'Milk', 'farm'], [null, 'Salt', 'none']],
        },
        { name: 'T', rows: [['a', 'b'], ['', 'only'], [], ['words']] },
      ],
    }),
  );
  const sheet = 'xl/worksheets/sheet1.xml';
  const formula =
    '<c r="C4" t="str"><f>HYPERLINK(&quot;https://farm.example/a?b=1&amp;c&quot;,"farm")</f><v>farm</v></c>';
  const links = '<hyperlinks><hyperlink ref="C3:C3" r:id="o0"/><hyperlink ref="B5" location="T!A1"/></hyperlinks>';
  parts[sheet] = strToU8(
    part(parts, sheet)
      .replace(/<c r="C4".*?<\/c>/, formula)
      .replace('</sheetData>', `</sheetData>${links}`),
  );
  parts['xl/worksheets/sheet2.xml'] = strToU8(
    part(parts, 'xl/worksheets/sheet2.xml').replace(
      '</sheetData>',
      '</sheetData><hyperlinks><hyperlink ref="A4" r:id="o1" location="top"/></hyperlinks>',
    ),
  );
  for (const number of [1, 2])
    parts[`xl/worksheets/_rels/sheet${number}.xml.rels`] = strToU8(
      `<Relationships>${outside('https://shop.example/', 'https://words.example/')}</Relationships>`,
    );
  assert.deepEqual(linksOf(await read('a.xlsx', zipSync(parts))), [
    ['shop', 'https://shop.example/', 'record'],
    ['farm', 'https://farm.example/a?b=1&c', 'record'],
    ['words', 'https://words.example/#top', 'paragraph'],
  ]);
});

test('a cell of an xlsx file has one link, however many links its formula contains', async () => {
  const parts = unzipSync(
    makeXlsx({
      sheets: [
        {
          name: 'S',
          rows: [
            ['name', 'site'],
            ['Tea', 'shop'],
            ['Milk', 'farm'],
          ],
        },
      ],
    }),
  );
  const sheet = 'xl/worksheets/sheet1.xml';
  const link = (host: string) => `HYPERLINK("https://${host}.example/")`;
  const formula = (ref: string, hosts: string[]) =>
    `<c r="${ref}" t="str"><f>${hosts.map(link).join('&amp;')}</f><v>${ref}</v></c>`;
  parts[sheet] = strToU8(
    part(parts, sheet)
      .replace(
        /<c r="B2".*?<\/c>/,
        formula(
          'B2',
          Array.from({ length: 50_000 }, (_, i) => `h${i}`),
        ),
      )
      .replace(/<c r="B3".*?<\/c>/, formula('B3', ['b', 'c'])),
  );
  assert.deepEqual(linksOf(await read('a.xlsx', zipSync(parts))), [
    ['B2', 'https://h0.example/', 'record'],
    ['B3', 'https://b.example/', 'record'],
  ]);
});

test('the links of cells, formulas, titles and notes of ods and odp files are recorded', async () => {
  const open = (type: string, body: string) =>
    zipSync({
      mimetype: [strToU8(`application/vnd.oasis.opendocument.${type}`), { level: 0 }],
      'content.xml': strToU8(`<office:document-content><office:body>${body}</office:body></office:document-content>`),
      'META-INF/manifest.xml': strToU8('<manifest/>'),
    });
  const cell = (inside: string, rest = '') => `<table:table-cell ${rest}><text:p>${inside}</text:p></table:table-cell>`;
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
  const a = (words: string, url: string) => `<text:a xlink:href="${url}">${words}</text:a>`;
  const rows = [
    row(cell('name'), cell('site')),
    row(cell('Tea'), cell(a('shop', 'https://shop.example/'))),
    row(cell('Milk'), cell('farm', `table:formula='of:=HYPERLINK("https://farm.example/";"farm")'`)),
  ];
  const sheet = `<office:spreadsheet><table:table table:name="S">${rows.join('')}</table:table></office:spreadsheet>`;
  assert.deepEqual(linksOf(await read('a.ods', open('spreadsheet', sheet))), [
    ['shop', 'https://shop.example/', 'record'],
    ['farm', 'https://farm.example/', 'record'],
  ]);
  const frame = (kind: string, inside: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${inside}</text:p></draw:text-box></draw:frame>`;
  const slide = `${frame('title', `All ${a('plans', 'https://t.example/')}`)}${frame('subtitle', a('more', 'https://s.example/'))}`;
  const notes = `<presentation:notes>${frame('notes', `see ${a('there', 'https://n.example/')}`)}</presentation:notes>`;
  const show = `<office:presentation><draw:page>${slide}${notes}</draw:page></office:presentation>`;
  assert.deepEqual(linksOf(await read('a.odp', open('presentation', show))), [
    ['plans', 'https://t.example/', 'heading'],
    ['more', 'https://s.example/', 'paragraph'],
    ['there', 'https://n.example/', 'quote'],
  ]);
});

test('relative links of an mhtml file are resolved against the address of the saved page', async () => {
  const head =
    'Snapshot-Content-Location: https://a.example/docs/x.html\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n';
  assert.deepEqual(linksOf(await read('a.mhtml', `${head}<p>See <a href="y.html">the rest</a>.</p>`)), [
    ['the rest', 'https://a.example/docs/y.html', 'paragraph'],
  ]);
});

for (const [name, source, links] of [
  [
    'a.rtf',
    '{\\rtf1 {\\field{\\*\\fldinst{ HYPERLINK "https://a.example/x"}}{\\fldrslt{\\ul one {\\b page}}}} and {\\field{\\*\\fldinst HYPERLINK \\\\l "top"}{\\fldrslt up}}\\par \\pard\\intbl {\\field{\\*\\fldinst{HYPERLINK \\\\o "tip" "https://c.example"}}{\\fldrslt cell}}\\cell b\\cell\\row\\pard end\\par}',
    [
      ['one page', 'https://a.example/x', 'paragraph'],
      ['cell', 'https://c.example', 'table'],
    ],
  ],
  [
    'a.org',
    '* Head [[https://h.example][words]]\nSee [[https://a.example/x][one *page*]], [[file:b.org][here]] and [[https://plain.example]].\n\n| a | [[https://t.example][t]] |\n',
    [
      ['words', 'https://h.example', 'heading'],
      ['one page', 'https://a.example/x', 'paragraph'],
      ['t', 'https://t.example', 'paragraph'],
    ],
  ],
  [
    'a.rst',
    'Head\n====\n\nSee `one page <https://a.example/x>`_, `the guide`_, Python_ and :doc:`more <other>`.\n\n- item `two <https://b.example>`__\n\n=== ===\n a   b\n=== ===\n 1  Python_\n=== ===\n\n.. _the guide: https://g.example/\n.. _Python: https://py.example/\n',
    [
      ['one page', 'https://a.example/x', 'paragraph'],
      ['the guide', 'https://g.example/', 'paragraph'],
      ['Python', 'https://py.example/', 'paragraph'],
      ['two', 'https://b.example', 'list'],
      ['Python', 'https://py.example/', 'table'],
    ],
  ],
  [
    'a.adoc',
    '= Head\n\nSee https://a.example/x[one page^] and link:other.html[here].\n\n* item link:https://b.example[two,window=_blank]\n\n|===\n|a |https://t.example[t]\n|b |c\n|===\n',
    [
      ['one page', 'https://a.example/x', 'paragraph'],
      ['two', 'https://b.example', 'list'],
      ['t', 'https://t.example', 'table'],
    ],
  ],
  [
    'a.tex',
    '\\begin{document}\n\\section{All \\href{https://h.example}{words}}\nSee \\href{https://a.example/50\\%_x\\#y}{one \\emph{page}}, \\url{https://plain.example/~ann--b_c%20d} too. % \\href{https://c.example}{no}\n\n\\begin{itemize}\\item \\href{https://b.example}{two}\\end{itemize}\n\\end{document}\n',
    [
      ['words', 'https://h.example', 'heading'],
      ['one page', 'https://a.example/50%_x#y', 'paragraph'],
      ['two', 'https://b.example', 'list'],
    ],
  ],
  [
    'a.ipynb',
    JSON.stringify({
      cells: [
        { cell_type: 'markdown', source: ['See [one page][p].\n', '\n', '[p]: https://a.example/x\n'] },
        { cell_type: 'code', source: 'x = "[a](https://code.example)"', outputs: [] },
      ],
      metadata: {},
      nbformat: 4,
    }),
    [['one page', 'https://a.example/x', 'paragraph']],
  ],
] as const) {
  test(`the links of ${name} are recorded with their words and blocks`, async () => {
    const parsed = await read(name, source);
    assert.deepEqual(
      linksOf(parsed).filter(([words]) => words !== '[one page'),
      links,
    );
    assert.doesNotMatch(parsed.text.replace(/\[p\]: .*|"\[a\].*/g, ''), /[ahb]\.example|[\ue000-\uf8ff]/);
  });
}

test('addresses and verbatim text in a LaTeX file stay unchanged', async () => {
  const { text } = await read(
    'a.tex',
    '\\begin{document}\nSee \\url{https://plain.example/~ann--b_c%20d} and \\verb|a--b_c|.\n\\end{document}',
  );
  assert.equal(text, 'See https://plain.example/~ann--b_c%20d and `a--b_c`.');
});

test('a LaTeX file cannot repeat a protected text by writing its placeholder', async () => {
  const { text } = await read('a.tex', `\\verb|${'long '.repeat(50)}| and ${'\ue0c60\ue0c6 '.repeat(3)}`);
  assert.equal(text.match(/long long/g)?.length, 25);
});
