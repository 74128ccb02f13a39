/**
 * The cited passage is marked exactly, or not at all: citations are taken as the console takes them, and the text under their marks is
 * compared with what they quote. `npm run check:marks` takes some hundreds. With PINAKES_TEST_MARKED_FILES=folder it also takes them
 * from the files of a folder, at random.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { placeOfQuote } from '../../console/src/spans/spans.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type Box, textUnder } from '../support/files/text-under.ts';
import { FORMATS, LANGUAGE_NAMES, reportOf } from '../support/passages/six-scripts.ts';
import { newSeed, openRandom, TEST_SEED } from '../support/random.ts';
import { ingest, uploadFiles, waitForGroup } from '../support/upload.ts';

const IS_LONG = process.env['PINAKES_TEST_MARKS'] === 'all';
/** Questions to each file. */
const QUESTIONS = IS_LONG ? 8 : 1;
/** Files of a folder may repeat themselves, so that nobody knows where a passage stands. */
const MARKED_SHARE_MIN = { ours: 0.97, folder: 0.9 } as const;

let t: TestApp;

before(async () => {
  t = await openTestApp({ runsJobs: true });
});
after(() => t.close());

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
  judge(tally, MARKED_SHARE_MIN.ours);
});

const FOLDER = process.env['PINAKES_TEST_MARKED_FILES'];
const FOLDER_FORMATS = new Set<string>(FORMATS);
/** Files of the folder, their size, sentences that are asked about in each, and the shortest and longest of these. */
const FOLDER_LIMITS = { files: 80, bytes: 8_000_000, sentences: 6, letters: [20, 300] } as const;

test('citations of real files are marked exactly', { skip: !FOLDER, timeout: 3_600_000 }, async () => {
  const random = openRandom(process.env['PINAKES_TEST_SEED'] ? TEST_SEED : newSeed());
  console.log(`seed ${random.seed}`);
  const paths = readdirSync(FOLDER!, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && FOLDER_FORMATS.has(extname(entry.name).slice(1)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size < FOLDER_LIMITS.bytes)
    .slice(0, FOLDER_LIMITS.files);
  const tally = new Map<string, Tally>();
  for (const path of paths) {
    const content = readFileSync(path);
    const group = await uploadFiles(t, { [basename(path)]: content });
    if ((await waitForGroup(t, group)) !== 'success') continue;
    const found: Tally = { cited: 0, marked: 0, wrong: [], unmarked: [] };
    const [source] = (await t.get(`/source-groups/${group}/sources`)).body.sources;
    const { chunks } = (await t.get(`/sources/${source.id}/chunks?limit=100`)).body;
    const [shortest, longest] = FOLDER_LIMITS.letters;
    for (let n = 0; n < FOLDER_LIMITS.sentences && chunks.length > 0; n += 1) {
      const sentences = random.pick<{ content: string }>(chunks).content.split(/(?<=[.!?。।])\s+|\n+/);
      const question = random.pick(sentences).slice(0, longest);
      if (question.length < shortest) continue;
      await check(question, { file_types: [source.file_type] }, new Map([[source.id, content]]), found);
    }
    tally.set(path, found);
    await t.delete(`/source-groups/${group}`);
  }
  judge(tally, MARKED_SHARE_MIN.folder);
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
    if (!contents.has(source)) continue;
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
function judge(tally: ReadonlyMap<string, Tally>, shareMin: number): void {
  const all = [...tally.values()];
  const sum = (count: (one: Tally) => number): number => all.reduce((total, one) => total + count(one), 0);
  const [cited, marked] = [sum((one) => one.cited), sum((one) => one.marked)];
  if (IS_LONG) console.log(`${cited} citations in ${tally.size} files: ${marked} marked exactly`);
  for (const [name, { unmarked }] of tally)
    if (IS_LONG) for (const quote of unmarked) console.log(`${name}: nothing is marked for ${JSON.stringify(quote)}`);
  const wrong = [...tally].flatMap(([name, one]) => one.wrong.map((text) => `${name}: ${text}`));
  assert.deepEqual(wrong, [], 'other text is marked');
  assert.ok(cited >= tally.size, `only ${cited} citations were taken from ${tally.size} files`);
  assert.ok(marked >= cited * shareMin, `${cited - marked} of ${cited} passages are not marked`);
}
