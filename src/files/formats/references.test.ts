import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeHtml, decodeXml } from './references.ts';

test('XML references are decoded once, and unknown entities stay', () => {
  assert.equal(decodeXml('&lt;a&gt; &#65;&#x42; &quot;&apos; &amp;lt; &e;'), '<a> AB "\' &lt; &e;');
});

test('names of characters in HTML are decoded, no-break spaces as blanks, and unknown names stay', () => {
  assert.equal(decodeHtml('&LT;b&GT;&nbsp;&#X41; &amp;nbsp; &eacute;&Eacute;&ccaron; &e;'), '<b> A &nbsp; éÉč &e;');
});

test('references to code points that are no characters stay', () => {
  for (const source of ['&#0;', '&#xD800;', '&#1114112;', '&#12345678;', '&#x;', '&amp']) {
    assert.equal(decodeXml(source), source);
    assert.equal(decodeHtml(source), source);
  }
});
