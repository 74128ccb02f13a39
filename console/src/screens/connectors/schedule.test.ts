import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Choice, NO_SCHEDULE, readRule, ruleOf } from './schedule.ts';

const choices: Partial<Choice>[] = [
  { every: 'never' },
  { every: 'hours', hours: 12 },
  { every: 'day', time: '05:30' },
  { every: 'week', days: ['MO', 'TH'], time: '23:05' },
  { every: 'month', dayOfMonth: 15, time: '00:00' },
];

for (const given of choices)
  test(`a schedule of the form is read back from its rule: ${given.every}`, () => {
    const choice = { ...NO_SCHEDULE, ...given };
    const read = readRule(ruleOf(choice, 'Europe/Berlin'));
    assert.deepEqual(read.choice, choice);
    assert.equal(read.zone, ['never', 'hours'].includes(choice.every) ? null : 'Europe/Berlin');
  });

test('rules that the form cannot show are kept as they are', () => {
  for (const rule of [
    'FREQ=DAILY',
    'FREQ=WEEKLY;BYDAY=1MO;BYHOUR=5;BYMINUTE=0',
    'FREQ=DAILY;COUNT=3;BYHOUR=5;BYMINUTE=0',
    'DTSTART;TZID=America/New_York:20260105T060000\nRRULE:FREQ=MONTHLY;BYDAY=1MO',
  ]) {
    const { choice } = readRule(rule);
    assert.equal(choice.every, 'rule', rule);
    assert.equal(ruleOf(choice, 'UTC'), rule);
  }
});

test('a rule without a zone is in UTC', () => {
  assert.deepEqual(readRule('FREQ=DAILY;BYHOUR=5;BYMINUTE=0').zone, 'UTC');
});
