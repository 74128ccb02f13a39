import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePointLength } from '../../util/code-points.ts';
import { claimOf } from './claims.ts';
import { evidenceOf, findSupport, QUOTE_CODE_POINTS_MAX } from './verify.ts';

const supports = (sentence: string, content: string, language: string | null = 'en') =>
  findSupport([claimOf(sentence, language)], evidenceOf(content, language));

const POLICY = [
  'Leave policy',
  '',
  'The handbook applies to all sites of Contoso Ltd. in Europe. Employees get 25 days of paid leave per year.',
  'Up to five days may be carried over until 31 March. Unused days are not paid out.',
  'Alice Meyer approves requests, but Bob Stone does not approve travel.',
].join('\n');

test('a sentence copied from the chunk is verified, and the quote is this sentence', () => {
  const { quote, verified } = supports('Employees get 25 days of paid leave per year.', POLICY);
  assert.equal(verified, true);
  assert.equal(quote, 'Employees get 25 days of paid leave per year.');
});

test('a paraphrase with the same numbers and names is verified', () => {
  assert.equal(supports('Every employee gets 25 days of leave a year.', POLICY).verified, true);
  assert.equal(supports('Unused days are not paid.', POLICY).verified, true);
  assert.equal(supports('5 days may be carried over until 31 March.', POLICY).verified, true);
});

test('copied lines are verified where each has the same number', () => {
  const item =
    '- relay.clients\n  - description: maximum number of clients (0 = no limit)\n  - values: 0 .. 2147483647';
  const list = `- relay.bind\n  - description: address\n${item}\n  - default value: 5`;
  assert.equal(supports(item, list).verified, true);
  assert.equal(supports(item.replace('0 ..', '1 ..'), list).verified, false);
});

test('an altered number, name or negation is not verified', () => {
  for (const sentence of [
    'Employees get 30 days of paid leave per year.',
    'Employees get 25.5 days of paid leave per year.',
    'Up to six days may be carried over until 31 March.',
    'Up to five days may be carried over until 31 May.',
    'Carol Meyer approves requests.',
    'Requests are approved by Alice Stoner.',
    'Unused days are paid out.',
    'Employees do not get 25 days of paid leave per year.',
    'Bob Stone does approve travel.',
    'Employees get no paid leave per year.',
  ]) {
    assert.equal(supports(sentence, POLICY).verified, false, sentence);
  }
});

test('a name is not another one because the stem of one is short', () => {
  const duke =
    'The family proclaimed Guaimar IV of Salerno "Duke of Apulia and Calabria". The PCs, Ages and Bakers stay. See Use.';
  assert.equal(supports('The family proclaimed Guaimar of Salerno "Duke of Ives and Calabria".', duke).verified, false);
  assert.equal(supports('The Duke of Ives proclaimed IV.', 'The Duke of Ives proclaimed a war.').verified, false);
  assert.equal(supports('The PC, Age and Baker stay.', duke).verified, true);
  assert.equal(supports('See the Uses.', duke).verified, true);
});

test('exponents are compared in every notation', () => {
  const content = 'The stamp covers 5 cm^2 of the letter. The jar holds 10^23 particles at 4 m^{−2}s.';
  for (const sentence of [
    'The stamp covers 5 cm².',
    'The stamp covers 5 cm2.',
    'The jar holds 10²³ particles.',
    'The jar holds particles at 4 m⁻²s.',
  ])
    assert.equal(supports(sentence, content).verified, true, sentence);
  for (const sentence of [
    'The stamp covers 5 cm³.',
    'The stamp covers 5 cm.',
    'The stamp covers 52 cm.',
    'The jar holds 1023 particles.',
    'The jar holds 10³² particles.',
    'The jar holds 10 particles.',
  ])
    assert.equal(supports(sentence, content).verified, false, sentence);
});

test('a number with the mark of a note is verified without it', () => {
  for (const content of ['The firm has 25^1 employees.', 'The firm has 25¹ employees.'])
    assert.equal(supports('The firm has 25 employees.', content).verified, true, content);
  assert.equal(supports('The firm has 251 employees.', 'The firm has 25^1 employees.').verified, false);
});

test('a sentence about something else is not verified', () => {
  assert.equal(supports('The cafeteria serves vegetarian meals daily.', POLICY).verified, false);
  assert.equal(supports('', POLICY).verified, false);
  assert.equal(supports('Employees get 25 days.', '').verified, false);
});

