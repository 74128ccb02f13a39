import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkRule, nextOccurrences } from './schedule.ts';
import { NEXT_TIMES } from './schedule-limits.ts';

const ANCHOR = new Date('2026-01-05T09:30:20.750Z');
const times = (rule: string, after: string, count = 3, anchor = ANCHOR): string[] =>
  nextOccurrences(rule, anchor, new Date(after), count).map((time) => time.toISOString());

describe('the start of a rule is', () => {
  test('the anchor in UTC, to the second, without DTSTART', () => {
    assert.deepEqual(times('FREQ=DAILY', '2026-01-05T09:30:20.750Z', 2), [
      '2026-01-06T09:30:20.000Z',
      '2026-01-07T09:30:20.000Z',
    ]);
    assert.deepEqual(times('RRULE:FREQ=HOURLY;INTERVAL=5', '2026-01-06T00:00:00Z', 2), [
      '2026-01-06T00:30:20.000Z',
      '2026-01-06T05:30:20.000Z',
    ]);
  });

  test('DTSTART in its zone, in UTC, or at midnight of a day', () => {
    const at = (start: string) => times(`${start}\nRRULE:FREQ=DAILY`, '2026-07-01T00:00:00Z', 1)[0];
    assert.equal(at('DTSTART;TZID=Europe/Berlin:20260105T060000'), '2026-07-01T04:00:00.000Z');
    assert.equal(at('DTSTART:20260105T060000Z'), '2026-07-01T06:00:00.000Z');
    assert.equal(at('DTSTART:20260105T060000'), '2026-07-01T06:00:00.000Z');
    assert.equal(at('DTSTART;VALUE=DATE:20260105'), '2026-07-02T00:00:00.000Z');
  });

  test('the anchor in the zone of a rule that names only a zone', () => {
    assert.deepEqual(
      times('FREQ=DAILY;BYHOUR=6;BYMINUTE=0;BYSECOND=0;TZID=America/New_York', '2026-07-01T00:00:00Z', 1),
      ['2026-07-01T10:00:00.000Z'],
    );
  });

  test('read from folded lines and from names in lower case', () => {
    assert.deepEqual(times('dtstart:20260105T060000Z\r\nrrule:freq=weekly;\r\n byday=mo', '2026-02-01T00:00:00Z', 1), [
      '2026-02-02T06:00:00.000Z',
    ]);
  });
});

/** Returns the local time by the rules of the zone, without the library under test. */
function local(time: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).formatToParts(time);
  const part = (type: string) => parts.find((one) => one.type === type)?.value;
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}

