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

test('a notice is told from a short page with text of its own by its width, so also in Chinese and Japanese', () => {
  const redirect = (text: string): string | undefined =>
    readPage(`<meta http-equiv="refresh" content="0; url=/new/"><p>${text}</p>`).redirect;
  const notices = [
    'This page has moved. You will be taken to its new address in a few seconds.',
    '页面已经移动。如果浏览器没有自动跳转,请点击下面的链接。',
    'このページは移動しました。自動的に新しいページへ移動しない場合は、下のリンクをクリックしてください。',
    '페이지가 이동되었습니다. 자동으로 이동하지 않으면 아래 링크를 클릭하세요.',
  ];
  const own = [
    'The library is open from nine to five. On the first Monday of each month it opens at noon. Readers return books at the side door.',
    '图书馆每天上午九点至下午五点开放,每月第一个星期一中午十二点开门。读者可以在侧门归还图书,也可以把图书放进门外的还书箱。遗失图书的读者应当在三十天内赔偿。',
    '図書館は毎日午前九時から午後五時まで開いています。毎月第一月曜日は正午に開きます。本は横の入口か、外の返却箱に返してください。失くした本は弁償していただきます。',
  ];
  assert.deepEqual([...notices, ...own].map(redirect), [...notices.map(() => '/new/'), ...own.map(() => undefined)]);
});
