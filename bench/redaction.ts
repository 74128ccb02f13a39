/**
 * Measures the detectors of redaction: precision and recall on test/redaction/corpus for each entity and locale, and their
 * processor time.
 *
 *   npm run bench:redaction [-- --failures]
 */
import { ENTITIES } from '../src/redaction/detectors/entities.ts';
import { rates, readCorpus, redactorOf, scoreOf } from '../test/support/passages/redaction-corpus.ts';

const showsFailures = process.argv.includes('--failures');
const percent = (share: number) => share.toFixed(3).padStart(9);

console.log('entity             locale  positives  near misses  precision  recall');
for (const entity of ENTITIES) {
  const scores = await scoreOf(entity);
  for (const score of scores) {
    const { precision, recall } = rates([score]);
    console.log(
      `${entity.padEnd(18)} ${score.locale.padEnd(6)} ${String(score.positives).padStart(10)} ${String(score.nearMisses).padStart(12)}  ${percent(precision)} ${percent(recall)}`,
    );
    if (showsFailures) for (const failure of score.failures) console.log(`    ${failure}`);
  }
  const all = rates(scores);
  if (scores.length > 1)
    console.log(`${entity.padEnd(18)} all${' '.repeat(28)} ${percent(all.precision)} ${percent(all.recall)}`);
}

const all = redactorOf(ENTITIES);
const lines = ENTITIES.flatMap((entity) => readCorpus(entity).map(({ text }) => text));
const PROSE =
  'The Senate convened at noon, and the clerk read the minutes of the 12th of March, 1921; 34 members were present. ';
/** Dense: every line has a match or a near miss. Sparse: one line of the corpus for every kilobyte of prose. */
const texts = {
  dense: lines.join('\n'),
  sparse: lines
    .slice(0, 500)
    .map((line) => PROSE.repeat(9) + line)
    .join('\n'),
  prose: PROSE.repeat(5_000),
};
console.log('\ntext      MB  CPU s   MB/s  ms for 2 kB');
for (const [name, text] of Object.entries(texts)) {
  await all.redact(text.slice(0, 50_000), 'output');
  const before = process.cpuUsage();
  await all.redact(text, 'output');
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  const chunks = Math.floor(Math.min(text.length, 1_000_000) / 2_000);
  const start = process.cpuUsage();
  for (let i = 0; i < chunks; i++) await all.redact(text.slice(i * 2_000, (i + 1) * 2_000), 'output');
  const used = process.cpuUsage(start);
  const megabytes = Buffer.byteLength(text) / 1e6;
  console.log(
    `${name.padEnd(8)} ${megabytes.toFixed(1).padStart(4)} ${seconds.toFixed(2).padStart(6)} ${(megabytes / seconds).toFixed(1).padStart(6)} ${((used.user + used.system) / 1e3 / chunks).toFixed(2).padStart(12)}`,
  );
}
