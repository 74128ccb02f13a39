import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readableQif } from './qif.ts';

test('the fields of a statement have names instead of letters, and lists keep their letters apart from the words', () => {
  const text =
    '!Type:Bank\nD8/12/13\nT-1,000.00\nPDelta PC\nCX\nSFood\n$-7.50\n^\nD8/15/13\nPWater\n^\n!Type:Cat\nNBonus\nDIncome\nI\n^\n';
  assert.equal(
    readableQif(text),
    '!Type:Bank\nDate: 8/12/13\nAmount: -1,000.00\nPayee: Delta PC\nC X\nPart: Food\nPart amount: -7.50\n\n' +
      'Date: 8/15/13\nPayee: Water\n\n!Type:Cat\nN Bonus\nD Income\nI\n\n',
  );
});

test('a text that is no statement of Quicken is kept as it is', () => {
  const letter = 'Hello Ann,\nPlease pay.\n^\n';
  assert.equal(readableQif(letter), letter);
});
