/** Tests entailment models with a tiny model that the test writes, so that the expected verdicts can be computed. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openJudge } from '../../src/answers/grounding/judge.ts';
import { openEntailment } from '../../src/llm/entailment.ts';
import type { EntailmentModel, SentencePair, Verdict } from '../../src/llm/models.ts';
import { ConfigError } from '../../src/util/settings/settings-reader.ts';
import { type TinyModel, writeTinyModel } from '../support/files/tiny-model.ts';

/** One axis for each label. `[CLS]` adds 1 to the first one, and the mean of all tokens decides. */
const words = { ferry: [0, 9, 0], bread: [9, 0, 0], quiet: [0, 0, 9] };
const labels = ['Contradiction', 'ENTAILMENT', 'neutral'];
const never = new AbortController().signal;

let folder: string;
let model: EntailmentModel;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pinakes-entailment-'));
  model = open('tiny');
});
after(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(name: string, changes: Partial<TinyModel> = {}): EntailmentModel {
  writeTinyModel(join(folder, name), { words, labels, ...changes });
  return openEntailment({ model: `local:${name}`, modelsDir: folder })!;
}

const pair = (premise: string, hypothesis: string): SentencePair => ({ premise, hypothesis });

test('the verdict is the label with the highest number, for the tokens of both texts', async () => {
  const pairs = [
    pair('ferry', 'ferry ferry'),
    pair('ferry', 'bread bread'),
    pair('quiet', ''),
    pair('bread bread', 'ferry'),
  ];
  const expected: Verdict[] = ['entailment', 'contradiction', 'neutral', 'contradiction'];
  assert.deepEqual(await model.judge(pairs, never), expected);
  assert.equal(model.name, 'local:tiny');
  assert.deepEqual(await model.judge([], never), []);
});

test('a pair that is too long for the model has no verdict, and the others have theirs', async () => {
  const long = pair('ferry '.repeat(600), 'ferry');
  assert.deepEqual(await model.judge([long, pair('ferry', 'ferry')], never), [null, 'entailment']);
});

test('everything but the entailment of a model with two labels is neutral', async () => {
  const two = open('two', { words: { ferry: [0, 9], bread: [9, 0] }, labels: ['not_entailment', 'entailment'] });
  assert.deepEqual(await two.judge([pair('ferry', 'ferry'), pair('bread', 'bread')], never), ['entailment', 'neutral']);
  await two.close();
});

test('the setting stops the start with one line when the model does not judge pairs or is not there', () => {
  const refused = (setting: string, pattern: RegExp): void => {
    assert.throws(
      () => openEntailment({ model: setting, modelsDir: folder }),
      (error) => error instanceof ConfigError && !error.message.includes('\n') && pattern.test(error.message),
    );
  };
  writeTinyModel(join(folder, 'embedding'), { words });
  refused('local:embedding', /PINAKES_ENTAILMENT_MODEL names .*whose config\.json has no label "entailment"/);
  refused('local:nowhere', /PINAKES_ENTAILMENT_MODEL names the model nowhere, .*pinakes models pull nowhere/);
  assert.equal(openEntailment({ model: 'none', modelsDir: folder }), null);
});

test('a model whose output does not fit its labels fails with the reason', async () => {
  const broken = open('broken', { labels: [...labels, 'other'] });
  await assert.rejects(broken.judge([pair('ferry', 'ferry')], never), (error: Error) =>
    /one number for each of its 4 labels/.test(String((error.cause as Error).message)),
  );
  await broken.close();
});

test('rules decide when the model fails, and about pairs beyond the maximum', async () => {
  const errors: unknown[] = [];
  const failing: EntailmentModel = {
    name: 'fails',
    judge: () => Promise.reject(new Error('no')),
    close: async () => {},
  };
  const judge = openJudge(failing, never, (error) => errors.push(error))!;
  assert.deepEqual(await judge([pair('ferry', 'ferry')]), []);
  assert.equal(errors.length, 1);
  const many = Array.from({ length: 30 }, () => pair('ferry', 'ferry'));
  assert.equal((await openJudge(model, never, () => assert.fail())!(many)).length, 24);
  assert.equal(
    openJudge(null, never, () => assert.fail()),
    null,
  );
  const left = AbortSignal.abort(new Error('left'));
  await assert.rejects(openJudge(model, left, () => assert.fail())!(many), /left/);
});