test('sentences in Japanese, Chinese, Thai and Korean are verified, and altered ones are not', () => {
  const ja = '社員は年間25日の有給休暇を取得できます。未使用の休暇は翌年に繰り越せません。申請は田中部長が承認します。';
  assert.equal(supports('社員は年間25日の有給休暇を取得できます。', ja, 'ja').verified, true);
  assert.equal(supports('社員は年間二十五日の有給休暇を取得できる。', ja, 'ja').verified, true);
  assert.equal(supports('社員は年間30日の有給休暇を取得できます。', ja, 'ja').verified, false);
  assert.equal(supports('未使用の休暇は翌年に繰り越せます。', ja, 'ja').verified, false);
  const zh = '员工每年享有25天带薪年假。未使用的年假不能结转到下一年。';
  assert.equal(supports('未使用的年假不能结转到下一年。', zh, 'zh').verified, true);
  assert.equal(supports('员工每年享有26天带薪年假。', zh, 'zh').verified, false);
  assert.equal(supports('未使用的年假能结转到下一年。', zh, 'zh').verified, false);
  const th = 'พนักงานได้รับวันหยุดพักร้อน 25 วันต่อปี วันหยุดที่ไม่ได้ใช้ไม่สามารถยกไปปีถัดไปได้';
  assert.equal(supports('พนักงานได้รับวันหยุดพักร้อน 25 วันต่อปี', th, 'th').verified, true);
  assert.equal(supports('พนักงานได้รับวันหยุดพักร้อน 30 วันต่อปี', th, 'th').verified, false);
  const ko = '직원은 매년 25일의 유급 휴가를 받습니다. 사용하지 않은 휴가는 이월되지 않습니다.';
  assert.equal(supports('직원은 매년 25일의 유급 휴가를 받습니다.', ko, 'ko').verified, true);
  assert.equal(supports('직원은 매년 20일의 유급 휴가를 받습니다.', ko, 'ko').verified, false);
});

test('sentences in German and Russian are verified, and altered ones are not', () => {
  const de = 'Mitarbeiter erhalten 30 Tage Urlaub. Resturlaub verfällt am 31. März nicht.';
  assert.equal(supports('Mitarbeiter erhalten 30 Tage Urlaub.', de, 'de').verified, true);
  assert.equal(supports('Mitarbeiter erhalten 28 Tage Urlaub.', de, 'de').verified, false);
  assert.equal(supports('Resturlaub verfällt am 31. März.', de, 'de').verified, false);
  const ru = 'Сотрудники получают 28 дней отпуска. Неиспользованные дни не выплачиваются.';
  assert.equal(supports('Неиспользованные дни не выплачиваются.', ru, 'ru').verified, true);
  assert.equal(supports('Неиспользованные дни выплачиваются.', ru, 'ru').verified, false);
});

test('an ordinal of an answer in another language than the passage is compared as a number', () => {
  const passage = 'The second update of module FI-CO contains corrections.';
  for (const sentence of ['zweite update of module FI-CO', 'Module FI-CO: das zweite update'])
    assert.equal(supports(sentence, passage).verified, true, sentence);
  for (const sentence of [
    'dritte update of module FI-CO',
    'Dritte update of module FI-CO',
    'Module FI-CO: das dritte update',
  ]) {
    const { verified, isRefuted, reason } = supports(sentence, passage);
    assert.deepEqual({ verified, isRefuted }, { verified: false, isRefuted: true }, sentence);
    assert.match(reason!, /lacks the number dritte/i);
  }
  assert.equal(supports('vierter update of module FI-CO', passage).isRefuted, true);
});

test('an ordinal of another language in a name is not compared as a number', () => {
  const passage =
    'The clubs of the Premier League play at weekends. The Premier League has many clubs from Manchester.';
  for (const sentence of [
    'Clubs of the Premier League play at weekends.',
    'Premier League clubs play at weekends.',
    'Clubs of the Premier League play at weekends, and the Premier League has many clubs.',
  ])
    assert.equal(supports(sentence, passage).verified, true, sentence);
  assert.equal(supports('Clubs of the first league play at weekends.', passage).isRefuted, true);
  assert.equal(
    supports('Clubs of the Premier League play at weekends.', 'Clubs of the league play at weekends.').isRefuted,
    true,
  );
});

test('a quote is no longer than its limit, even from one very long sentence', () => {
  const long = `The rule of ${'very '.repeat(200)}long texts holds for 77 cases, ${'and more '.repeat(100)}.`;
  const { quote, verified } = supports('It holds for 77 cases.', long);
  assert.ok(codePointLength(quote) <= QUOTE_CODE_POINTS_MAX, String(codePointLength(quote)));
  assert.ok(long.includes(quote));
  assert.equal(verified, true);
  const emoji = supports('x', '😀'.repeat(2000));
  assert.ok(codePointLength(emoji.quote) <= QUOTE_CODE_POINTS_MAX && emoji.quote.isWellFormed());
});

