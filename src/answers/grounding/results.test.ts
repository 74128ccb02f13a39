import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openResultCheck } from './results.ts';

const REGIONS = {
  sql: "select region, sum(amount) as total from sales where ordered >= '2024-01-01' and amount > 15 group by region",
  columns: ['region', 'total'],
  rows: [
    ['North', 40],
    ['South', 20.5],
    ['East', 1234567],
  ],
};
const check = openResultCheck(REGIONS, 'What is the total of each region?');

describe('numbers', () => {
  test('a number that is a cell is verified, however it is written', () => {
    for (const sentence of [
      'North has a total of 40.',
      'The total of South is 20.50.',
      'East has 1,234,567 in total.',
      'East has a total of 1.234567 million.',
      'North: 40, South: 20.5.',
      'The totals are 20.5 in South and 40 in North.',
    ]) {
      assert.deepEqual([sentence, check(sentence).reason], [sentence, null]);
    }
  });

  test('another number, another name, a swapped row and a negation are not verified', () => {
    for (const [sentence, reason] of [
      ['North has a total of 41.', /no cell 41/],
      ['East has a total of 1.2 million.', /no cell 1\.2 million/],
      ['West has a total of 40.', /lacks “West”/],
      ['North has 20.5 and South has 40.', /not in one row/],
      ['South has a total of 40.', /not in one row/],
      ['North does not have a total of 40.', /negation/],
      ['North has a total of 40, 5 more than before.', /no cell 5/],
      ['North has a total of 40 in the dritte year of all the orders that were made.', /no cell dritte/],
      ['North has the largest total.', /no number/],
    ] as const) {
      const support = check(sentence);
      assert.equal(support.verified, false, sentence);
      assert.match(support.reason!, reason, sentence);
    }
  });

  test('numbers of the conditions may be repeated, but do not verify alone', () => {
    assert.equal(check('North has a total of 40 from orders above 15 in 2024.').verified, true);
    assert.equal(check('The orders are above 15.').verified, false);
    const limited = openResultCheck({ sql: 'select max(x) from t limit 5', columns: ['max'], rows: [[7]] }, '');
    assert.equal(limited('The largest is 5.').verified, false);
  });

  test('a cell may be rounded to the decimals that are written', () => {
    const average = openResultCheck({ sql: 'select avg(x) from t', columns: ['a'], rows: [[33.333333333]] }, '');
    assert.deepEqual(
      ['The average is 33.33.', 'It is 33.3.', 'It is 33.34.', 'It is 33.'].map((one) => average(one).verified),
      [true, true, false, false],
    );
  });
});

test('an ordinal of another language in a name of the statement is no number', () => {
  const league = { sql: 'select sum(points) as total from premier_league', columns: ['total'], rows: [[40]] };
  const { reason } = openResultCheck(league, '')('The total of all the points in the Premier League is 40.');
  assert.equal(reason, null);
});

test('the rows of a sentence are those that it names', () => {
  assert.deepEqual(check('South has 20.5.').rows, [1]);
  assert.deepEqual(check('North has 40 and East has 1234567.').rows, [0, 2]);
});

test('texts without numbers are verified when they name all rows', () => {
  const list = {
    sql: 'select city from t where amount > 15',
    columns: ['city'],
    rows: [['Bonn'], ['New York'], ['York']],
  };
  const cities = openResultCheck(list, 'Which cities?');
  assert.equal(cities('The cities are Bonn, New York and York.').verified, true);
  assert.equal(cities('The cities are Bonn and New York.').verified, false, 'York is a part of New York');
  assert.equal(cities('The cities are Bonn, New York, York and Paris.').verified, false);
});

test('digits in the text of a cell are no numbers, and months of dates are known', () => {
  const models = openResultCheck(
    {
      sql: 'select model, day from t',
      columns: ['model', 'day'],
      rows: [
        ['Model 3', '2024-03-01'],
        ['A-17', '2024-04-02'],
      ],
    },
    '',
  );
  assert.deepEqual(models('The Model 3 came on 1 March 2024.').reason, null);
  assert.deepEqual(models('A-17 came on April 2, 2024.').reason, null);
  assert.equal(models('A-17 came on May 2, 2024.').verified, false);
  assert.equal(models('The Model 4 came on 1 March 2024.').verified, false);
});

test('German nouns of the question are no names', () => {
  const german = openResultCheck(
    { sql: "select sum(betrag) as summe from umsatz where region = 'Nord'", columns: ['summe'], rows: [[1234.5]] },
    'Wie hoch ist der Umsatz der Region Nord in Euro?',
  );
  assert.equal(german('Der Umsatz der Region Nord beträgt 1.234,50 Euro.').reason, null);
  assert.equal(german('Der Umsatz der Region Süd beträgt 1.234,50 Euro.').verified, false);
});

test('an empty result and a result of lists', () => {
  const none = openResultCheck({ sql: 'select a from t', columns: ['a'], rows: [] }, '');
  assert.equal(none('There are 5 of them.').verified, false);
  assert.equal(none('There is nothing.').verified, false);
  const lists = openResultCheck({ sql: 'select list(a) from t', columns: ['a'], rows: [[[1, 2, null]]] }, '');
  assert.equal(lists('The values are 1 and 2.').verified, true);
});
