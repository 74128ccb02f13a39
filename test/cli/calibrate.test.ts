/** `pinakes eval --calibrate` on a service with an embedding model: waits for the vectors. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Calibration } from '../../src/cli/eval/calibrate.ts';
import { type LocalService, startLocalService } from '../../src/cli/operate/local-service.ts';
import { runPinakes } from '../support/cli.ts';
import { copyTemplate } from '../support/database.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fakes/embeddings.ts';

let folder: string;
let fake: FakeEmbeddings;
let service: LocalService;

before(async () => {
  fake = await openFakeEmbeddings();
  folder = mkdtempSync(join(tmpdir(), 'pinakes-calibrate-'));
  mkdirSync(join(folder, 'qrels'));
  const lines = (entries: object[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  const subjects = ['tides', 'granite', 'herring', 'lighthouse', 'amber', 'dunes'];
  writeFileSync(
    join(folder, 'corpus.jsonl'),
    lines(subjects.map((subject) => ({ _id: subject, text: `All there is to know about ${subject}.` }))),
  );
  writeFileSync(
    join(folder, 'queries.jsonl'),
    lines(subjects.map((subject) => ({ _id: `q-${subject}`, text: `about ${subject}` }))),
  );
  const judgements = subjects.map((subject) => `q-${subject}\t${subject}\t1\n`).join('');
  writeFileSync(join(folder, 'qrels', 'test.tsv'), `query-id\tcorpus-id\tscore\n${judgements}`);
  const dataDir = join(folder, 'data');
  await copyTemplate(dataDir);
  process.env['PINAKES_EMBEDDING_MODEL'] = 'openai-compatible:words';
  process.env['PINAKES_EMBEDDING_BASE_URL'] = fake.url;
  // A second parser process would cost half a second.
  process.env['PINAKES_PARSER_PROCESSES'] = '1';
  service = await startLocalService(dataDir);
});
after(async () => {
  await service.stop();
  await fake.close();
  rmSync(folder, { recursive: true, force: true });
});

test('eval --calibrate prints the best weight and the gain of hybrid search', async () => {
  const { code, stdout, stderr } = await runPinakes(['eval', folder, '--calibrate', '--json'], {
    PINAKES_URL: service.url,
    PINAKES_API_KEY: service.apiKey,
  });
  assert.equal(code, 0, stderr);
  const found = JSON.parse(stdout) as Calibration;
  assert.equal(found.queries, 6);
  assert.deepEqual([found.lexical, found.semantic, found.hybrid, found.gain], [1, 1, 1, 0]);
  assert.equal(found.weight, 0.6);
});
