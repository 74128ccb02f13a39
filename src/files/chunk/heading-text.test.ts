import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainHeading } from './heading-text.ts';

test('a plain heading has no Markdown marks but keeps signs in names and code', () => {
  const cases = [
    ['## **One** *two* _three_ ##', 'One two three'],
    ['# `libusb_open()` and `--depth`', 'libusb_open() and --depth'],
    ['# libusb_open_device', 'libusb_open_device'],
    ['# 2 * 3 * 4, *args', '2 * 3 * 4, *args'],
    ['# `__init__` of C#', '__init__ of C#'],
    ['# $! and %j', '$! and %j'],
    ['# a\\_b\\*', 'a_b*'],
    ['Under\n=====', 'Under'],
  ];
  for (const [source, words] of cases) assert.equal(plainHeading(source!), words);
});

test('a heading of many thousand marks is read in linear time', () => {
  assert.ok(plainHeading(`# ${'*_`'.repeat(200_000)}`).length > 0);
});
