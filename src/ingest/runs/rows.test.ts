import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessedFile } from '../../files/parsed.ts';
import { newId } from '../../util/ids.ts';
import type { ClaimedSource } from './claimed-source.ts';
import { SEGMENT_CODE_POINTS, textSegments, toRows } from './rows.ts';

const source: ClaimedSource = {
  id: newId(),
  name: 'a.txt',
  fileSize: 1,
  blobHash: '0'.repeat(64),
  generation: 1,
  isUpdate: false,
  attempts: 1,
  createdAt: new Date(1_700_000_000_000),
  parentSourceId: null,
  memberDepth: 0,
  url: null,
  charset: null,
  groupPath: null,
  folderPath: null,
};

function processed(contents: readonly string[]): ProcessedFile {
  const chunk = {
    context: null,
    headingPath: [],
    pages: null,
    metadata: {},
    terms: '',
    startLine: null,
    endLine: null,
    startOffset: 0,
    endOffset: 1,
  };
  return {
    fileType: 'txt',
    text: contents.join(''),
    textLength: contents.join('').length,
    language: null,
    metadata: {},
    warnings: [],
    tables: [],
    chunks: contents.map((content, ordinal) => ({ ...chunk, ordinal, content })),
  };
}

test('the ids of chunks depend on source and generation, not on the attempt', () => {
  const ids = (of: ClaimedSource) =>
    toRows(of, { ok: true, file: processed(['a', 'b']) }).chunks.map((chunk) => chunk.id);
  assert.deepEqual(ids(source), ids({ ...source, attempts: 2 }));
  assert.equal(
    new Set([...ids(source), ...ids({ ...source, generation: 2 }), ...ids({ ...source, id: newId() })]).size,
    6,
  );
});

test('the result of a source counts its chunks with metadata', () => {
  const file = processed(['a', 'b']);
  file.chunks[1]!.metadata = { year: { val: '2024', type: 'integer' } };
  assert.equal(toRows(source, { ok: true, file }).result.chunkMetadatasCount, 1);
});

test('a failure becomes a failed source and an error row, without chunks', () => {
  const failure = { stage: 'parse', title: 'Broken', message: 'It is broken.', retryable: false } as const;
  const rows = toRows(source, { ok: false, failure });
  assert.equal(rows.result.status, 'failed');
  assert.deepEqual(rows.error, { ...failure, sourceId: source.id, name: 'a.txt' });
  assert.deepEqual([rows.chunks, rows.texts], [[], []]);
});

test('a new version without words leaves a ready source without chunks, a first version without words fails', () => {
  const failure = { stage: 'parse', title: 'Empty', message: 'No words.', retryable: false, isEmpty: true } as const;
  const { result, error, chunks } = toRows({ ...source, isUpdate: true }, { ok: false, failure });
  assert.deepEqual([result.status, result.warnings, error, chunks], ['ready', ['No words.'], null, []]);
  assert.equal(toRows(source, { ok: false, failure }).result.status, 'failed');
});

test('segments join to the whole text, and their offsets count code points', () => {
  const text = `${'𠮷'.repeat(SEGMENT_CODE_POINTS - 1)}ab${'é'.repeat(SEGMENT_CODE_POINTS)}z`;
  const segments = textSegments(source, text);
  assert.equal(segments.map((segment) => segment.content).join(''), text);
  for (const segment of segments) {
    assert.equal([...segment.content].length, segment.endOffset - segment.startOffset);
    assert.ok(segment.content.isWellFormed());
  }
  assert.deepEqual(
    segments.map((segment) => segment.startOffset),
    [0, SEGMENT_CODE_POINTS, 2 * SEGMENT_CODE_POINTS],
  );
  assert.deepEqual(textSegments(source, ''), []);
});
