/** Tests of entities that XML declares for itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml } from './xml.ts';

const parse = (declarations: string, para: string) =>
  parseXml(`<!DOCTYPE book [${declarations}]><book><para>${para}</para></book>`, []);
const read = (declarations: string, para: string) => parse(declarations, para).text;

test('declarations in comments do not count, and quotes in comments end nothing', () => {
  const declarations = `<!-- <!ENTITY version "1.0"> it's --><?x it's?><!ENTITY version "2.0"><!ENTITY version "3.0">`;
  assert.equal(read(declarations, 'Version &version; is out'), 'Version 2.0 is out');
});

test('the end of a marked section, in a value or a document type, does not end the declarations', () => {
  const product = '<!ENTITY product "ACME">';
  const value = `<!ENTITY ex "<![CDATA[<foo>]]>">${product}`;
  assert.equal(read(value, 'Use &product; and &ex; now.'), 'Use ACME and <foo> now.');
  const section = `<![%draft;[ don't <![IGNORE[ x ]]> <!ENTITY product "Draft"> ]]>${product}`;
  assert.equal(read(section, 'Use &product;.'), 'Use ACME.');
  assert.equal(read(`<!ENTITY % x "<!ENTITY product 'No'>">${product}`, 'Use &product;.'), 'Use ACME.');
});

test('the five entities of XML keep their sense if a file declares them', () => {
  const declarations = '<!ENTITY lt "&#38;#60;"><!ENTITY amp "&#38;#38;"><!ENTITY less "&#38;#60;">';
  assert.equal(read(declarations, 'a &lt; b &amp;&amp; c &less; d'), 'a < b && c < d');
});

test('references that HTML writes in capitals have the sense of those of XML', () => {
  assert.equal(read('', 'a &LT;b> &AMP;lt; &eacute;'), 'a <b> &lt; é');
  assert.equal(read('', 'a &Lt; b'), 'a &Lt; b');
});

test('entities use others that are declared later, and not themselves', () => {
  assert.equal(read('<!ENTITY full "&company; Suite"><!ENTITY company "ACME">', '&full;'), 'ACME Suite');
  const circle = parse('<!ENTITY a "1&b;"><!ENTITY b "2&a;">', '&a;');
  assert.equal(circle.text, '12&a;');
  assert.deepEqual(circle.warnings, ['The text of the entity a is not known.']);
  const chain = Array.from({ length: 1500 }, (_, i) => `<!ENTITY e${i} "&e${i + 1};">`).join('');
  assert.throws(() => read(chain, '&e0;'), /entities/);
});

test('long entities are written out, and a reference that stays has a warning', () => {
  const long = 'long '.repeat(2000).trim();
  assert.equal(read(`<!ENTITY legal "${long}">`, '&legal;'), long);
  const { text, warnings } = parse(`<!ENTITY legal "${'x'.repeat(70_000)}">`, 'See &legal;');
  assert.equal(text, 'See &legal;');
  assert.deepEqual(warnings, ['The text of the entity legal is not known.']);
});

test('references in CDATA sections and comments stay', () => {
  const code = '<programlisting><![CDATA[<p>5&nbsp;km &copy; &eacute;</p>]]></programlisting>';
  assert.ok(
    parseXml(`<book><para>${'Pages name signs. '.repeat(9)}</para>${code}</book>`, []).text.endsWith(
      '```\n<p>5&nbsp;km &copy; &eacute;</p>\n```',
    ),
  );
  const { text, warnings } = parse('<!ENTITY v "2.0">', '&v; <![CDATA[&v;]]><!-- &none; --> &v;');
  assert.equal(text, '2.0 &v; 2.0');
  assert.deepEqual(warnings, []);
  const began = Date.now();
  for (const opening of ['<![CDATA[', '<!--', '<!ENTITY a "', '<![', ']']) {
    parse(opening.repeat(5000), opening.repeat(100_000));
  }
  assert.ok(Date.now() - began < 10_000);
});
