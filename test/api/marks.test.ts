/**
 * The cited passage is marked exactly, or not at all: citations are taken as the console takes them, and the text under their marks is
 * compared with what they quote. `npm run check:marks` takes 200 and more.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { placeOfQuote } from '../../console/src/spans/spans.ts';
import { buildWorker } from '../../src/worker.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type Box, textUnder } from '../support/files/text-under.ts';
import { FORMATS, LANGUAGE_NAMES, reportOf } from '../support/passages/six-scripts.ts';
import { ingest } from '../support/upload.ts';

const IS_LONG = process.env['PINAKES_TEST_MARKS'] === 'all';
/** Questions to each file. */
const QUESTIONS = IS_LONG ? 8 : 1;
const MARKED_SHARE_MIN = 0.97;

let t: TestApp;
let stop: () => Promise<void>;

before(async () => {
  t = await openTestApp();
  const worker = buildWorker(t.deps);
  await worker.start();
  stop = () => worker.stop(5_000);
});
after(async () => {
  await stop();
  await t.close();
});

const GUIDE = `The lighthouse of the harbour was lit in 1861. Anna Smithson closed its door each evening. The lamp burns whale oil.

${'The harbour is deep. '.repeat(60)}

The reading room opens at nine.`;

test('behind words that redaction has shortened, nothing near is marked', async () => {
  const group = await ingest(t, [{ name: 'guide.txt', content: GUIDE }]);
  const { id } = (await t.get(`/source-groups/${group}/sources`)).body.sources[0];
  const markOf = async (question: string): Promise<string | undefined> => {
    const body = { messages: [{ role: 'user', content: question }], file_types: ['txt'] };
    const { citations } = (await t.post('/completions', body)).body.choices[0];
    const cited = citations.find((one: { source_id: string }) => one.source_id === id);
    const place = placeOfQuote(cited, cited.citation.quote);
    return place && (await marked(id, place, null, new Uint8Array()));
  };
  assert.match((await markOf('What does the lamp of the lighthouse burn?')) ?? '', /whale oil/);
  const rule = {
    name: 'keeper',
    kind: 'dictionary',
    terms: ['Anna Smithson'],
    action: 'mask',
    apply_at: ['retrieval'],
  };
  assert.equal((await t.put('/redaction-policy', { enabled: true, rules: [rule] })).status, 200);
  assert.equal(await markOf('What does the lamp of the lighthouse burn?'), undefined);
  await t.delete('/redaction-policy');
});

interface Tally {
  cited: number;
  marked: number;
  wrong: string[];
  unmarked: string[];
}

test('the text under the mark of a citation is what the citation quotes', { timeout: 1_800_000 }, async () => {
  const tally = new Map<string, Tally>();
  for (const format of FORMATS) {
    const files = LANGUAGE_NAMES.map((language) => reportOf(language, format));
    const group = await ingest(t, files);
    const { sources } = (await t.get(`/source-groups/${group}/sources`)).body;
    const contents = new Map<string, Uint8Array>();
    for (const { id, name } of sources)
      contents.set(id, files.find((file) => file.name === name)!.content as Uint8Array);
    for (const file of files) {
      const found: Tally = { cited: 0, marked: 0, wrong: [], unmarked: [] };
      tally.set(file.name, found);
      for (let n = 0; n < QUESTIONS; n += 1) {
        const question = file.questions[(n * 7 + 3) % file.questions.length]!;
        await check(question, { file_types: [sources[0].file_type] }, contents, found);
      }
    }
  }
  judge(tally);
});

async function check(
  question: string,
  filters: object,
  contents: ReadonlyMap<string, Uint8Array>,
  found: Tally,
): Promise<void> {
  const body = { messages: [{ role: 'user', content: question }], ...filters };
  const { status, body: answer } = await t.post('/completions', body);
  assert.equal(status, 200, JSON.stringify(answer));
  for (const { source_id: source, pages, citation, ...chunk } of answer.choices[0].citations) {
    found.cited += 1;
    const place = placeOfQuote(chunk, citation.quote);
    const text = place && (await marked(source, place, pages, contents.get(source)!));
    if (text === undefined || text === '') found.unmarked.push(citation.quote);
    else if (!isSame(text, citation.quote, pages)) found.wrong.push(`${citation.quote}\n  → ${text}`);
    else found.marked += 1;
  }
}

/** Returns the text under the marks of a range: on the pictures of pages, or in the text of a source that has no pages. */
async function marked(
  source: string,
  { start, end }: { start: number; end: number },
  pages: number[] | null,
  content: Uint8Array,
): Promise<string> {
  const range = `start_offset=${start}&end_offset=${end}`;
  if (!pages) return (await t.get(`/sources/${source}/text?${range}`)).body.text;
  const boxes = new Map<number, Box[]>();
  for (const page of pages)
    boxes.set(page, (await t.get(`/sources/${source}/pages/${page}/boxes?${range}`)).body.boxes);
  return textUnder(content, boxes);
}

function isSame(text: string, quote: string, pages: number[] | null): boolean {
  return pages ? lettersOf(text) === lettersOf(quote) : text === quote;
}

/** Returns the letters of a text with their marks: a page has other blanks, and other signs at the ends of lines. */
function lettersOf(text: string): string {
  return text.normalize('NFKC').replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** Fails if one mark is wrong, or if many passages have none. Long runs print what they counted. */
function judge(tally: ReadonlyMap<string, Tally>): void {
  const all = [...tally.values()];
  const sum = (count: (one: Tally) => number): number => all.reduce((total, one) => total + count(one), 0);
  const [cited, marked] = [sum((one) => one.cited), sum((one) => one.marked)];
  if (IS_LONG) console.log(`${cited} citations in ${tally.size} files: ${marked} marked exactly`);
  for (const [name, { wrong, unmarked }] of tally) {
    if (IS_LONG) for (const quote of unmarked) console.log(`${name}: nothing is marked for ${JSON.stringify(quote)}`);
    assert.deepEqual(wrong, [], `${name}: other text is marked`);
  }
  assert.ok(cited >= tally.size, `only ${cited} citations were taken from ${tally.size} files`);
  assert.ok(marked >= cited * MARKED_SHARE_MIN, `${cited - marked} of ${cited} passages are not marked`);
}
