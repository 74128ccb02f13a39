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
    ['## [1.2.0](https://a.example/compare/v1.1.0...v1.2.0) (2026-01-05)', '1.2.0 (2026-01-05)'],
    ['## [Ports (all)](a/Ports_(all).md "Ports") and [`open()`][api] of a[0](b)', 'Ports (all) and open() of a[0](b)'],
    ['## [1.2.0] - 2026-01-05', '[1.2.0] - 2026-01-05'],
    ['# Tool [![Build](b.svg)](https://ci.example) <img src="b.svg" width=40/>', 'Tool'],
    ['# ![Tool](logo.svg)', 'Tool'],
    ['# [![Tool](logo.svg)](https://a.example)', 'Tool'],
    ['## See [[Notes/Plan|the plan]], [[Budget]] and ==this==[^1]', 'See the plan, Budget and this'],
    ['## Press <kbd>F1</kbd>, <span style="color: red">now</span>', 'Press F1, now'],
    ['## git diff <a> <b>, --depth=<n> and <Link>', 'git diff <a> <b>, --depth=<n> and <Link>'],
    ['## if a==b and c==d', 'if a==b and c==d'],
    ['## x==1, f(y)==2 or z==(3)', 'x==1, f(y)==2 or z==(3)'],
    ['## Set up {#setup .wide} ##', 'Set up'],
    ['## 7.0 {: #7.0 }', '7.0'],
    ['## Gone \\& over, a == b == c', 'Gone & over, a == b == c'],
  ];
  for (const [source, words] of cases) assert.equal(plainHeading(source!), words);
});

test('a heading of many thousand marks is read in linear time', () => {
  for (const mark of ['*_`', '[](', '![[', '{#', '<b>', '[[a|', '{: #', '=='])
    assert.ok(plainHeading(`# ${mark.repeat(200_000)}x`).length > 0);
});
