import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexedContext, linksLine, withoutLinks } from './link-line.ts';

const link = (text: string, url: string) => ({ text, url });

test('the line has each link once, in order, without links that the content shows', () => {
  const links = [
    link('the guide', 'https://a.example/guide'),
    link('again', 'https://a.example/guide'),
    link('shown', 'https://b.example/'),
    link('', 'c/d.html'),
  ];
  assert.equal(linksLine(links, 'see https://b.example/'), 'Links: the guide <https://a.example/guide>; <c/d.html>');
  assert.equal(linksLine([], 'text'), undefined);
});

test('the line has a maximum number of links and bytes, and a link cannot forge it', () => {
  const many = Array.from({ length: 1000 }, (_, i) => link(`no ${i}`, `https://a.example/${i}`));
  assert.equal(linksLine(many, '')!.split(';').length, 20);
  const long = Array.from({ length: 20 }, (_, i) => link('語'.repeat(500), `https://a.example/${i}${'x'.repeat(200)}`));
  assert.ok(Buffer.byteLength(linksLine(long, '')!) <= 1000);
  assert.equal(
    linksLine([link('a>;\nLinks: <b', 'https://x.example/>y')], ''),
    'Links: a Links: b <https://x.example/y>',
  );
});

test('only the words of host and path of a link are indexed', () => {
  const context =
    '| Name | Year |\nLinks: the guide <https://www.docs.example/install/r%C3%A9glage-linux.html?a=1#b>; <%zz/page_two>';
  assert.equal(indexedContext(context), '| Name | Year |\ndocs example install réglage linux zz page two');
  assert.equal(withoutLinks(context), '| Name | Year |');
  assert.equal(withoutLinks('Links: a <https://a.example>'), null);
  assert.deepEqual([indexedContext(null), withoutLinks(null)], [null, null]);
});