describe('over a year with daylight saving time', () => {
  const DAY_MS = 24 * 3_600_000;
  const START = '2026-01-01T00:00:00Z';

  for (const timeZone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC']) {
    test(`a daily rule at 06:45 occurs at 06:45 local time on every day in ${timeZone}`, () => {
      const rule = `DTSTART;TZID=${timeZone}:20251231T064500\nRRULE:FREQ=DAILY`;
      let at = new Date(START);
      const days = new Set<string>();
      for (let day = 0; day < 365; day++) {
        // One call for each occurrence, as the service does.
        at = nextOccurrences(rule, ANCHOR, at, 1)[0]!;
        const [date = '', time] = local(at, timeZone).split(' ');
        assert.equal(time, '06:45', at.toISOString());
        days.add(date);
      }
      assert.equal(days.size, 365);
      assert.ok(Math.abs(at.getTime() - new Date(START).getTime() - 365 * DAY_MS) < 1.5 * DAY_MS, at.toISOString());
    });
  }

  test('a daily rule moves in UTC when the clocks change', () => {
    const berlin = 'DTSTART;TZID=Europe/Berlin:20260101T060000\nRRULE:FREQ=DAILY';
    assert.deepEqual(times(berlin, '2026-03-27T12:00:00Z'), [
      '2026-03-28T05:00:00.000Z',
      '2026-03-29T04:00:00.000Z',
      '2026-03-30T04:00:00.000Z',
    ]);
    assert.deepEqual(times(berlin, '2026-10-23T12:00:00Z'), [
      '2026-10-24T04:00:00.000Z',
      '2026-10-25T05:00:00.000Z',
      '2026-10-26T05:00:00.000Z',
    ]);
    // Half an hour, and at two o'clock.
    const lordHowe = 'DTSTART;TZID=Australia/Lord_Howe:20260101T060000\nRRULE:FREQ=DAILY';
    assert.deepEqual(times(lordHowe, '2026-04-03T00:00:00Z'), [
      '2026-04-03T19:00:00.000Z',
      '2026-04-04T19:30:00.000Z',
      '2026-04-05T19:30:00.000Z',
    ]);
  });

  test('a time that does not exist on a day is skipped, and a time that exists twice occurs once', () => {
    const berlin = 'DTSTART;TZID=Europe/Berlin:20260101T023000\nRRULE:FREQ=DAILY';
    assert.deepEqual(times(berlin, '2026-03-28T00:00:00Z', 2), [
      '2026-03-28T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    assert.deepEqual(times(berlin, '2026-10-24T12:00:00Z', 2), [
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  test('an hourly rule occurs once in the two hours of the same name when summer time ends', () => {
    const found = times('FREQ=HOURLY;TZID=Europe/Berlin', '2026-10-24T23:59:00Z', 3).map((time) => time.slice(8, 16));
    assert.deepEqual(found, ['25T00:30', '25T02:30', '25T03:30']);
  });

  test('occurrences every six hours stay six hours apart', () => {
    const rule = 'DTSTART;TZID=America/New_York:20260307T000000\nRRULE:FREQ=HOURLY;INTERVAL=6';
    const found = nextOccurrences(rule, ANCHOR, new Date('2026-03-07T04:00:00Z'), 12);
    for (const [i, time] of found.slice(1).entries())
      assert.equal(time.getTime() - found[i]!.getTime(), 6 * 3_600_000, time.toISOString());
  });
});

describe('the days of the rule', () => {
  const cases: readonly [rule: string, after: string, expected: string[]][] = [
    ['FREQ=MONTHLY;BYMONTHDAY=31', '2026-01-31T12:00:00Z', ['2026-03-31', '2026-05-31', '2026-07-31']],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-01-31T12:00:00Z', ['2026-02-28', '2026-03-31', '2026-04-30']],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2026-01-06T00:00:00Z', ['2028-02-29', '2032-02-29', '2036-02-29']],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2026-01-06T00:00:00Z', ['2026-01-30', '2026-02-27', '2026-03-27']],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      '2026-01-06T00:00:00Z',
      ['2026-01-30', '2026-02-27', '2026-03-31'],
    ],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU', '2026-01-06T12:00:00Z', ['2026-01-18', '2026-01-20', '2026-02-01']],
    ['FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO', '2026-01-06T00:00:00Z', ['2026-12-28', '2032-12-27', '2037-12-28']],
    ['FREQ=YEARLY;BYYEARDAY=-1', '2026-01-06T00:00:00Z', ['2026-12-31', '2027-12-31', '2028-12-31']],
    ['FREQ=DAILY;COUNT=3', '2026-01-05T12:00:00Z', ['2026-01-06', '2026-01-07']],
    ['FREQ=DAILY;UNTIL=20260107T093020Z', '2026-01-05T12:00:00Z', ['2026-01-06', '2026-01-07']],
    ['FREQ=DAILY;UNTIL=20260107', '2026-01-05T12:00:00Z', ['2026-01-06', '2026-01-07']],
    ['FREQ=MINUTELY;INTERVAL=1440', '2027-01-05T12:00:00Z', ['2027-01-06', '2027-01-07', '2027-01-08']],
    ['FREQ=SECONDLY;INTERVAL=86400', '2030-01-05T12:00:00Z', ['2030-01-06', '2030-01-07', '2030-01-08']],
  ];
  for (const [rule, after, expected] of cases) {
    test(rule, () =>
      assert.deepEqual(
        times(rule, after),
        expected.map((day) => `${day}T09:30:20.000Z`),
      ),
    );
  }
});

test('a date in UNTIL is the last day in the zone of the rule', () => {
  const rule = 'FREQ=DAILY;BYHOUR=23;TZID=America/New_York;UNTIL=20260107';
  assert.deepEqual(times(rule, '2026-01-07T12:00:00Z'), ['2026-01-08T04:30:20.000Z']);
});

test('a rule with very many candidates is evaluated', () => {
  const rule = `FREQ=YEARLY;BYSETPOS=-1;BYHOUR=${range(0, 23)};BYMINUTE=${range(0, 59)};BYYEARDAY=1,-1`;
  assert.deepEqual(times(rule, '2026-01-06T00:00:00Z', 2), ['2026-12-31T23:59:20.000Z', '2027-12-31T23:59:20.000Z']);
});

describe('rules that are refused', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  const refused: readonly (readonly [rule: string, why: RegExp])[] = [
    ['', /needs FREQ/],
    ['every day', /unknown part/],
    ['FREQ=', /FREQ/],
    ['FREQ=FORTNIGHTLY', /FREQ/],
    ['FREQ=DAILY;INTERVAL=-1', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=0', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=1.5', /INTERVAL/],
    ['FREQ=DAILY;INTERVAL=99999999999', /INTERVAL/],
    ['FREQ=SECONDLY', /15 minutes/],
    ['FREQ=MINUTELY', /15 minutes/],
    ['FREQ=MINUTELY;INTERVAL=14', /15 minutes/],
    ['FREQ=SECONDLY;INTERVAL=899', /15 minutes/],
    ['FREQ=HOURLY;BYMINUTE=0,10', /15 minutes/],
    ['FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,59', /15 minutes/],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', /no occurrence/],
    ['FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30', /no occurrence/],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', /no occurrence/],
    ['FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30', /no occurrence/],
    ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', /no occurrence/],
    ['FREQ=DAILY;COUNT=1', /no occurrence/],
    ['FREQ=DAILY;COUNT=100', /no occurrence/],
    ['FREQ=DAILY;COUNT=0', /COUNT/],
    ['FREQ=DAILY;COUNT=10001', /COUNT/],
    ['FREQ=DAILY;UNTIL=20260131T000000Z', /no occurrence/],
    ['FREQ=DAILY;UNTIL=20260230', /UNTIL/],
    ['FREQ=DAILY;UNTIL=20271231T060000', /must have in UNTIL a date such as 20301231, or a time in UTC such as/],
    ['DTSTART;TZID=Europe/Berlin:20260101T060000\nRRULE:FREQ=DAILY;UNTIL=20271231T060000', /a time in UTC such as/],
    ['FREQ=DAILY;COUNT=9;UNTIL=20300101', /not both/],
    ['FREQ=YEARLY;INTERVAL=500', /no occurrence/],
    ['FREQ=YEARLY;INTERVAL=9999999', /no occurrence/],
    ['DTSTART:29990101T000000Z\nRRULE:FREQ=DAILY', /no occurrence/],
    ['DTSTART:20260230T000000Z\nRRULE:FREQ=DAILY', /DTSTART/],
    ['DTSTART:tomorrow\nRRULE:FREQ=DAILY', /DTSTART/],
    ['DTSTART:20260101T000000Z\nDTSTART:20260101T000000Z\nRRULE:FREQ=DAILY', /more than one DTSTART/],
    ['RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY', /more than one RRULE/],
    ['RRULE:FREQ=DAILY\nEXDATE:20260101T000000Z', /EXDATE/],
    ['DTSTART;TZID=Mars/Olympus:20260101T000000\nRRULE:FREQ=DAILY', /TZID/],
    ['DTSTART;TZID=+02:00:20260101T000000\nRRULE:FREQ=DAILY', /DTSTART|TZID/],
    ['FREQ=DAILY;TZID=../../etc/passwd', /TZID/],
    ['FREQ=DAILY;FREQ=WEEKLY', /twice/],
    ['FREQ=DAILY;BYHOUR=25', /BYHOUR/],
    ['FREQ=DAILY;BYHOUR=', /BYHOUR/],
    ['FREQ=DAILY;BYSECOND=60', /BYSECOND/],
    ['FREQ=DAILY;BYDAY=XX', /BYDAY/],
    ['FREQ=DAILY;BYMONTH=13', /BYMONTH/],
    ['FREQ=DAILY;BYMONTHDAY=32', /BYMONTHDAY/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY/],
    ['FREQ=DAILY;BYDAY=1MO', /weekdays/],
    ['FREQ=MONTHLY;BYWEEKNO=1', /BYWEEKNO/],
    ['FREQ=DAILY;BYYEARDAY=1', /BYYEARDAY/],
    ['FREQ=YEARLY;BYSETPOS=1', /BYSETPOS/],
    ['FREQ=YEARLY;BYMONTH=1;BYSETPOS=367', /BYSETPOS/],
    ['FREQ=YEARLY;RSCALE=CHINESE', /unknown part "RSCALE"/],
    ['FREQ=DAILY;__proto__=1', /unknown part/],
    ['FREQ=DAILY;constructor=1', /unknown part/],
  ];
  for (const [rule, why] of refused) {
    test(JSON.stringify(rule.slice(0, 70)), () => {
      assert.throws(() => checkRule(rule, ANCHOR, now, NEXT_TIMES), { name: 'RuleProblem', message: why });
    });
  }

  test('rules just within the limits are accepted', () => {
    for (const rule of [
      'FREQ=MINUTELY;INTERVAL=15',
      'FREQ=SECONDLY;INTERVAL=900',
      'FREQ=HOURLY;BYMINUTE=0,15,30,45',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
      'FREQ=DAILY;COUNT=1000',
      'FREQ=DAILY;UNTIL=20300131T000000Z',
      'FREQ=YEARLY;INTERVAL=90',
      'FREQ=YEARLY;BYMONTH=1;BYDAY=MO;BYSETPOS=1',
    ])
      assert.ok(checkRule(rule, ANCHOR, now, NEXT_TIMES).length > 0, rule);
    assert.equal(checkRule('FREQ=DAILY', ANCHOR, now, NEXT_TIMES).length, NEXT_TIMES);
  });
});

function range(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i).join(',');
}
