/** Tests of XML as prose, feeds and data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { parseXml } from './xml.ts';

const blocks = (xml: string): string[] => parseXml(xml, []).text.split('\n\n');

test('DocBook is read with its sections, lists, code and tables', () => {
  const xml = `<?xml version="1.0"?><book xmlns="http://docbook.org/ns/docbook" xml:lang="en"><info><title>Staff handbook</title>
    <author><personname><firstname>Ann</firstname><surname>Lee</surname></personname></author><pubdate>2024</pubdate></info>
    <chapter><title>Leave</title><para>Everybody has <emphasis>25 days</emphasis> of leave.
      <itemizedlist><listitem><para>Ask early</para></listitem><listitem><para>Ask in writing</para></listitem></itemizedlist></para>
      <section><title>Requests</title><orderedlist><listitem>First</listitem><listitem>Then</listitem></orderedlist>
      <programlisting>a &lt; b</programlisting>
      <table><title>Contacts</title><tgroup><thead><row><entry>Team</entry><entry>Phone</entry></row></thead>
      <tbody><row><entry>Sales</entry><entry>12</entry></row></tbody></tgroup></table></section></chapter></book>`;
  const parsed = parseXml(xml, []);
  assert.deepEqual(parsed.text.split('\n\n'), [
    '# Staff handbook',
    'Ann Lee',
    '2024',
    '## Leave',
    'Everybody has 25 days of leave.',
    '- Ask early\n- Ask in writing',
    '### Requests',
    '1. First\n2. Then',
    '```\na < b\n```',
    'Contacts',
    '| Team | Phone |\n| --- | --- |\n| Sales | 12 |',
  ]);
  assert.equal(parsed.title, 'Staff handbook');
  assert.equal(parsed.metadata['language']?.val, 'en');
});

test('JATS is read with the names of its authors, its facts in one paragraph and each reference', () => {
  const xml = `<article><front><article-meta><volume>4</volume><issue>2</issue><title-group><article-title>On herons</article-title></title-group>
    <contrib-group><contrib><name><surname>Lee</surname><given-names>Ann</given-names></name></contrib></contrib-group>
    <abstract><title>Abstract</title><p>Herons wade in shallow water all over the world.</p></abstract></article-meta></front>
    <body><sec><title>Methods</title><p>We counted <italic>Ardea cinerea</italic> at dawn, for years and years.</p></sec></body>
    <back><ref-list><title>References</title><ref><label>1</label><mixed-citation>Bo C. Birds. 1999.</mixed-citation></ref></ref-list></back></article>`;
  assert.deepEqual(blocks(xml), [
    '4, 2',
    '# On herons',
    'Ann Lee',
    '## Abstract',
    'Herons wade in shallow water all over the world.',
    '## Methods',
    'We counted Ardea cinerea at dawn, for years and years.',
    '## References',
    '1 Bo C. Birds. 1999.',
  ]);
});

test('the quoted HTML of feed entries is read with its lists, headings and links', () => {
  const { blocks: found, text } = parseXml(
    `<rss><channel><title>News</title><item><title>Heron</title><link>https://n.example/a/</link>
    <encoded><![CDATA[<h2>Habits</h2><p>See <a href="b.html">more</a>.</p><ul><li>one</li></ul>]]></encoded></item></channel></rss>`,
    [],
  );
  assert.deepEqual(
    found.map(({ start, end, level, links = [] }) => [text.slice(start, end), level, links[0]?.url]),
    [
      ['# News', 1, undefined],
      ['## Heron', 2, undefined],
      ['link: https://n.example/a/', undefined, undefined],
      ['#### Habits', 4, undefined],
      ['See more.', undefined, 'https://n.example/a/b.html'],
      ['- one', undefined, undefined],
    ],
  );
});

test('RSS and Atom feeds have a section for each entry, without tags of quoted HTML', () => {
  const rss = `<rss><channel><title>News</title><description>Of the lab</description>
    <item><title>Heron &amp; egret</title><link>https://example.org/1</link><pubDate>Mon, 1 Jan 2024</pubDate>
    <description>&lt;p&gt;Both &lt;b&gt;wade&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>`;
  const lines = [
    '# News',
    'Of the lab',
    '## Heron & egret',
    'link: https://example.org/1\npubDate: Mon, 1 Jan 2024',
    'Both wade.',
  ];
  assert.deepEqual(blocks(rss), lines);
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><entry><title>Heron</title>
    <link href="https://example.org/1"/><updated>2024-01-01</updated><content type="html"><![CDATA[<p>Wades.</p>]]></content></entry></feed>`;
  assert.deepEqual(blocks(atom), ['# News', '## Heron', 'link: https://example.org/1\nupdated: 2024-01-01', 'Wades.']);
  assert.equal(parseXml(atom, []).title, 'News');
});

test('repeated elements of XML data become records with metadata', () => {
  const xml = `<catalog year="2024"><owner>Library</owner>
    <book id="b1"><title>Herons</title><price currency="EUR">12.5</price><tag>bird</tag><tag>water</tag></book>
    <book id="b2"><title>Egrets</title><price currency="EUR">9</price></book></catalog>`;
  const parsed = parseXml(xml, [{ key: 'price.text', type: 'float' }]);
  assert.deepEqual(parsed.text.split('\n\n'), [
    'year: 2024\nowner: Library',
    'id: b1\ntitle: Herons\nprice:\n  currency: EUR\n  text: 12.5\ntag: bird, water',
    'id: b2\ntitle: Egrets\nprice:\n  currency: EUR\n  text: 9',
  ]);
  const [, first, second] = parsed.blocks;
  assert.deepEqual(
    [first!.kind, first!.headingPath, first!.metadata?.['price.text']?.val],
    ['record', ['book'], '12.5'],
  );
  assert.equal(second!.metadata?.['price.text']?.val, '9');
});

test('other XML data becomes lines under the names of its elements', () => {
  const xml = '<note priority="high"><to>Tove</to><body><line>One</line><line>Two</line></body></note>';
  assert.deepEqual(blocks(xml), ['priority: high\nto: Tove', 'line: One, Two']);
});

test('a property list is read by its keys, and a drawing by its words', () => {
  const plist =
    '<plist version="1.0"><dict><key>Name</key><string>Pinakes</string><key>Signed</key><true/></dict></plist>';
  assert.deepEqual(blocks(plist), ['version: 1.0', 'Name: Pinakes\nSigned: true']);
  const svg = '<svg><title>Plan</title><path d="M0 0"/><g><text>Reading <tspan>room</tspan></text></g></svg>';
  assert.deepEqual(blocks(svg), ['Plan', 'Reading room']);
});

test('an XML fragment without a root is read whole', () => {
  assert.deepEqual(blocks('<event id="1"><text>On</text></event>\n<event id="2"><text>Off</text></event>'), [
    'id: 1\ntext: On',
    'id: 2\ntext: Off',
  ]);
  assert.deepEqual(blocks('before <a>1</a> behind'), ['before 1 behind']);
});

test('XML that is too deep, or has all its words in attributes, becomes its source', () => {
  assert.equal(parseXml('no markup at all', []).text, 'no markup at all');
  const deep = `<a>`.repeat(400);
  assert.equal(parseXml(deep, []).text, deep);
  assert.equal(parseXml('<a/>', []).text, '<a/>');
});

test('entities that a file declares for itself are written out, and files that it names are not read', () => {
  const entities =
    '<!ENTITY app "<b>Ok</b>ular"><!ENTITY % x "y"><!ENTITY p SYSTEM "p.tif" NDATA TIF><!ENTITY two "&app; 2">';
  const files =
    '<!ENTITY one SYSTEM "one.xml"><!ENTITY secret SYSTEM "file:///etc/passwd"><!ENTITY unused SYSTEM "u.xml">';
  const parsed = parseXml(
    `<?xml version="1.0"?><!DOCTYPE book [${entities}${files}]><book><para>&two;&mdash;caf&eacute; &one; &secret; &amp;app;</para></book>`,
    [],
  );
  assert.equal(parsed.text, 'Okular 2—café &one; &secret; &app;');
  assert.deepEqual(parsed.warnings, [
    'The file includes one.xml, which is read separately.',
    'The file includes file:///etc/passwd, which is read separately.',
  ]);
});

test('a drawing without words has no text', () => {
  assert.equal(parseXml('<svg><path d="M0 0"/></svg>', []).text, '');
});

test('an outline is a nested list with notes and addresses, and its first level are headings', () => {
  const item = (attributes: string, inside = '') => `<outline ${attributes}>${inside}</outline>`;
  const beds = item('text="Beds" _note="Of clay"', item('text="Leeks" _note="Sow in&#10;April"', item('text="Kale"')));
  const feed = item('type="rss" title="News" text="" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"');
  const parsed = parseXml(`<opml><head><title>Garden</title></head><body>${beds}${feed}${item('')}</body></opml>`, []);
  assert.equal(parsed.title, 'Garden');
  const list = '- Leeks – Sow in April\n  - Kale';
  assert.deepEqual(parsed.text.split('\n\n'), [
    '# Garden',
    '## Beds',
    'Of clay',
    list,
    '- News – https://a.example/ – https://a.example/feed',
  ]);
  const deep = '<outline text="x">'.repeat(200) + '</outline>'.repeat(200);
  assert.ok(parseXml(`<opml><body>${deep}</body></opml>`, []).text.length < 10_000);
});

test('a mind map is a nested list below the text of its middle', () => {
  const rich = (type: string, text: string) =>
    `<richcontent TYPE="${type}"><html><body><p>${text}</p>\n<p>now</p></body></html></richcontent>`;
  const beds = `<node TEXT="Beds" LINK="#ID_1"><icon BUILTIN="bee"/>${rich('NOTE', 'Of clay')}<node TEXT="Leeks"/></node>`;
  const map = `<map version="1.0.1"><node TEXT="Garden">${beds}<node LINK="https://a.example/">${rich('NODE', 'News')}</node></node></map>`;
  const parsed = parseXml(map, []);
  assert.equal(parsed.title, 'Garden');
  assert.equal(parsed.text, '# Garden\n\n## Beds\n\nOf clay now\n\n- Leeks\n\n- News now – https://a.example/');
});

test('choices in menus and keys that are pressed together have signs between them', () => {
  const keys = '<keycombo><keycap>Ctrl</keycap><keycap>C</keycap></keycombo>';
  const menu = `<menuchoice><shortcut>${keys}</shortcut><guimenu>Edit</guimenu> <guimenuitem>Copy</guimenuitem></menuchoice>`;
  const parsed = parseXml(`<article><title>T</title><para>Choose ${menu} or press ${keys}.</para></article>`, []);
  assert.match(parsed.text, /Choose Edit → Copy or press Ctrl\+C\.$/);
  const page = `<page><title>T</title><p>Choose <guiseq><gui>Edit</gui><gui>Copy</gui></guiseq> or press
    <keyseq><key>Ctrl</key><key>C</key></keyseq>.</p></page>`;
  assert.match(parseXml(page, []).text, /Choose Edit → Copy or press Ctrl\+C\.$/);
});

test('each exported note is a section with its tags, its formatted text and the boxes of its tasks', () => {
  const body = `<?xml version="1.0"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note><h1>Steps</h1>
    <div><en-todo checked="true"/>Ask Ann</div><div><en-todo/>Order</div><en-media type="image/png" hash="ab"/><ul><li>one</li></ul></en-note>`;
  const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlE\n'.repeat(6);
  const note = `<note><title>Printer</title><content><![CDATA[${body}]]></content><created>20250203T080000Z</created><tag>office</tag>
    <note-attributes><author>Bo</author><source-url>https://a.example/</source-url></note-attributes>
    <resource><data encoding="base64">\n${picture}</data><mime>image/png</mime></resource></note>`;
  assert.deepEqual(blocks(`<en-export>${note}<note><title>Empty</title></note></en-export>`), [
    '## Printer',
    'created: 20250203T080000Z\nauthor: Bo\ntag: office\nsource-url: https://a.example/',
    '### Steps',
    '☒ Ask Ann',
    '☐ Order',
    '- one',
    '## Empty',
  ]);
});

test('the bytes of a picture in XML are left out, but not keys, hashes and sequences', () => {
  const picture = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlE'.repeat(4);
  const hash = '0123456789abcdef'.repeat(16);
  const sequence = `MKVLA${'ACDEFGHIKL'.repeat(20)}`;
  const text = parseXml(`<a><b>${picture}==</b><c>${hash}</c><d>${sequence}</d><e>Words</e></a>`, []).text;
  assert.equal(text, `c: ${hash}\nd: ${sequence}\ne: Words`);
});

const SHAPES = `<mxGraphModel><root><mxCell id="0"/><mxCell id="2" value="Orders&lt;br&gt;&lt;b&gt;owner: Ines&lt;/b&gt;" vertex="1"/>
  <UserObject label="Queue" id="3"><mxCell vertex="1"/></UserObject><mxCell id="4" value="" source="2" target="3" edge="1"/>
  <UserObject label="fills" id="5"><mxCell source="2" target="3" edge="1"/></UserObject><mxCell id="6" source="2" target="9"/></root></mxGraphModel>`;

test('a diagram of draw.io is the words of its shapes and its arrows, also if its pages are compressed', () => {
  const packed = deflateRawSync(encodeURIComponent(SHAPES)).toString('base64');
  const text = '# Plan\n\nOrders\nowner: Ines\n\nQueue\n\n- Orders → Queue\n- Orders → fills → Queue';
  for (const page of [SHAPES, packed])
    assert.equal(parseXml(`<mxfile><diagram name="Plan">${page}</diagram></mxfile>`, []).text, text);
  const broken = parseXml('<mxfile><diagram name="Plan">%%%</diagram><diagram name="Empty"/></mxfile>', []);
  assert.deepEqual(
    [broken.text, broken.warnings],
    ['# Plan\n\n# Empty', ['Pages of the diagram that could not be unpacked: 1.']],
  );
  const unnamed = parseXml('<mxfile><diagram>%%%</diagram></mxfile>', []);
  assert.deepEqual(unnamed.warnings, ['Pages of the diagram that could not be unpacked: 1.']);
});

test('an arrow to a shape without words is its words', () => {
  const cells =
    '<mxCell id="1" value="Shop" vertex="1"/><mxCell id="2" value="" vertex="1"/>' +
    '<mxCell id="3" value="orders" source="1" target="2" edge="1"/><mxCell id="4" value="" source="1" target="2" edge="1"/>';
  const page = `<mxGraphModel><root>${cells}</root></mxGraphModel>`;
  assert.equal(parseXml(`<mxfile><diagram>${page}</diagram></mxfile>`, []).text, 'Shop\n\norders');
});

test('the pages of a diagram have one limit of their length', () => {
  const page = (name: string) =>
    deflateRawSync(`${' '.repeat(5 * 1024 * 1024)}${SHAPES.replace('Queue', name)}`).toString('base64');
  const pages = ['First', 'Second'].map((name) => `<diagram>${page(name)}</diagram>`).join('');
  const { text, warnings } = parseXml(`<mxfile>${pages}</mxfile>`, []);
  assert.match(text, /First/);
  assert.doesNotMatch(text, /Second/);
  assert.deepEqual(warnings, ['Pages of the diagram that could not be unpacked: 1.']);
});

test('facts of a ticket or note stand once, and the values of a field have blanks between them', () => {
  const note = '<note><title>A</title><created>20250203</created><tag>office</tag></note>';
  assert.equal(parseXml(`<en-export>${note}</en-export>`, []).text, '## A\n\ncreated: 20250203\ntag: office');
  const field =
    '<customfield><customfieldname>Team</customfieldname><customfieldvalues><customfieldvalue>Ops</customfieldvalue>' +
    '<customfieldvalue>Net</customfieldvalue></customfieldvalues></customfield>';
  const item = `<item><title>A</title><created>8 Jan</created><creator>Ann</creator><date>9 Jan</date><customfields>${field}</customfields><note>Ask <b>Bo</b></note></item>`;
  assert.equal(
    parseXml(`<rss><channel>${item}</channel></rss>`, []).text,
    '## A\n\ndate: 9 Jan\ncreated: 8 Jan\ncreator: Ann\n\nnote: Ask Bo\n\n- customfield: Team Ops Net',
  );
});

test('an entry of a feed without namespaces keeps what a tracker adds: state, people, comments', () => {
  const item =
    '<item><title>[LEG-1] NDA</title><description>&lt;p&gt;Review it.&lt;/p&gt;</description><guid>77</guid><status id="6">Closed</status>' +
    '<comments><comment id="0" author="petra" created="8 Jan 2025">&lt;p&gt;Too &lt;b&gt;broad&lt;/b&gt;.&lt;/p&gt;</comment></comments></item>';
  const feed = (head: string) => parseXml(`<rss${head}><channel><title>Jira</title>${item}</channel></rss>`, []).text;
  assert.match(
    feed(' version="0.92"'),
    /Review it\.\n\nstatus: Closed\n\n- comment, petra, 8 Jan 2025: Too broad\s?\.$/,
  );
  assert.doesNotMatch(feed(' version="0.92"'), /77/);
  assert.match(feed(' version="2.0" xmlns:media="https://m.example/"'), /Review it\.$/);
});

test('the attributes of an amount stand behind it, and a dash marks where each of several elements begins', () => {
  const xml = `<Invoice><ID>7</ID><Payee><Name>Ann</Name></Payee><Total><Tax currency="EUR">5.50</Tax>
    <Line><Sum currency="EUR" rounded="no">20.00</Sum><Text lang="en">Pens</Text></Line>
    <Line><Sum currency="EUR">5.00</Sum></Line></Total></Invoice>`;
  const lines = ['Total:', '  Tax: 5.50 (currency: EUR)', '  Line:', '  - Sum: 20.00 (currency: EUR, rounded: no)'];
  assert.ok(parseXml(xml, []).text.includes(lines.join('\n')), parseXml(xml, []).text);
  assert.match(
    parseXml(xml, []).text,
    /\n {4}Text:\n {6}lang: en\n {6}text: Pens\n {2}- Sum: 5\.00 \(currency: EUR\)$/,
  );
  const rows = `<all><row><sum cur="EUR">1.50</sum></row><row><sum cur="USD">2.50</sum></row></all>`;
  assert.equal(parseXml(rows, [{ key: 'sum.cur', type: 'string' }]).blocks[1]?.metadata?.['sum.cur']?.val, 'USD');
});

test('entries of a statement that are most of its words are records, also between other elements', () => {
  const entry = (day: number) =>
    `<Ntry><Amt Ccy="EUR">${day}.50</Amt><Dt>2024-03-0${day}</Dt><Nm>Payee ${day}</Nm></Ntry>`;
  const entries = [1, 2, 3, 4, 5, 6].map(entry).join('');
  const { blocks, text } = parseXml(
    `<Document><Head><Id>7</Id></Head><Stmt><Id>A</Id>${entries}</Stmt></Document>`,
    [],
  );
  const records = blocks.filter(({ kind }) => kind === 'record');
  assert.equal(records.length, 6);
  assert.deepEqual(records[1]?.headingPath, ['Stmt', 'Ntry']);
  assert.equal(text.slice(records[1]!.start, records[1]!.end), 'Amt: 2.50 (Ccy: EUR)\nDt: 2024-03-02\nNm: Payee 2');
  assert.match(text, /^Head:\n {2}Id: 7\n/);
});
