import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleInAddress } from './page-title.ts';

const BARE = '248104cd477e80fdb757e945d38000bd';
const ID = '248104cd-477e-80fd-b757-e945d38000bd';

test('the title of a page is read from its address', () => {
  for (const [address, title] of [
    [`https://www.notion.so/acme/Leave-policy-${BARE}?pvs=4`, 'Leave policy'],
    [` https://example.notion.site/Leave-policy-2026-${ID}/ `, 'Leave policy 2026'],
    [`www.notion.so/%E5%9F%BA%E6%9C%AC-${BARE}`, '基本'],
  ] as const)
    assert.equal(titleInAddress(address), title, address);
});

test('an address without a title, or that of another page, gives none', () => {
  for (const address of [
    BARE,
    ID,
    `https://www.notion.so/acme/${BARE}`,
    `https://www.notion.so/acme/${ID}`,
    `https://www.notion.so/acme/Policies-${BARE}?v=1&p=${BARE}`,
    `https://www.notion.so/%FF-${BARE}`,
    `https://www.notion.so/---${BARE}`,
    '',
  ])
    assert.equal(titleInAddress(address), undefined, address);
});
