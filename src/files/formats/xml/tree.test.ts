import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attribute, childAt, findElements, readXml, textOf, XML_DEPTH_MAX } from './tree.ts';

test('the XML reader reads elements, attributes, text, CDATA and references', () => {
  const root = readXml(
    '<?xml version="1.0"?><!DOCTYPE a [<!ELEMENT a ANY>]><x:a id="1" x:id=\'two &amp; &gt;\'>one<!-- <b> --><b t="a>b"/>&lt;&#65;&#x42;<![CDATA[<c>&amp;]]></x:a>',
  );
  const a = childAt(root, 'a')!;
  assert.equal(attribute(a, 'id'), '1');
  assert.equal(attribute(a, 'x:id'), 'two & >');
  assert.equal(attribute(a, 'none'), '');
  assert.equal(attribute(childAt(a, 'b')!, 't'), 'a>b');
  assert.equal(textOf(a), 'one<AB<c>&amp;');
});

test('entities that an XML file declares are not expanded', () => {
  assert.equal(textOf(readXml('<!DOCTYPE a [<!ENTITY e "lol">]><a>&e;</a>')), '&e;');
});

test('XML elements are found by name in order, without elements inside a found element', () => {
  const found = findElements(readXml('<r><p>1<p>2</p></p><q><p>3</p></q></r>'), 'p');
  assert.deepEqual(found.map(textOf), ['12', '3']);
});

test('truncated or wrongly closed XML gives the text that can be read, in linear time', () => {
  assert.equal(textOf(readXml('<a><b>one</c></b>two</a></a>three')), 'onetwothree');
  assert.equal(textOf(readXml('<a>one<b x="')), 'one');
  for (const source of [
    '<a x="'.repeat(50_000),
    '<!--'.repeat(50_000),
    '<![CDATA['.repeat(50_000),
    '<!['.repeat(50_000),
  ]) {
    assert.ok(readXml(source));
  }
});

test('XML nested too deeply is refused', () => {
  assert.throws(() => readXml('<a>'.repeat(XML_DEPTH_MAX + 2)), /nested too deeply/);
});
