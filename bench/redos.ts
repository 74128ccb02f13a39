/**
 * Measures how long redaction of hostile texts and regexes blocks the event loop: one policy with all detectors, and one policy for each
 * hostile regex, on 1 MB of each hostile text. The unit is CPU time of the thread, so a busy machine does not matter.
 *
 *   npm run bench:redos [-- <characters>]
 */
import { ENTITIES } from '../src/redaction/detectors/entities.ts';
import { compileRedactor, type Redactor } from '../src/redaction/redact.ts';
import { redactorOf } from '../test/support/passages/redaction-corpus.ts';
import { HOSTILE_PATTERNS, hostileTexts } from '../test/support/passages/redos.ts';

const length = Number(process.argv[2] ?? 1_000_000);
const LONGEST_SECONDS = 20;

const regexRedactor = (pattern: string): Redactor =>
  compileRedactor(
    {
      version: 1,
      enabled: true,
      rules: [{ name: 'r', kind: 'regex', pattern, ignore_case: false, action: 'mask', apply_at: ['output'] }],
    },
    new Uint8Array(32),
  );
const policies: [name: string, redactor: Redactor][] = [
  ['every detector', redactorOf(ENTITIES)],
  ...HOSTILE_PATTERNS.map((pattern): [string, Redactor] => [pattern, regexRedactor(pattern)]),
];

/** Returns the CPU time in ms of each turn of the event loop while `run` is in flight. */
async function turnsOf(run: () => Promise<unknown>): Promise<number[]> {
  const turns: number[] = [];
  let isOver = false;
  const used = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let last = used();
  const turn = (): void => {
    const now = used();
    turns.push(now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await run().catch(() => undefined);
  isOver = true;
  return turns.sort((a, b) => a - b);
}

const at = (turns: readonly number[], share: number): number => turns[Math.floor((turns.length - 1) * share)] ?? 0;

console.log(`CPU ms for a turn of the event loop, ${length} characters (cut off after ${LONGEST_SECONDS} s)`);
console.log('rules                    worst text              p50    p99    max  CPU s of all texts');
let worst = 0;
for (const [name, redactor] of policies) {
  let slowest = { text: '', p50: 0, p99: -1, max: 0 };
  const before = process.cpuUsage();
  for (const [text, content] of Object.entries(hostileTexts(length))) {
    const turns = await turnsOf(() => redactor.redact(content, 'output', AbortSignal.timeout(LONGEST_SECONDS * 1_000)));
    if (at(turns, 0.99) > slowest.p99) slowest = { text, p50: at(turns, 0.5), p99: at(turns, 0.99), max: at(turns, 1) };
  }
  const { user, system } = process.cpuUsage(before);
  worst = Math.max(worst, slowest.p99);
  const numbers = [slowest.p50, slowest.p99, slowest.max].map((ms) => ms.toFixed(1).padStart(6)).join(' ');
  console.log(
    `${name.padEnd(24)} ${slowest.text.padEnd(20)} ${numbers} ${((user + system) / 1e6).toFixed(1).padStart(8)}`,
  );
}
console.log(`worst p99: ${worst.toFixed(1)} ms`);