test('a sentence that is too long is not verified, and its reason says so', () => {
  const long = `${'Employees get 25 days of paid leave per year, and '.repeat(40)}.`;
  const { verified, reason, isRefuted } = supports(long, POLICY);
  assert.deepEqual([verified, reason, isRefuted], [false, 'The sentence is too long to be checked.', true]);
});

test('a number or a name of a part without a word of the sentence does not count', () => {
  const plans = 'All buses pay 15% of the toll. The crew of 12 to 15 workers paints arches.';
  assert.equal(supports('All buses pay 15% of the toll.', plans).verified, true);
  assert.equal(supports('All buses pay 15 of the toll.', plans).verified, false);
});

test('an option of a program is a name', () => {
  const passage = 'With --dry-run nothing is written to the disk. The option -v prints the names of all files.';
  for (const sentence of [
    'Nothing is written with --dry-run.',
    'The option -v prints all names of files.',
    'A dry run writes nothing to the disk.',
  ])
    assert.equal(supports(sentence, passage).isRefuted, false, sentence);
  for (const [sentence, name] of [
    ['With --dry-start nothing is written to the disk.', '--dry-start'],
    ['The option -V prints the names of all files.', '-V'],
    ['With --no-dry-run nothing is written to the disk.', '--no-dry-run'],
    ['With --run nothing is written to the disk.', '--run'],
  ])
    assert.equal(supports(sentence!, passage).reason, `The passage lacks the name ${name}.`);
  for (const name of ['-a', '-b', '-m'])
    assert.equal(
      supports(`Send a letter or an e-mail with ${name}.`, 'Send a letter or an e-mail with --verbose or -v.').reason,
      `The passage lacks the name ${name}.`,
    );
  assert.equal(supports('使用-q可显示名称。', '使用-v可显示名称。', 'zh').reason, 'The passage lacks the name -q.');
});

test('an option that the passage writes in another way is supported', () => {
  for (const [sentence, passage] of [
    ['With --color the output has colours.', '--[no-]color: the output has colours.'],
    ['The option --no-color sets the colours.', 'The option --[no-]color sets the colours.'],
    ['With --dryRun nothing is written.', 'With --dryRun nothing is written to the disk.'],
    ['With --verbose all names are printed.', 'Verbose: all names are printed.'],
    ['使用-v显示所有名称。', '使用-v可显示所有名称。'],
    ['使用--verbose显示所有名称。', '使用--verbose可显示所有名称。'],
    ['With --dry-run nothing is written to the disk.', 'With –dry-run nothing is written to the disk.'],
    ['With --dry-run nothing is written to the disk.', 'With ‐‐dry‑run nothing is written to the disk.'],
    ['With ‑‑dry‑run nothing is written to the disk.', 'With --dry-run nothing is written to the disk.'],
    ['With -dry-run nothing is written to the disk.', 'With --dry-run nothing is written to the disk.'],
    ['With --dry-run nothing is written to the disk.', 'In a dry-run nothing is written to the disk.'],
    ['The option -v prints all names.', 'The option –v prints all names.'],
    ['The option -a copies all files.', 'The options -avz copy all files.'],
    ['The tool runs with -j for jobs.', 'The tool runs with -j4 for four jobs.'],
    ['-Berlin is the capital of Germany.', 'Berlin is the capital of Germany.'],
    ['The file --large or small-- is read.', 'The file (large or small) is read.'],
  ])
    assert.equal(supports(sentence!, passage!).verified, true, sentence);
  const hyphen = supports(
    'Kundendaten und -adressen werden gespeichert.',
    'Kundendaten und Kundenadressen werden gespeichert.',
    'de',
  );
  assert.equal(hyphen.verified, true);
});

test('in scripts without capitals a word that the passage lacks is not verified', () => {
  assert.equal(supports('다리는 광주에서 열렸다.', '다리는 부산에서 열렸다.', 'ko').verified, false);
  assert.equal(supports('다리가 부산에서 열렸다.', '다리는 부산에서 열렸다.', 'ko').verified, true);
  assert.equal(supports('南南戰爭爆發。', '南北戰爭爆發。', 'zh').verified, false);
});

test('words and names decide less than numbers: only then may a model decide otherwise', () => {
  assert.equal(supports('Workers receive 25 days of holidays.', POLICY).isRefuted, false);
  assert.equal(supports('Workers receive 30 days of holidays.', POLICY).isRefuted, true);
  assert.equal(supports('Unused days are paid out.', POLICY).isRefuted, true);
});

