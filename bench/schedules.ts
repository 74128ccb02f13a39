/**
 * Sends hostile recurrence rules to the API as schedules of a crawl: `npm run bench:schedules`.
 *
 * Prints for each rule the answer, the response time and the time on the service's main thread. Exits with 1 when an answer is
 * unexpected, or when the main thread was busy for longer than MAIN_MS_MAX.
 */
import { openTestApp } from '../test/support/app.ts';
import { scriptedConnectors } from '../test/support/worlds/connector-sources.ts';

const MAIN_MS_MAX = 50;

const range = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, i) => from + i).join(',');
const berlin = 'DTSTART;TZID=Europe/Berlin:20260101T023000\nRRULE:';

const RULES: readonly (readonly [rule: string, status: number])[] = [
  ['FREQ=DAILY', 201],
  ['FREQ=MINUTELY;INTERVAL=15', 201],
  ['FREQ=SECONDLY;INTERVAL=900', 201],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', 201],
  [`${berlin}FREQ=DAILY`, 201],
  [`FREQ=YEARLY;BYSETPOS=-1;BYHOUR=${range(0, 23)};BYMINUTE=${range(0, 59)};BYYEARDAY=1,-1`, 201],
  ['FREQ=SECONDLY;INTERVAL=7;BYMINUTE=0;BYSECOND=1;BYHOUR=3;BYMONTH=12;BYSETPOS=1', 201],
  ['FREQ=DAILY;INTERVAL=-1', 400],
  ['FREQ=DAILY;INTERVAL=0', 400],
  ['FREQ=SECONDLY', 400],
  ['FREQ=MINUTELY', 400],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 400],
  ['FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30', 400],
  ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 400],
  ['FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30', 400],
  ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', 400],
  [`${berlin}FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU`, 400],
  ['FREQ=YEARLY;BYWEEKNO=53;BYYEARDAY=1;BYMONTH=6', 400],
  [`FREQ=YEARLY;BYSETPOS=1,-1;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${range(0, 23)};BYMINUTE=${range(0, 59)}`, 400],
  ['FREQ=DAILY;COUNT=1', 400],
  ['DTSTART:20200101T000000Z\nRRULE:FREQ=DAILY;COUNT=100', 400],
  ['DTSTART:19700101T000000Z\nRRULE:FREQ=SECONDLY;COUNT=10000', 400],
  ['FREQ=DAILY;UNTIL=20200101T000000Z', 400],
  ['DTSTART;TZID=Mars/Olympus:20260101T000000\nRRULE:FREQ=DAILY', 400],
  ['x'.repeat(2_000), 400],
];

const t = await openTestApp({ given: { connectors: scriptedConnectors().connectors } });
const ask = (rrule: string) => t.post('/crawls', { name: 'n', urls: ['https://example.com/'], rrule });
// The first request compiles the route and starts the thread.
await ask('FREQ=WEEKLY');
let isBad = false;
process.stdout.write('answer   after  own thread\n');
for (const [rule, expected] of RULES) {
  const cpu = process.threadCpuUsage();
  const began = performance.now();
  const { status } = await ask(rule);
  const ms = performance.now() - began;
  const { user, system } = process.threadCpuUsage(cpu);
  const mainMs = (user + system) / 1_000;
  const isWrong = status !== expected || mainMs > MAIN_MS_MAX;
  isBad ||= isWrong;
  const shown = rule.length > 90 ? `${rule.slice(0, 90)}…` : rule;
  process.stdout.write(
    `${status} ${ms.toFixed(0).padStart(8)} ms ${mainMs.toFixed(1).padStart(7)} ms  ${shown.replace('\n', ' ')}${isWrong ? '  ← WRONG' : ''}\n`,
  );
}
await t.close();
process.exitCode = isBad ? 1 : 0;
