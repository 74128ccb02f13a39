/** Parses Office files in one XML file: the XML is converted to an archive of parts, and the archive is parsed. */
import { Buffer } from 'node:buffer';
import { strToU8, zipSync } from 'fflate';
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import { badFile } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import type { Tools } from '../../tools.ts';
import { attribute } from '../xml/tree.ts';

const ROOT = /<(pkg:package|w:wordDocument|office:document|(?:ss:)?Workbook)(\s[^<>]*)?>/;
/** Matches parts without words. */
const WORDLESS = /\/media\/|\.(?:bin|emf|wmf|png|jpe?g|gif|tiff?|odttf|fntdata)$/i;

const WORD_2003 = 'Word 2003 XML is read with LibreOffice, which is not installed; or save the file as docx.';

/**
 * Parses a flat file. LibreOffice converts Word 2003 XML.
 *
 * @throws FileError like the parsers of the archives, for a package without a document, and for Word 2003 XML without LibreOffice.
 */
export async function parseFlatOffice(
  text: string,
  keys: readonly ChunkMetadataKey[],
  { office }: Tools,
): Promise<ParsedFile> {
  const [, root, head = ''] = ROOT.exec(text) ?? [];
  if (root === 'pkg:package') return parsePackage(flatParts(text), keys);
  if (root === 'w:wordDocument') {
    if (!office) throw badFile('parse', 'Document needs LibreOffice', WORD_2003);
    const { parseDocx } = await import('./word/docx.ts');
    return parseDocx(await office('docx'));
  }
  if (root === 'office:document') {
    const { parseOdf } = await import('./odf/odf.ts');
    const kind = attribute({ head }, 'office:mimetype').split('.').at(-1);
    const fileType = kind === 'spreadsheet' ? 'ods' : kind === 'presentation' ? 'odp' : 'odt';
    const parts = new Map([
      ['content.xml', text],
      ['meta.xml', text],
    ]);
    return parseOdf(zipped(parts), fileType, keys);
  }
  const { parseExcel2003 } = await import('./excel-2003.ts');
  return parseExcel2003(text, keys);
}

async function parsePackage(
  parts: Map<string, string | Uint8Array>,
  keys: readonly ChunkMetadataKey[],
): Promise<ParsedFile> {
  const bytes = zipped(parts);
  if (parts.has('word/document.xml')) return (await import('./word/docx.ts')).parseDocx(bytes);
  if (parts.has('xl/workbook.xml')) return (await import('./sheets/xlsx.ts')).parseXlsx(bytes, keys);
  if (parts.has('ppt/presentation.xml')) return (await import('./slides/pptx.ts')).parsePptx(bytes);
  throw badFile('parse', 'Damaged file', 'The package has no document.');
}

function zipped(parts: ReadonlyMap<string, string | Uint8Array>): Uint8Array {
  const files = [...parts].map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part] as const);
  return zipSync(Object.fromEntries(files), { level: 0 });
}

/** Returns the parts of a flat package, which has XML unchanged and other files in base64. Linear. */
function flatParts(text: string): Map<string, string | Uint8Array> {
  const parts = new Map<string, string | Uint8Array>();
  const pieces = text.split('<pkg:part').slice(1);
  for (const piece of pieces) {
    const name = attribute({ head: piece.slice(0, piece.indexOf('>')) }, 'pkg:name').replace(/^\//, '');
    if (name === '' || WORDLESS.test(name)) continue;
    const isXml = piece.includes('<pkg:xmlData');
    const tag = isXml ? 'pkg:xmlData' : 'pkg:binaryData';
    const from = piece.indexOf('>', piece.indexOf(`<${tag}`)) + 1;
    const to = piece.lastIndexOf(`</${tag}>`);
    if (from === 0 || to < from) continue;
    const data = piece.slice(from, to);
    parts.set(name, isXml ? data : Buffer.from(data, 'base64'));
  }
  return parts;
}
