/** Makes PDFs in any script: the file names the character of each glyph, but has no pictures of the glyphs. */
import { pdfOf } from './make-files.ts';

export interface ScriptPdfOptions {
  /** The lines of each page, from the top to the bottom. */
  pages: readonly (readonly string[])[];
  /** Whether the lines run from the right to the left. Their glyphs are written in the order of the eye, as word processors do. */
  rightToLeft?: boolean;
  /** Degrees by which a viewer turns the pages. */
  turned?: 0 | 90 | 180 | 270;
  /** Lines of a page that stand beside each other in columns. */
  columns?: number;
  /** Returns the code of a character. The file then does not say which characters its codes show. */
  codeOf?: (character: string) => number;
}

const [WIDTH, HEIGHT, MARGIN, SIZE, LEADING] = [595, 842, 50, 10, 15];
const GLYPH_WIDTH = 560;

/** Returns a PDF with one font of two-byte codes, which a table maps to characters. */
export function makeScriptPdf(options: ScriptPdfOptions): Uint8Array {
  const { pages, rightToLeft = false, turned = 0, columns = 1, codeOf } = options;
  const codes = new Map<string, number>();
  const hexOf = (character: string): string => {
    if (!codes.has(character)) codes.set(character, codeOf?.(character) ?? codes.size + 1);
    return codes.get(character)!.toString(16).padStart(4, '0');
  };
  const contents = pages.map((lines) => {
    const rows = Math.ceil(lines.length / columns);
    const shown = lines.map((line, at) => {
      const column = Math.floor(at / rows);
      const wide = (WIDTH - 2 * MARGIN) / columns;
      const characters = rightToLeft ? visual(line) : [...line];
      const length = characters.filter((one) => !isMark(one)).length * (GLYPH_WIDTH / 1000) * SIZE;
      const x = MARGIN + column * wide + (rightToLeft ? wide - length - 10 : 0);
      const y = HEIGHT - MARGIN - SIZE - (at % rows) * LEADING;
      return `1 0 0 1 ${x.toFixed(2)} ${y} Tm <${characters.map(hexOf).join('')}> Tj`;
    });
    return `BT /F1 ${SIZE} Tf\n${shown.join('\n')}\nET`;
  });
  const first = 7;
  const kids = pages.map((_, at) => `${first + at * 2} 0 R`);
  const marks = [...codes].filter(([character]) => isMark(character)).map(([, code]) => `${code} [0]`);
  const cmap = toUnicode(codes);
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /Identity-H /DescendantFonts [4 0 R]' +
      (codeOf ? ' >>' : ' /ToUnicode 6 0 R >>'),
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Plain /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 5 0 R /DW ${GLYPH_WIDTH} /W [${marks.join(' ')}] >>`,
    '<< /Type /FontDescriptor /FontName /Plain /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
    `<< /Length ${cmap.length} >>\nstream\n${cmap}\nendstream`,
    ...contents.flatMap((content, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Rotate ${turned} /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + at * 2 + 1} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ]);
}

function isMark(character: string): boolean {
  return /\p{Mn}/u.test(character);
}

/** Returns the characters of a line from the left to the right: numbers and Latin words keep their direction. */
function visual(line: string): string[] {
  return line
    .split(/([\p{N}\p{Script=Latin}](?:[\p{N}\p{Script=Latin} .,]*[\p{N}\p{Script=Latin}])?)/u)
    .map((part, at) => (at % 2 === 1 ? [...part] : [...part].toReversed()))
    .toReversed()
    .flat();
}

function toUnicode(codes: ReadonlyMap<string, number>): string {
  const lines = [...codes].map(([character, code]) => {
    const units = Array.from({ length: character.length }, (_, i) =>
      character.charCodeAt(i).toString(16).padStart(4, '0'),
    );
    return `<${code.toString(16).padStart(4, '0')}> <${units.join('')}>`;
  });
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += 100) {
    const some = lines.slice(at, at + 100);
    blocks.push(`${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n/CMapName /Plain def /CMapType 2 def\n1 begincodespacerange <0000> <ffff> endcodespacerange\n${blocks.join('\n')}\nendcmap end end`;
}
