import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileError } from '../failure.ts';
import type { ParsedFile } from '../parsed.ts';
import { redactParsed } from './redact-parsed.ts';

const MAIL = 'jo@example.com';
const rules = (action: 'mask' | 'drop' | 'block') => ({
  tenantId: 't',
  mark: 'm',
  hashKey: new Uint8Array(32),
  policy: {
    version: 1,
    enabled: true,
    rules: [
      { name: 'mail', kind: 'entity' as const, entities: ['email' as const], action, apply_at: ['ingest' as const] },
    ],
  },
});

/** Returns a file whose blocks have the given texts, in order. */
function parsedOf(parts: readonly string[], more: Partial<ParsedFile> = {}): ParsedFile {
  let at = 0;
  const blocks = parts.map((part) => {
    const block = { kind: 'paragraph' as const, start: at, end: at + part.length };
    at += part.length + 1;
    return block;
  });
  return { fileType: 'txt', text: parts.join('\n'), blocks, metadata: {}, warnings: [], ...more };
}
const textsOf = ({ text, blocks }: ParsedFile) => blocks.map(({ start, end }) => text.slice(start, end));

test('the offsets of blocks fit the redacted text, whether replacements are longer or shorter', async () => {
  const parsed = parsedOf([`😀 ${MAIL}`, `😀 to ${MAIL} and 😀 ${MAIL}`, 'last 😀']);
  const redacted = await redactParsed(parsed, rules('mask'));
  assert.deepEqual(textsOf(redacted), ['😀 [EMAIL]', '😀 to [EMAIL] and 😀 [EMAIL]', 'last 😀']);
  assert.deepEqual(textsOf(await redactParsed(parsed, rules('drop'))), ['😀 ', '😀 to  and 😀 ', 'last 😀']);
  assert.deepEqual(
    textsOf(await redactParsed(parsedOf([MAIL, 'x']), rules('drop'))),
    ['x'],
    'nothing is left of the first',
  );
  assert.equal(await redactParsed(parsed, undefined), parsed);
});

test('a block loses its line in the file if a replacement takes lines away', async () => {
  const policy = {
    ...rules('mask').policy,
    rules: [{ ...rules('mask').policy.rules[0]!, entities: ['api_key' as const] }],
  };
  const key = `-----BEGIN PRIVATE KEY-----\n${'MIIE'.repeat(16)}\n-----END PRIVATE KEY-----`;
  const parsed = parsedOf([`a ${key}`, 'b']);
  const lined = { ...parsed, blocks: parsed.blocks.map((block, i) => ({ ...block, line: i * 3 + 1 })) };
  const { blocks } = await redactParsed(lined, { ...rules('mask'), policy });
  assert.deepEqual(
    blocks.map(({ line }) => line),
    [undefined, 4],
  );
});

test('row starts, links, titles, terms, names and metadata of blocks are redacted like the text', async () => {
  const text = `😀 ${MAIL} | x\n${MAIL} | y`;
  const value = { val: `by ${MAIL}`, type: 'string' as const };
  const second = text.indexOf('\n') + 1;
  const block = {
    kind: 'table' as const,
    start: 0,
    end: text.length,
    rowStarts: [0, second],
    tableHeader: `of ${MAIL}`,
    headingPath: [`under ${MAIL}`],
    title: `title ${MAIL}`,
    term: `term ${MAIL}`,
    names: [MAIL],
    metadata: { owner: value },
    links: [{ at: second, text: `to ${MAIL}`, url: `https://example.org/?to=${MAIL}` }],
  };
  const parsed: ParsedFile = {
    fileType: 'txt',
    text,
    blocks: [block],
    title: `Title ${MAIL}`,
    continuation: `From: ${MAIL}`,
    metadata: { author: value, [MAIL]: { val: '1', type: 'integer' } },
    chunkMetadata: { owner: value },
    warnings: [`left out: ${MAIL}`],
    leftOut: [MAIL],
  };
  const redacted = await redactParsed(parsed, rules('mask'));
  assert.ok(!JSON.stringify(redacted).includes(MAIL), JSON.stringify(redacted));
  const [after] = redacted.blocks;
  assert.deepEqual(
    after!.rowStarts!.map((at) => redacted.text.slice(at, at + 2)),
    ['😀', '[E'],
  );
  assert.equal(after!.links![0]!.at, after!.rowStarts![1]);
  assert.equal(redacted.continuation, 'From: [EMAIL]');
  assert.equal(redacted.metadata['author']!.val, 'by [EMAIL]');
  assert.deepEqual(redacted.metadata['[EMAIL]'], { val: '1', type: 'integer' });
});

test('a rule with the action block stops the file, wherever in the file it matches', async () => {
  for (const parsed of [parsedOf([MAIL]), parsedOf(['x'], { title: MAIL })]) {
    await assert.rejects(
      () => redactParsed(parsed, rules('block')),
      (error) => error instanceof FileError && !JSON.stringify(error.failure).includes(MAIL),
    );
  }
});

test('navigation that is not ingested does not block a page', async () => {
  const parsed = parsedOf(['x'], { warnings: [`They begin with: ${MAIL}`, 'kept'], leftOut: [MAIL] });
  const redacted = await redactParsed(parsed, rules('block'));
  assert.deepEqual(redacted.warnings, ['kept']);
  assert.equal(redacted.leftOut, undefined);
});
