/**
 * While rules apply, a picture of a page shows nothing that no rule can read. Each PDF is made twice, with two secrets of the same width:
 * the pictures must be the same to the byte. `npm run check:page-canaries` looks at more PDFs, through HTTP and for several principals.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../src/access/caller.ts';
import { ServiceError } from '../../src/errors.ts';
import { drawPage, type VisiblePdf } from '../../src/features/pages/pages.ts';
import type { FileRequest } from '../../src/files/parsed.ts';
import { processFile } from '../../src/files/sandbox/process-file.ts';
import { compileRedactor } from '../../src/redaction/redact.ts';
import { SECRET_PATTERN, SECRETS, SPECIMENS } from '../support/page-canaries/specimens.ts';

const RULE = { name: 'number', kind: 'regex', pattern: SECRET_PATTERN, ignore_case: false } as const;
const REDACTOR = compileRedactor(
  { version: 1, enabled: true, rules: [{ ...RULE, action: 'mask', apply_at: ['retrieval'] }] },
  new Uint8Array(32),
);
/** Specimens of which each shows the secret by other means. All others are taken by the long check. */
const NAMES = [
  'plain text',
  'slanted line',
  'text that is said to be another',
  'outlines',
  'strokes',
  'squares',
  'bars',
  'area within outlines',
  'picture in forms',
  'pattern of text',
  'pattern of text in the colour of its user',
  'letters filled with a pattern',
  'area behind a mask of text',
  'form behind a mask of text',
  'text in a turned form',
  'private characters',
  'ink',
];

/** Draws a page in this process; undefined if it is refused because no rule can read it. */
async function draw(bytes: Uint8Array, isRedacted: boolean, page = 1): Promise<Uint8Array | undefined> {
  const uses = {
    // The pages have no tables.
    db: { transaction: async () => [] },
    blobs: { localPath: () => '' },
    processor: { process: (request: FileRequest) => processFile(request, bytes) },
  } as unknown as Parameters<typeof drawPage>[0];
  const source = { name: 'a.pdf', blobHash: '', size: bytes.length } as VisiblePdf['source'];
  const pdf = { source, redactor: isRedacted ? REDACTOR : null, isRedacted };
  try {
    return await drawPage(uses, {} as Caller, pdf, { page, scale: 1 }, new AbortController().signal);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') return undefined;
    throw error;
  }
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(b);

for (const name of NAMES) {
  test(`a secret is not seen while a rule hides it: ${name}`, async () => {
    const { make } = SPECIMENS.find((one) => one.name === name)!;
    const [first, second] = SECRETS.map(make) as [Uint8Array, Uint8Array];
    const [a, b] = [await draw(first, false), await draw(second, false)];
    assert.ok(a && b && !same(a, b), 'without rules it is seen');
    const [c, d] = [await draw(first, true), await draw(second, true)];
    assert.ok(c && d && same(c, d));
    assert.ok(c.length > 500, 'the page is not empty');
  });
}

test('a page of characters that the file does not name is not drawn while a rule applies', async () => {
  const { make } = SPECIMENS.find((one) => one.name === 'characters without names in a form')!;
  assert.ok(await draw(make(SECRETS[0]), false));
  assert.equal(await draw(make(SECRETS[0]), true), undefined);
});