test('two sentences share a quote when one quote supports both', () => {
  const evidence = evidenceOf(POLICY, 'en');
  const both = findSupport(
    ['Employees get 25 days of paid leave per year.', 'Unused days are not paid out.'].map((text) =>
      claimOf(text, 'en'),
    ),
    evidence,
  );
  assert.equal(both.verified, true);
  assert.match(both.quote, /^Employees get 25[\s\S]*paid out\.$/);
});

test('an altered identifier is not verified in any script', () => {
  assert.equal(supports('갤럭시 S6과 S7은 같은 디자인이다.', '갤럭시 S6과 S7은 같은 디자인이다.', 'ko').verified, true);
  assert.equal(
    supports('갤럭시 S96과 S7은 같은 디자인이다.', '갤럭시 S6과 S7은 같은 디자인이다.', 'ko').verified,
    false,
  );
  assert.equal(
    supports('エラーERR_4013は接続の失敗を示します。', 'エラーERR_4012は接続の失敗を示します。', 'ja').verified,
    false,
  );
  assert.equal(supports('Version v1.2.4 fixes the crash.', 'Version v1.2.3 fixes the crash.').verified, false);
  assert.equal(supports('Row 3_1_24 is empty.', 'Row 3_1_23 is empty.').verified, false);
});

test('a piece of a long sentence that begins in the middle of a clause is verified', () => {
  const long = `A survey shows that none of the ${'carefully measured '.repeat(12)}values is adequate for 4 flows, and that the ${'newer '.repeat(30)}method is.`;
  const { parts } = evidenceOf(long, 'en');
  assert.ok(parts.length > 1);
  for (const { start, end } of parts)
    assert.equal(supports(long.slice(start, end), long).verified, true, long.slice(start, end));
});

test('whole sentences of a passage negate what the passage negates, also where its quote must leave some of them out', () => {
  const steps = Array.from(
    { length: 4 },
    (_, i) => `In step ${'abcd'[i]} the daemon reads the table of mounted disks again.`,
  );
  const copied = [
    'The daemon never unmounts a disk that is in use.',
    ...steps,
    'It waits until the disk is idle.',
  ].join(' ');
  assert.ok(codePointLength(copied) > QUOTE_CODE_POINTS_MAX);
  assert.equal(supports(copied, `${copied} After that it stops.`).verified, true);
  const wrapped =
    'This part names what the client does\nnot support or does not fully implement.\n\nIt always pipelines.';
  assert.equal(
    supports('This part names what the client does not support or does not fully implement.', wrapped).verified,
    true,
  );
  const part = supports('that days lapse', 'It is not true that days lapse.');
  assert.equal(part.reason, 'The passage and the sentence differ in a negation.');
});

test('an unverified sentence has a reason: the number, the name or the words that the passage lacks', () => {
  const reason = (sentence: string): string | null => supports(sentence, POLICY).reason;
  assert.equal(reason('Every employee gets 25 days of leave a year.'), null);
  assert.equal(reason('Every employee gets 28 days of leave a year.'), 'The passage lacks the number 28.');
  const negated = supports('Unused days are paid out.', 'Unused days are not paid out.');
  assert.equal(negated.reason, 'The passage and the sentence differ in a negation.');
  assert.equal(
    reason('The cafeteria serves vegetarian meals daily.'),
    'The passage lacks the words cafeteria, serves, vegetarian, meals, daily.',
  );
  assert.equal(
    supports('Ask Schmidt for leave.', 'Ask Keller for leave.', 'en').reason,
    'The passage lacks the name Schmidt.',
  );
  assert.equal(
    supports('It is 412 feet long.', 'It is 412 metres long.').reason,
    'The passage lacks the number 412 feet.',
  );
  assert.equal(supports('桥由李建国设计。', '桥由王建国设计。', 'zh').reason, 'The passage lacks the word 李.');
  assert.equal(supports('Employees get 25 days.', '').reason, 'The passage is empty.');
});

test('the work of comparing a copied sentence does not grow with the cube of the number of sentences', (t) => {
  const evidence = evidenceOf('好。'.repeat(500), 'zh');
  const claim = claimOf('small letters run here '.repeat(25), 'en');
  const { mock } = t.mock.method(String.prototype, 'slice');
  findSupport([claim], evidence);
  // Without a bound, each of the 125,000 runs of sentences is cut out.
  assert.ok(mock.callCount() < 10_000, `${mock.callCount()} slices`);
});

test('a word of a script with blanks and without capitals is needed, whatever its ending', () => {
  const arabic = 'زار الوزير مدينة القاهرة في شهر مايو.';
  assert.equal(supports('زار الوزير مدينة القاهرة في مايو.', arabic, 'ar').verified, true);
  assert.equal(supports('زار الوزير مدينة دمشق في مايو.', arabic, 'ar').reason, 'The passage lacks the word دمشق.');
});
