import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRefresh } from './refresh.ts';

test('a refresh has an address, and says whether it leads there at once', () => {
  const atOnce = (content: string) => readRefresh(content)?.isAtOnce;
  for (const content of ['0; url=/new/', '0;/new/', '00, URL = "/new/"', "1;url='/new/'", '0 url=/new/', 'url=/new/'])
    assert.deepEqual(readRefresh(content), { target: '/new/', isAtOnce: true }, content);
  assert.equal(readRefresh("url='/a  b\n/c' ")?.target, '/a  b\n/c');
  assert.deepEqual(['.5;url=a', '1.5; url=a', '2; url=a', '30;a'].map(atOnce), [true, true, false, false]);
});

test('a refresh without another address loads the same page again', () => {
  const contents = [
    '',
    '0',
    '5;',
    '0; url=',
    "0; url=''",
    '0; url=" "',
    '1; url=#',
    '0;#top',
    '1, see below',
    '0;;url=/x',
  ];
  for (const content of contents) assert.equal(readRefresh(content), undefined, content);
  for (const content of ['/new/', '5/new/', 'see below']) assert.equal(readRefresh(content), undefined, content);
});
