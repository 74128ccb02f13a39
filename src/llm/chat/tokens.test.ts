import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from 'gpt-tokenizer';
import { cutToTokens, tokensAtMost } from './tokens.ts';

const SAMPLES = {
  en: 'Employees receive twenty-five days of paid leave per calendar year, which may be carried over until March.',
  de: 'Mitarbeiterinnen und Mitarbeiter erhalten dreißig Urlaubstage; Resturlaub verfällt Ende März des Folgejahres.',
  ru: 'Сотрудники получают двадцать восемь дней оплачиваемого отпуска в год.',
  ja: '社員は年間二十五日の有給休暇を取得できます。未使用の休暇は翌年に繰り越せます。',
  zh: '员工每年享有二十五天带薪年假，未使用的年假可以结转到下一年。',
  ko: '직원은 매년 이십오 일의 유급 휴가를 받으며 남은 휴가는 이월됩니다.',
  th: 'พนักงานได้รับวันหยุดพักร้อนยี่สิบห้าวันต่อปี',
  ar: 'يحصل الموظفون على خمسة وعشرين يوما من الإجازة المدفوعة كل عام',
  hi: 'कर्मचारियों को प्रति वर्ष पच्चीस दिन का सवैतनिक अवकाश मिलता है।',
  code: 'for (let i = 0; i < rows.length; i++) { total += rows[i]!.price * 1.19; }',
  numbers: '2024-11-03 18:45:12, 1234567, 3.14159, +49 30 901820',
  emoji: '😀🎉🚀 👩‍👩‍👧‍👦',
};

test('the estimate is between one and four times the tokens of a real tokenizer', () => {
  for (const [name, text] of Object.entries(SAMPLES)) {
    const real = encode(text).length;
    const estimate = tokensAtMost(text);
    assert.ok(estimate >= real, `${name}: ${estimate} < ${real}`);
    assert.ok(estimate <= real * 4, `${name}: ${estimate} > 4 × ${real}`);
  }
});

test('a text is cut within its token budget and between whole characters', () => {
  const text = '😀'.repeat(100);
  const cut = cutToTokens(text, 21);
  assert.ok(cut.isWellFormed() && cut.length > 0 && text.startsWith(cut));
  assert.ok(tokensAtMost(cut) <= 21);
  assert.equal(cutToTokens('short', 100), 'short');
  assert.equal(cutToTokens('short', 0), '');
});
