import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printOf } from './substitutes.ts';

const print = (text: string) => printOf({ title: undefined, text });

test('pages whose words differ only in addresses and numbers have the same print', () => {
  const page = print('<p>The page /docs/one.html was asked for at 12:30.</p>');
  assert.equal(page, print('<p>The page  /blog/2 was asked for at 9:05.</p>'));
  assert.notEqual(page, print('<p>Another page /docs/one.html was asked for at 12:30.</p>'));
  assert.notEqual(page, undefined);
});

test('a page of fewer than 20 letters has no print', () => {
  assert.equal(print('<p class="the-letters-of-tags">Not found: 1234 abcdefghijk</p>'), undefined);
  assert.notEqual(print('<p>Not found: 1234 abcdefghijkl</p>'), undefined);
});

test('a page of one long run of letters is compared in little time', () => {
  assert.notEqual(print('a'.repeat(2_000_000)), undefined);
});
