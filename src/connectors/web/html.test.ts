import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerDirectives, readPage } from './html.ts';

test('the links of a page are returned in their order', () => {
  const html = `<A HREF=one>1</A><a class="x" href = 'two&amp;x=1&copy=2'>2</a><a data-href="no" href="three
    ">3</a><abbr href="no"></abbr><a name="no"><a href="">4</a><a rel="x NoFollow" href="no">5</a>
    <title><a href="no"></title><textarea><a href="no"></textarea><a title="a > b" href="five">5</a>`;
  assert.deepEqual(
    readPage(html).links.map((link) => link.trim()),
    ['one', 'two&x=1&copy=2', 'three', 'five'],
  );
});

test('base, canonical address, title and directives are read from the head of a page', () => {
  const html = `<head><title>
    Tea &amp; <b>more</b> &#8364; </title><base href="/x/"><base href="/y/"><link rel="alternate canonical" href="/c">
    <link rel=canonical href=/d><meta name=Robots content="noarchive,NOFOLLOW"></head><title>No</title>`;
  const page = readPage(html);
  assert.equal(page.title, 'Tea & <b>more</b> €');
  assert.deepEqual([page.base, page.canonical, page.index, page.follow], ['/x/', '/c', true, false]);
});

test('a short page that sends its reader on at once is a redirect, and a slow refresh or a long page is none', () => {
  const refresh = (content: string, rest = ''): string | undefined =>
    readPage(`<meta http-equiv="refresh" content="${content}">${rest}`).redirect;
  assert.equal(refresh('0; url=/new/'), '/new/');
  assert.equal(refresh('0;URL=&quot;new.html&quot;'), 'new.html');
  assert.equal(refresh(" 0 ,\n url =\t'/new/'"), '/new/');
  assert.equal(refresh("url='/a  b\n/c'"), '/a  b\n/c');
  assert.equal(refresh('30; url=/news'), undefined);
  assert.equal(refresh('60'), undefined);
  assert.equal(refresh('0;/new/'), '/new/');
  assert.equal(refresh('0; url='), undefined);
  const inNoscript = (tags: string) =>
    readPage(`<noscript>${tags}<meta http-equiv="refresh" content="0;/off"></noscript>`);
  assert.deepEqual([inNoscript('').redirect, inNoscript('<noscript>').redirect], [undefined, undefined]);
  assert.deepEqual(inNoscript('').links, ['/off']);
  assert.equal(refresh('0;/new/', '<noscript>Hello</noscript>'), '/new/');
  assert.equal(readPage('<noscript>Hello</noscript><meta http-equiv="refresh" content="0;/new/">').redirect, '/new/');
  assert.equal(refresh('0; url=/long', '<p>A page with content.</p>'.repeat(200)), undefined);
});

test('directives in headers apply to all crawlers or to the named one', () => {
  const of = (header: string | null) => Object.values(headerDirectives(header));
  assert.deepEqual(of(null), [true, true]);
  assert.deepEqual(of('noindex, nofollow'), [false, false]);
  assert.deepEqual(of('none'), [false, false]);
  assert.deepEqual(of('otherbot: noindex, nofollow'), [true, true]);
  assert.deepEqual(of('otherbot: noindex, Pinakes: nofollow'), [true, false]);
  assert.deepEqual(of('unavailable_after: 25 Jun 2030 15:00:00 PST, noindex'), [false, true]);
});

test('broken or hostile pages are read without errors and in little time', () => {
  const units = 1_000_000;
  const shapes = [
    '<a href="',
    '<a ',
    '<!--',
    '<title>',
    '<script>',
    '<a b=c ',
    "<a href='x",
    '<',
    '<a href="x">',
    '</a',
    '<meta content="',
    '<noscript >',
  ];
  const refresh = readPage(`<meta http-equiv="refresh" content="${' '.repeat(4_000)}x">`.repeat(100));
  assert.equal(refresh.redirect, undefined);
  for (const shape of shapes) assert.ok(readPage(shape.repeat(units / shape.length)).links.length <= 20_000, shape);
});
