import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { pdfOf } from '../../../../test/support/files/make-files.ts';
import { ATTACHMENTS_BYTES_MAX, ATTACHMENTS_MAX, PdfAttachments } from './attachments.ts';
import type { PdfiumModule } from './pdfium.ts';

/** A file of the document: its name, and the index of the stream that holds it. */
type Named = readonly [name: string, stream: number];

/**
 * Collects the files of the name tree, then adds the same files again by index, as annotations do. Returns what is stored, and
 * the number of pdfium calls.
 */
async function collect(
  streams: readonly (Uint8Array | string)[],
  files: readonly Named[],
  pinned: readonly number[] = [],
  cpuMs?: number,
) {
  const first = 4;
  const specs = files.map(([name, stream]) => `<< /Type /Filespec /F (${name}) /EF << /F ${first + stream} 0 R >> >>`);
  const tree = specs.map((_, index) => `(${String(index).padStart(6, '0')}) ${first + streams.length + index} 0 R`);
  const objects = streams.map((content) => {
    const packed = deflateSync(content).toString('latin1');
    return `<< /Type /EmbeddedFile /Filter /FlateDecode /Length ${packed.length} >>\nstream\n${packed}\nendstream`;
  });
  const bytes = pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [${tree.join(' ')}] >> >> >>`,
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
    ...objects,
    ...specs,
  ]);
  const library = await PDFiumLibrary.init();
  const document = await library.loadDocument(bytes);
  const { module, documentIdx } = document as unknown as { module: PdfiumModule; documentIdx: number };
  let asked = 0;
  const counting: PdfiumModule = Object.create(module, {
    _FPDFAttachment_GetFile: {
      value: (...handles: [number, number, number, number]) => {
        asked += 1;
        return module._FPDFAttachment_GetFile(...handles);
      },
    },
  });
  const attachments = new PdfAttachments(counting, cpuMs);
  attachments.addAll(documentIdx);
  for (const index of pinned) attachments.add(module._FPDFDoc_GetAttachment(documentIdx, index));
  document.destroy();
  library.destroy();
  const kept = attachments.members.map(({ name, bytes: read }) => `${name}: ${read().length}`);
  return { kept, asked, warnings: attachments.warnings() };
}

const leftOut = (count: number) => [
  `${count} ${count === 1 ? 'attachment was' : 'attachments were'} left out: empty, damaged, too large or too many.`,
];

test('after an attachment that is too large, no other attachment is unpacked', async () => {
  const large = 40 * 1024 * 1024;
  assert.ok(2 * large > ATTACHMENTS_BYTES_MAX);
  const files: Named[] = [
    ['a.txt', 0],
    ['b.txt', 0],
    ['c.txt', 0],
    ['d.txt', 1],
  ];
  const { kept, asked, warnings } = await collect([Buffer.alloc(large, 'a b '), 'small'], files, [1, 3]);
  assert.deepEqual(kept, [`a.txt: ${large}`]);
  assert.equal(asked, 3, 'twice for the first, and once to see that the second is too large');
  // The last is pinned to a page as well.
  assert.deepEqual(warnings, leftOut(4));
});

test('files pinned to pages count towards the limit of attachments', async () => {
  const files = Array.from({ length: ATTACHMENTS_MAX + 2 }, (_, index): Named => [`${index}.txt`, 0]);
  const { kept, asked, warnings } = await collect(['words'], files, [ATTACHMENTS_MAX]);
  assert.equal(kept.length, ATTACHMENTS_MAX);
  assert.equal(asked, 2 * ATTACHMENTS_MAX);
  assert.deepEqual(warnings, leftOut(3));
});

test('a file that is attached twice or also pinned to a page is stored once', async () => {
  const files: Named[] = [
    ['a.txt', 0],
    ['a.txt', 1],
    ['a.txt', 2],
    ['b.txt', 0],
  ];
  const { kept, asked, warnings } = await collect(['words', 'words', 'other words'], files, [0, 3]);
  assert.deepEqual(kept, ['a.txt: 5', 'a.txt: 11', 'b.txt: 5']);
  assert.equal(asked, 8, 'pinned ones were asked for already');
  assert.deepEqual(warnings, []);
});

test('after too much CPU time, no other attachment is read', async () => {
  const { kept, asked, warnings } = await collect(['words'], [['a.txt', 0]], [], 0);
  assert.deepEqual([kept, asked, warnings], [[], 0, leftOut(1)]);
});
