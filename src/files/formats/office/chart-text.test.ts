import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartText } from './chart-text.ts';

const points = (...texts: string[]) =>
  texts.map((text, index) => (text === '' ? '' : `<c:pt idx="${index}"><c:v>${text}</c:v></c:pt>`)).join('');
const title = (text: string) =>
  `<c:title><c:tx><c:rich><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
const chart = (categories: string, axes = '') =>
  chartText(
    `<c:chartSpace><c:chart>${title('Sales')}<c:plotArea><c:barChart><c:ser><c:cat>${categories}</c:cat><c:val><c:numRef><c:numCache>${points('1', '2', '3')}</c:numCache></c:numRef></c:val></c:ser></c:barChart>${axes}</c:plotArea></c:chart></c:chartSpace>`,
  );

test('each row of a chart has its categories of all levels, the outer level first', () => {
  const levels = `<c:lvl>${points('SF', 'LA', 'London')}</c:lvl><c:lvl>${points('CA', '', 'England')}</c:lvl><c:lvl>${points('US', '', 'GB')}</c:lvl>`;
  const { rows } = chart(`<c:multiLvlStrRef><c:multiLvlStrCache>${levels}</c:multiLvlStrCache></c:multiLvlStrRef>`);
  assert.deepEqual(
    rows.map(([name]) => name),
    ['', 'US / CA / SF', 'US / CA / LA', 'GB / England / London'],
  );
});

test('the caption of a chart contains the title of its value axis', () => {
  const names = `<c:strRef><c:strCache>${points('a', 'b', 'c')}</c:strCache></c:strRef>`;
  assert.equal(chart(names).caption, 'Bar chart: Sales');
  const known = `<c:valAx>${title('Sales')}</c:valAx>`;
  assert.equal(chart(names, known).caption, 'Bar chart: Sales', 'the title says it');
  const axes = `<c:catAx>${title('Quarter')}</c:catAx><c:valAx>${title('Thousand euros')}</c:valAx>`;
  assert.equal(chart(names, axes).caption, 'Bar chart: Sales (in Thousand euros)');
});

test('the numbers of a chart are written in their formats', () => {
  const cache = (format: string, ...values: string[]) =>
    `<c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${values.map((v, i) => `<c:pt idx="${i}"><c:v>${v}</c:v></c:pt>`).join('')}</c:numCache></c:numRef>`;
  const chart = (days: string) =>
    `<c:chartSpace>${days}<c:chart><c:plotArea><c:lineChart><c:ser><c:cat>${cache('m/d/yyyy', '45000')}</c:cat><c:val>${cache('0%', '0.25')}</c:val></c:ser><c:ser><c:val>${cache('General', '4.4000000000000004')}</c:val></c:ser></c:lineChart></c:plotArea></c:chart></c:chartSpace>`;
  assert.deepEqual(chartText(chart('')).rows[1], ['2023-03-15', '25%', '4.4']);
  assert.deepEqual(chartText(chart('<c:date1904 val="1"/>')).rows[1], ['2027-03-16', '25%', '4.4']);
});
