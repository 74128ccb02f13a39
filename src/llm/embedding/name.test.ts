import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecordedName, recordedName } from './name.ts';

test('a recorded name with any characters is read as it was written', () => {
  for (const name of ['bge-m3:latest', 'a {b}', 'a {"dimensions":1} b']) {
    for (const dimensions of [null, 256]) {
      for (const passagePrefix of ['', 'passage: ', 'a "quoted" } \n']) {
        const model = { name, dimensions, passagePrefix };
        assert.deepEqual(readRecordedName(recordedName(model)), model);
      }
    }
  }
});

test('the recorded name of a model without options is the name of the model', () => {
  assert.equal(recordedName({ name: 'bge-m3', dimensions: null, passagePrefix: '' }), 'bge-m3');
  assert.equal(
    recordedName({ name: 'e5', dimensions: 128, passagePrefix: 'passage: ' }),
    'e5 {"dimensions":128,"passage":"passage: "}',
  );
});
