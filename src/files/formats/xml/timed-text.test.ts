import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { detectFileType } from '../../detect/file-types.ts';
import { parseXml } from './xml.ts';

test('speech in TTML has its times and speakers', async () => {
  const ttml = `<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata"><head><metadata><ttm:agent xml:id="a"><ttm:name>Ann</ttm:name></ttm:agent><ttm:agent><ttm:name>Bob</ttm:name></ttm:agent></metadata></head><body><div>
<p begin="00:01:02.500" end="00:01:04" ttm:agent="a">One<br/>two</p><p begin="75s" end="80s">Three</p><p begin="3000f" end="101s">Four</p>
</div></body></tt>`;
  assert.equal(
    parseXml(ttml, []).text,
    'name: Ann\nname: Bob\n\n00:01:02 Ann: One two\n\n00:01:15 Three\n\n00:01:40 Four',
  );
  for (const name of ['a.ttml', 'a.xml']) assert.equal(await detectFileType(Buffer.from(ttml), name), 'xml');
});

test('TTML keeps what the file says of itself, and its times count from the start of the part around them', () => {
  const ttml = `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="m" xmlns:ttp="p" ttp:frameRate="25">
<head><metadata><ttm:title>The lake</ttm:title><ttm:copyright>Ann</ttm:copyright></metadata></head><body><div begin="60s">
<p begin="50f" end="4s">One<metadata><ttm:desc>A bell</ttm:desc></metadata>two</p><p begin="5s" dur="10s">Three</p><p begin="16s">Four</p>
</div></body></tt>`;
  const { text, title } = parseXml(ttml, []);
  assert.equal(text, 'title: The lake\ncopyright: Ann\n\n00:01:02 One A bell two Three Four');
  assert.equal(title, 'The lake');
});

test('other data whose top element is called tt is read as data', () => {
  assert.equal(parseXml('<tt><row><tea>5</tea><rye>7</rye></row></tt>', []).text, 'tea: 5\nrye: 7');
  assert.equal(parseXml('<tt><row><p>Tea</p></row></tt>', []).text, 'Tea');
});
