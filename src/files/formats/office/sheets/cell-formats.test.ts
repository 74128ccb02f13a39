import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY0, formatOf, readFormats, shownNumber, shownText } from './cell-formats.ts';

const TIMES: readonly (readonly [code: string, kind: string | undefined, hasSeconds?: boolean])[] = [
  ['h:mm', 'clock', false],
  ['[$-409]h:mm AM/PM;@', 'clock', false],
  ['[Red]hh:mm:ss', 'clock', true],
  ['hh" o\'clock"', 'clock', false],
  ['[h]:mm', 'length', false],
  ['[hh]:mm:ss', 'length', true],
  ['mm:ss.0', 'length', true],
  ['[m]', 'length', false],
  ['[$-409]d/m/yyyy', 'date', false],
  ['yyyy-mm-dd hh:mm', 'date', false],
  ['d. mmmm yyyy', 'date', false],
  ['yyyy"年"m"月"d"日"', 'date', false],
  ['mm', 'date', false],
  ['0" h"', undefined],
];
for (const [code, kind, hasSeconds] of TIMES) {
  test(`the number format ${code} is ${kind ?? 'no time'}`, () => {
    const format = formatOf(code);
    assert.deepEqual(typeof format === 'string' ? undefined : format, kind && { kind, hasSeconds });
  });
}

test('formats that show the number itself are none', () => {
  for (const code of ['', 'General', '0', '0.00E+00', '#,##0', '##0.0E+0', '@', '0'.repeat(300)])
    assert.equal(formatOf(code), undefined, code);
});

const MONEY = '_-* #,##0.00\\ [$€-407]_-;-* #,##0.00\\ [$€-407]_-;_-* "-"??\\ [$€-407]_-;_-@_-';
const NUMBERS: readonly (readonly [code: string, value: number, shown: string])[] = [
  ['00000', 1234, '01234'],
  ['000-00-0000', 1020033, '001-02-0033'],
  ['(###) ###-####', 2025550123, '(202) 555-0123'],
  ['0.0" kg"', 12.34, '12.34 kg'],
  ['0.0" kg"', 12, '12.0 kg'],
  ['0" Stück"', 3, '3 Stück'],
  ['"Nr. "0', 7, 'Nr. 7'],
  ['General" Stk"', 3.5, '3.5 Stk'],
  ['0.00\\ "m²"', 1234.5, '1234.50 m²'],
  ['0.00', 12.5, '12.50'],
  ['0.00', 33.3333333333333, '33.3333333333333'],
  ['#,##0.00', 1234567.1, '1234567.10'],
  ['0.00', 0.1 + 0.2, '0.30'],
  ['0%', 0.125, '12.5%'],
  ['0%', 0.285, '28.5%'],
  ['0%', 1.1 * 3, '330%'],
  ['0.00%', 0.07, '7.00%'],
  ['0.0"%"', 12.5, '12.5%'],
  [MONEY, 1234.1 + 0.2, '1234.30 €'],
  [MONEY, -5, '-5.00 €'],
  [MONEY, 0, '0.00 €'],
  ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', -5, '-$5.00'],
  ['"$"#,##0.00;[Red]\\-"$"#,##0.00', -5, '-$5.00'],
  ['[$CHF-807] 0.00', 5, 'CHF 5.00'],
  ['General" kg"', 12_345_678_901_234, '12345678901234 kg'],
  ['General" kg"', 123456.789012, '123456.789012 kg'],
  ['General" General"', 0.5, '0.5 General'],
  ['+0;-0;0', 3, '+3'],
  ['+0;-0;0', -3, '-3'],
  ['+0;-0;0', 0, '0'],
  ['+0;-0;"-"', 0, '0'],
  ['+0.0;(0.0)', -3.25, '-3.25'],
  ['+General;-General', -1.5, '-1.5'],
  ['"+"0;"-"0', -3, '-3'],
  ['▲ 0;▼ 0', -3, '▼ 3'],
  ['[Red]-0;0', 5, '-5'],
  ['[Red]-0;0', -5, '5'],
  ['0.00;[Red]0.00', -5, '-5.00'],
  ['0.00" €";[Red]0.00', -5, '-5.00'],
  ['0" m/s";[Red]0" m/s"', -5, '-5 m/s'],
  ['0.0%;(0.0%)', -0.125, '-12.5%'],
  ['0.0%;"-"', -0.125, '-12.5%'],
  ['0,"k";-0,"k";"–"', 0, '0k'],
  ['0;0" (loss)"', -5, '5 (loss)'],
  ['0;("loss "0)', -5, '(loss 5)'],
  ['"Yes";"Yes";"No"', -1, 'Yes'],
  ['0;-0;;@', 0, ''],
  ['_ [$CHF-807]\\ * #,##0.00_ ;_ [$CHF-807]\\ * \\-#,##0.00_ ', -1234.5, 'CHF -1234.50'],
  ['#,##0,', 1_234_567, '1234.567'],
  ['0.0,,"M"', 12_345_678, '12.345678M'],
  ['# ?/?', 1.5, '1 1/2'],
  ['# ??/??', 0.3333, '1/3'],
  ['"gain" 0;"loss" 0;"even"', 3, 'gain 3'],
  ['"gain" 0;"loss" 0;"even"', -3, 'loss 3'],
  ['"gain" 0;"loss" 0;"even"', 0, 'even'],
  ['[>=1000]0.0,"k";0', 1500, '1.5k'],
  ['[>=1000]0.0,"k";0', 15, '15'],
  ['[=1]"yes";[=0]"no";0', 1, 'yes'],
  [';;;', 5, ''],
  ['0.00', 1e-9, '1e-9'],
  ['0.0 "x', 5, '5'],
];
for (const [code, value, shown] of NUMBERS) {
  test(`${value} in the format ${code} is ${shown || 'nothing'}`, () => {
    assert.equal(shownNumber(value, formatOf(code)!, DAY0), shown);
  });
}

test('texts are shown with what their format adds', () => {
  assert.equal(shownText('abc', formatOf('0;0;0;"t: "@')), 't: abc');
  assert.equal(shownText(' abc ', formatOf('0.00')), 'abc');
});

test('numbers are shown as times of the day, lengths of time and days', () => {
  const shown = (value: number, code: string) => shownNumber(value, formatOf(code)!, DAY0);
  assert.equal(shown(8.5 / 24, 'h:mm'), '08:30');
  assert.equal(shown(8.5 / 24, 'h:mm:ss'), '08:30:00');
  assert.equal(shown(0.354178, 'h:mm'), '08:30:01', 'seconds are not lost');
  assert.equal(shown(1.5, 'h:mm'), '12:00');
  assert.equal(shown(0, 'h:mm'), '00:00');
  assert.equal(shown(46_000.5, 'h:mm'), '2025-12-09 12:00:00', 'a day with a time');
  assert.equal(shown(1.59375, '[h]:mm'), '38:15');
  assert.equal(shown(5.5, '[h]:mm:ss'), '132:00:00');
  assert.equal(shown(-0.25, '[h]:mm'), '-06:00');
  assert.equal(shown(45_000, 'mmm yy'), '2023-03-15');
  assert.equal(shown(1e15, 'mmm yy'), '1000000000000000', 'no day');
});

test('a style has its own or a built-in format', () => {
  const xml =
    '<numFmts><numFmt numFmtId="170" formatCode="0&quot; kg&quot;"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs>';
  assert.deepEqual(readFormats(xml), [undefined, '0" kg"', '0%']);
});
