import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOwnNumber } from './own-number.ts';

test('digits, number words, months and weekdays of a passage are its own, if the question does not have them', () => {
  for (const [passage, question, language] of [
    ['It takes 15 days.', 'How long does it take in 2020?', 'en'],
    ['A ballot takes two weeks.', 'How long does a ballot take?', 'en'],
    ['租期三十天。', '租期多长？', 'zh'],
    ['The pump is oiled in March.', 'When is the pump oiled?', 'en'],
    ['Das Büro ist an jedem Montag zu.', 'Wann ist das Büro zu?', 'de'],
    ['店は水曜日が休みです。', '店の休みはいつですか？', 'ja'],
    ['Отчёт сдают в начале марта.', 'Когда сдают отчёт?', 'ru'],
  ] as const)
    assert.ok(hasOwnNumber(passage, question, language), passage);
  for (const [passage, question, language] of [
    ['The copy command takes all files in 2020.', 'How many files did it take in 2020?', 'en'],
    ['Both of the two boards met.', 'How many people were in the two boards?', 'en'],
    ['The board may meet on demand.', 'When does the board meet?', 'en'],
    ['Das Büro ist in Mainz.', 'Wann ist das Büro in der Stadt zu?', 'de'],
    ['The fair in March is large.', 'How large is the fair in March?', 'en'],
    ['文件会被复制。', '可以复制多少文件？', 'zh'],
  ] as const)
    assert.ok(!hasOwnNumber(passage, question, language), passage);
});
