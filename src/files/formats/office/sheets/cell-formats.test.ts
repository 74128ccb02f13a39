import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formattedCells, formattedStyles, shownText } from './cell-formats.ts';

const CODES: readonly (readonly [code: string, format: string | undefined])[] = [
  ['h:mm', 'clock'],
  ['[$-409]h:mm AM/PM;@', 'clock'],
  ['[Red]hh:mm:ss', 'clock-seconds'],
  ['hh&quot; o&apos;clock&quot;', 'clock'],
  ['[h]:mm', 'length'],
  ['[hh]:mm:ss', 'length-seconds'],
  ['mm:ss.0', 'length-seconds'],
  ['[m]', 'length'],
  ['0.0%', 'percent'],
  ['#,##0.00\\ &quot;€&quot;', 'after €'],
  ['_-* #,##0.00\\ [$€-407]_-;-* #,##0.00\\ [$€-407]_-', 'after €'],
  ['[$CHF-807] 0.00', 'before CHF'],
  ['&quot;$&quot;#,##0.00;[Red]\\-&quot;$&quot;#,##0.00', 'before $'],
  ['$0', 'before $'],
  ['[$-407]0.00', undefined],
  ['[$-409]d/m/yyyy', undefined],
  ['yyyy-mm-dd hh:mm', undefined],
  ['mm', undefined],
  ['0.00', undefined],
  ['0&quot; h&quot;', undefined],
  ['General', undefined],
];
for (const [code, format] of CODES) {
  test(`the number format ${code} is ${format ?? 'none of money, percent, clock and length'}`, () => {
    const xml = `<numFmts><numFmt numFmtId="170" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>`;
    const styles = formattedStyles(xml);
    assert.equal(styles.get('1'), format);
    const cells = formattedCells('<c r="B2" s="1"><v>1</v></c><c r="B3" s="0"><v>1</v></c>', styles);
    assert.deepEqual([...cells], format === undefined ? [] : [['B2', format]]);
  });
}

test('numbers are shown as amounts of money, percents, times of the day and lengths of time', () => {
  const shown = (value: number, format: Parameters<typeof shownText>[1]) => shownText(value, format);
  assert.equal(shown(0.125, 'percent'), '12.5%');
  assert.equal(shown(1234.1 + 0.2, 'after €'), '1234.3 €');
  assert.equal(shown(-5, 'before $'), '-$5');
  assert.equal(shown(8.5 / 24, 'clock'), '08:30');
  assert.equal(shown(8.5 / 24, 'clock-seconds'), '08:30:00');
  assert.equal(shown(0.354178, 'clock'), '08:30:01', 'seconds are not lost');
  assert.equal(shown(1.5, 'clock'), '12:00');
  assert.equal(shown(0, 'clock'), '00:00');
  assert.equal(shown(46_000.5, 'clock'), undefined, 'a day with a time');
  assert.equal(shown(1.59375, 'length'), '38:15');
  assert.equal(shown(5.5, 'length-seconds'), '132:00:00');
  assert.equal(shown(-0.25, 'length'), '-06:00');
  assert.equal(shown(1e9, 'length'), undefined);
});
