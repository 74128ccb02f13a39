import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, zipSync } from 'fflate';
import { parseEpub } from './epub.ts';
import { parseFb2 } from './fb2.ts';

const OPF = `<package><metadata><dc:title>The book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bo</dc:creator></metadata>
  <manifest><item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
  <item id="a" href="one%20a.xhtml" media-type="application/xhtml+xml"/>
  <item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>
  <item id="p" href="p.png" media-type="image/png"/></manifest>
  <spine><itemref idref="b"/><itemref idref="a"/><itemref idref="p"/><itemref idref="gone"/></spine></package>`;
const NCX = `<ncx><navMap><navPoint><navLabel><text>First part</text></navLabel><content src="b.xhtml#start"/>
  <navPoint><navLabel><text>Inside</text></navLabel><content src="b.xhtml#later"/></navPoint></navPoint>
  <navPoint><navLabel><text>Named elsewhere</text></navLabel><content src="one%20a.xhtml"/></navPoint></navMap></ncx>`;

function book(extra: Record<string, string> = {}): Uint8Array {
  const parts: Record<string, string> = {
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
    'OPS/book.opf': OPF,
    'OPS/toc.ncx': NCX,
    'OPS/one a.xhtml':
      '<?xml version="1.0"?><html><head><title/></head><body><h2>Own heading</h2><p>Last <a id="x"/>words.</p></body></html>',
    'OPS/b.xhtml': '<html><head><script src="x"/></head><body><p>First words.</p></body></html>',
    ...extra,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

test('the chapters of an EPUB follow its spine and are named by their headings or by the table of contents', () => {
  const parsed = parseEpub(book());
  assert.equal(parsed.text, '# First part\n\nFirst words.\n\n## Own heading\n\nLast words.');
  assert.equal(parsed.title, 'The book');
  assert.equal(parsed.metadata['author']?.val, 'Ann, Bo');
});

test('an EPUB with encrypted chapters is refused as protected, and one with encrypted fonts is read', () => {
  const encryption = (part: string) => ({
    'META-INF/encryption.xml': `<encryption><EncryptedData><CipherData><CipherReference URI="${part}"/></CipherData></EncryptedData></encryption>`,
  });
  assert.throws(() => parseEpub(book(encryption('OPS/b.xhtml'))), /protected/);
  assert.ok(parseEpub(book(encryption('OPS/font.otf'))).text.length > 0);
});

test('an EPUB that names no content is reported as damaged', () => {
  assert.throws(() => parseEpub(book({ 'META-INF/container.xml': '<container/>' })), /names no content/);
});

test('a FictionBook is read with its sections, poems, citations, notes and unused notes', () => {
  const parsed = parseFb2(`<?xml version="1.0"?><FictionBook xmlns:l="x"><description><title-info>
    <author><first-name>Ann</first-name><last-name>Example</last-name></author><book-title>Tales</book-title></title-info></description>
    <body><title><p>Tales</p></title><section><title><p>One</p><p>and only</p></title><p>Text<a l:href="#n1" type="note">[1]</a> here.</p>
    <poem><stanza><title><p>Song</p></title><v>line <b>a</b></v><v>line b</v></stanza></poem><subtitle>* * *</subtitle>
    <cite><p>said</p><text-author>Bo</text-author></cite></section></body>
    <body name="notes"><section id="n1"><title><p>1</p></title><p>A note.</p></section><section id="n2"><p>Lost.</p></section></body>
    <binary id="i">AAAA</binary></FictionBook>`);
  assert.deepEqual(parsed.text.split('\n\n'), [
    '# Tales',
    '## One and only',
    'Text[^1] here.',
    '[^1]: A note.',
    '## Song',
    'line a\nline b',
    '### * * *',
    '> said\n>\n> Bo',
    'Lost.',
  ]);
  assert.equal(parsed.metadata['author']?.val, 'Ann Example');
});
