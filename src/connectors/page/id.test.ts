import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageUrl, parsePageId } from './id.ts';

const ID = '248104cd-477e-80fd-b757-e945d38000bd';
const BARE = '248104cd477e80fdb757e945d38000bd';
const OTHER = '148104cd477e80bb928f000ce197ddf2';

test('every form of a page id or address is parsed', () => {
  for (const text of [
    ID,
    BARE,
    ID.toUpperCase(),
    `  ${BARE}\n`,
    `https://www.notion.so/${BARE}`,
    `https://www.notion.so/workspace/Leave-policy-${BARE}`,
    `https://www.notion.so/workspace/Leave-policy-${BARE}?pvs=4`,
    `https://www.notion.so/workspace/Leave-policy-${BARE}?pvs=4#${OTHER}`,
    `https://www.notion.so/workspace/${BARE}?v=${OTHER}`,
    `https://www.notion.so/workspace/${OTHER}?v=${OTHER}&p=${BARE}&pm=s`,
    `https://example.notion.site/Title-abc-${BARE}/`,
    `https://app.notion.com/p/${ID}`,
    `www.notion.so/workspace/Title-${BARE}`,
    `notion://www.notion.so/workspace/Title-${BARE}`,
    `Leave-policy-${BARE}`,
    `https://www.notion.so/%E5%9F%BA%E6%9C%AC-${BARE}`,
  ])
    assert.equal(parsePageId(text), ID, text);
});

test('a text that names no page gives no id', () => {
  for (const text of [
    '',
    'Leave policy',
    BARE.slice(1),
    `${BARE}0`,
    `a${BARE}`,
    'https://www.notion.so/',
    'https://www.notion.so/workspace/Leave-policy',
    `https://www.notion.so/?q=${BARE}`,
    `https://www.notion.so/workspace/${BARE}?p=nothing`,
    `https://www.notion.so/#${BARE}`,
    `ftp://www.notion.so/${BARE}`,
    `javascript:${BARE}`,
    `file:///${BARE}`,
    `https://${'x'.repeat(1900)}`,
  ])
    assert.equal(parsePageId(text), undefined, text);
});

test('the address of a page or block is made from its id', () => {
  assert.equal(pageUrl(ID), `https://www.notion.so/${BARE}`);
  assert.equal(parsePageId(pageUrl(ID, OTHER)), ID);
});
