/** PDFs that show a secret in many ways. Two secrets of the same width differ only in what is hidden. */
import { bars, outlines, rasterOf, squares, strokes } from './drawn-digits.ts';
import { form, line, literal, stream, toUnicode, type WrittenPage, type WrittenPdf, writePdf } from './written-pdf.ts';

/** Digits and hyphens have one width in each font of the specimens. */
export const SECRETS = ['7314-0926-5582', '2958-6403-1179'] as const;
/** Finds the secrets, also where an end of a line has taken their hyphen. */
export const SECRET_PATTERN = '\\d{4}-?\\d{4}-?\\d{4}';

/** The same in digits of other scripts, which a pattern of ASCII digits does not match. */
export const SECRET_TERMS = SECRETS.flatMap((secret) => [
  secret,
  inDigitsFrom(secret, 0x660),
  inDigitsFrom(secret, 0xff10),
]);

function inDigitsFrom(secret: string, zero: number): string {
  return secret.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

export interface Specimen {
  name: string;
  make(secret: string): Uint8Array;
  /** Pages to look at. The secret is on the first one. */
  pages: number;
  /** Whether an eye sees the secret where nothing is hidden. */
  isVisible: boolean;
  /** Whether the text of the file is what it shows. If not, it is a cipher that no rule can read. */
  isNamed: boolean;
}

const INNOCENT = line('Harbour report, page of the keeper', 40, 250);
const PLACE = { x: 40, y: 150, size: 8 };
const AREA = '30 140 260 40 re';

type Made = WrittenPdf | WrittenPage;

function specimen(name: string, make: (secret: string) => Made, more: Partial<Specimen> = {}): Specimen {
  return {
    name,
    pages: 1,
    isVisible: true,
    isNamed: true,
    make(secret) {
      const made = make(secret);
      const pdf = 'pages' in made ? made : { pages: [made] };
      return writePdf({
        ...pdf,
        pages: pdf.pages.map((page) => ({
          ...page,
          content: pdf.pages.length > 1 ? page.content : `${INNOCENT}\n${page.content}`,
        })),
      });
    },
    ...more,
  };
}

/** Returns a page that draws a form with this content. */
const inForm = (content: string, resources?: string, entries?: string, objects = {}): WrittenPdf => ({
  pages: [{ content: '/X Do', resources: '/XObject << /X @x >>' }],
  objects: { x: form(content, resources, entries), ...objects },
});

const UNNAMED = { isNamed: false };

const turned = (angle: number) =>
  specimen(`page turned by ${angle}`, (secret) => ({ content: line(secret), entries: `/Rotate ${angle}` }));

const placed: Specimen[] = [
  specimen('plain text', (secret) => ({ content: line(`Its number is ${secret}.`) })),
  ...[90, 180, 270].map(turned),
  specimen('crop box', (secret) => ({ content: line(secret), entries: '/CropBox [20 100 380 280]' })),
  specimen('over the edge of the page', (secret) => ({ content: line(secret, -15) })),
  specimen('over the edge of the crop box', (secret) => ({
    content: line(secret, 320),
    entries: '/CropBox [20 100 380 280]',
  })),
  specimen('box with another origin', (secret) => ({
    content: line(secret, 140, 250),
    entries: '/MediaBox [100 200 500 500]',
  })),
  specimen('user unit', (secret) => ({ content: line(secret), entries: '/UserUnit 2' })),
  specimen('slanted line', (secret) => ({
    content: `BT /F1 14 Tf 0.87 0.5 -0.5 0.87 60 100 Tm ${literal(secret)} Tj ET`,
  })),
  specimen('upright line', (secret) => ({ content: `BT /F1 14 Tf 0 1 -1 0 200 60 Tm ${literal(secret)} Tj ET` })),
  specimen('mirrored line', (secret) => ({ content: `BT /F1 14 Tf -1 0 0 1 300 100 Tm ${literal(secret)} Tj ET` })),
  specimen('wide and spaced', (secret) => ({ content: line(secret, 40, 150, 14, 'F1', '130 Tz 2 Tc') })),
  specimen('raised', (secret) => ({ content: `BT /F1 10 Tf 40 150 Td (No.) Tj 6 Ts ${literal(secret)} Tj ET` })),
  specimen('tiny', (secret) => ({ content: line(secret, 40, 150, 3) })),
  specimen('large', (secret) => ({ content: line(secret, 10, 150, 48) })),
  specimen('letter by letter', (secret) => ({
    content: [...secret].map((one, at) => line(one, 40 + at * 9, 150, 14, 'F2')).join('\n'),
  })),
  specimen('letters from the last to the first', (secret) => ({
    content: [...secret]
      .map((one, at) => line(one, 40 + at * 9, 150, 14, 'F2'))
      .toReversed()
      .join('\n'),
  })),
  specimen('letters in any order', (secret) => ({
    content: [...secret]
      .map((one, at) => ({ order: (at * 5) % secret.length, text: line(one, 40 + at * 9, 150, 14, 'F2') }))
      .toSorted((a, b) => a.order - b.order)
      .map(({ text }) => text)
      .join('\n'),
  })),
  specimen('halves in the wrong order', (secret) => ({
    content: [line(secret.slice(7), 40 + 7 * 9, 150, 15, 'F2'), line(secret.slice(0, 7), 40, 150, 15, 'F2')].join('\n'),
  })),
  specimen('kerned', (secret) => ({
    content: `BT /F1 14 Tf 40 150 Td [${[...secret].map((one) => `${literal(one)} -40`).join(' ')}] TJ ET`,
  })),
  specimen('bold by two strokes', (secret) => ({ content: `${line(secret)}\n${line(secret, 40.4)}` })),
  specimen('thick outline', (secret) => ({ content: `6 w ${line(secret, 40, 150, 20, 'F1', '1 Tr')}` })),
  specimen('over two lines', (secret) => ({
    content: `${line(secret.slice(0, 5), 300, 150)}\n${line(secret.slice(5), 40, 132)}`,
  })),
  specimen(
    'over two pages',
    (secret) => ({
      pages: [
        { content: line(`Its number is ${secret.slice(0, 10)}`, 40, 20) },
        { content: line(`${secret.slice(10)} and no other.`, 40, 280) },
      ],
    }),
    { pages: 2 },
  ),
];

const hidden: Specimen[] = [
  specimen('white text', (secret) => ({ content: `1 g ${line(secret)}` }), { isVisible: false }),
  specimen('white text on black', (secret) => ({ content: `0 g ${AREA} f 1 g ${line(secret)}` })),
  specimen('clipped away', (secret) => ({ content: `q 0 0 10 10 re W n ${line(secret)} Q` }), { isVisible: false }),
  specimen('half clipped', (secret) => ({ content: `q 0 0 400 155 re W n ${line(secret)} Q` })),
  specimen('under a box', (secret) => ({ content: `${line(secret)} 0.5 g ${AREA} f` }), { isVisible: false }),
  specimen('invisible text over a picture', (secret) => ({
    content: `${picture(secret)}\n${line(secret, 40, 150, 14, 'F1', '3 Tr')}`,
  })),
  specimen(
    'layer that is off',
    (secret) => ({
      pages: [{ content: `/OC /L BDC ${line(secret)} EMC`, resources: '/Properties << /L @layer >>' }],
      objects: { layer: '<< /Type /OCG /Name (Layer) >>' },
      catalog: '/OCProperties << /OCGs [@layer] /D << /OFF [@layer] >> >>',
    }),
    { isVisible: false },
  ),
  specimen('layer that is on', (secret) => ({
    pages: [{ content: `/OC /L BDC ${line(secret)} EMC`, resources: '/Properties << /L @layer >>' }],
    objects: { layer: '<< /Type /OCG /Name (Layer) >>' },
    catalog: '/OCProperties << /OCGs [@layer] /D << /ON [@layer] >> >>',
  })),
  specimen('text that is said to be another', (secret) => ({
    content: `/Span << /ActualText (nothing of interest) >> BDC ${line(secret)} EMC`,
  })),
  specimen('text as the edge of a filled area', (secret) => ({
    content: `q ${line(secret, 40, 150, 20, 'F1', '7 Tr')} 0 g ${AREA} f Q`,
  })),
];

function picture(secret: string): string {
  const { width, height, rows } = rasterOf(secret);
  const hex = rows.map((row) => [...row].map((one) => (one === '1' ? '00' : 'ff')).join('')).join('');
  return `q 240 0 0 30 40 145 cm BI /W ${width} /H ${height} /CS /G /BPC 8 /F /AHx ID ${hex}> EI Q`;
}

function mask(secret: string): string {
  const { width, height, rows } = rasterOf(secret);
  const bits = rows.map((row) => row.padEnd(Math.ceil(width / 8) * 8, '0'));
  const hex = bits.map((row) =>
    (row.match(/.{8}/g) ?? []).map((byte) => (0xff ^ Number.parseInt(byte, 2)).toString(16).padStart(2, '0')).join(''),
  );
  return `q 240 0 0 30 40 145 cm BI /IM true /W ${width} /H ${height} /F /AHx ID ${hex.join('')}> EI Q`;
}

const drawn: Specimen[] = [
  specimen('outlines', (secret) => ({ content: `${outlines(secret, PLACE)} f` })),
  specimen('outlines in one form', (secret) => inForm(`${outlines(secret, PLACE)} f`)),
  specimen('strokes', (secret) => ({ content: strokes(secret, PLACE) })),
  specimen('large strokes', (secret) => ({ content: strokes(secret, { x: 10, y: 120, size: 16 }) })),
  specimen('squares', (secret) => ({ content: squares(secret, PLACE) })),
  specimen('bars', (secret) => ({ content: bars(secret, { ...PLACE, x: 20 }, 60) })),
  specimen('area within outlines', (secret) => ({ content: `q ${outlines(secret, PLACE)} W n ${AREA} f Q` })),
  specimen('picture', (secret) => ({ content: picture(secret) })),
  specimen('stencil', (secret) => ({ content: mask(secret) })),
  specimen('picture in forms', (secret) => ({
    ...inForm('/Y Do', '/XObject << /Y @y >>', '', { y: form(picture(secret)) }),
  })),
  specimen('pattern of text', (secret) => ({
    pages: [{ content: `/Pattern cs /P scn ${AREA} f`, resources: '/Pattern << /P @p >>' }],
    objects: { p: pattern(line(secret), 1) },
  })),
  specimen('pattern of text in the colour of its user', (secret) => ({
    pages: [
      {
        content: `/C cs 0 /P scn ${AREA} f`,
        resources: '/Pattern << /P @p >> /ColorSpace << /C [/Pattern /DeviceGray] >>',
      },
    ],
    objects: { p: pattern(line(secret), 2) },
  })),
  specimen('letters filled with a pattern', (secret) => ({
    pages: [{ content: `/Pattern cs /P scn ${line('MMMMMMMM', 10, 130, 60)}`, resources: '/Pattern << /P @p >>' }],
    objects: { p: pattern(Array.from({ length: 12 }, (_, at) => line(secret, 10, 132 + at * 4, 4)).join('\n'), 1) },
  })),
  specimen('area behind a mask of text', (secret) => ({
    pages: [{ content: `/G gs ${AREA} f`, resources: '/ExtGState << /G @g >>' }],
    objects: {
      g: '<< /Type /ExtGState /SMask << /Type /Mask /S /Luminosity /G @m >> >>',
      m: form(`1 g ${line(secret)}`, undefined, '/Group << /S /Transparency /CS /DeviceGray >>'),
    },
  })),
  specimen('form behind a mask of text', (secret) => ({
    pages: [{ content: '/G gs /X Do', resources: '/ExtGState << /G @g >> /XObject << /X @x >>' }],
    objects: {
      g: '<< /Type /ExtGState /SMask << /Type /Mask /S /Luminosity /G @m >> >>',
      m: form(`1 g ${line(secret)}`, undefined, '/Group << /S /Transparency /CS /DeviceGray >>'),
      x: form(`${AREA} f`, undefined, '/Group << /S /Transparency >>'),
    },
  })),
];

function pattern(content: string, paint: 1 | 2): string {
  return stream(
    content,
    `/Type /Pattern /PatternType 1 /PaintType ${paint} /TilingType 1 /BBox [0 0 400 300] /XStep 400 /YStep 300 /Resources << /Font << /F1 @helvetica >> >>`,
  );
}

const nested: Specimen[] = [
  specimen('text in a form', (secret) => inForm(line(secret))),
  specimen('text in a scaled form', (secret) => inForm(line(secret, 20, 70), undefined, '/Matrix [1.5 0 0 1.5 10 10]')),
  specimen('text in a turned form', (secret) =>
    inForm(line(secret, 40, 20), undefined, '/Matrix [0.9 0.43 -0.43 0.9 60 10]'),
  ),
  specimen('text in nested forms', (secret) => inForm('/Y Do', '/XObject << /Y @y >>', '', { y: form(line(secret)) })),
  specimen('text in a transparent group', (secret) =>
    inForm(line(secret), undefined, '/Group << /S /Transparency /I true >>'),
  ),
  specimen('characters without names', (secret) => ({ ...typeThree(secret, 'none', false) }), UNNAMED),
  specimen('characters without names in a form', (secret) => ({ ...typeThree(secret, 'none', true) }), UNNAMED),
  specimen('drawn characters with names', (secret) => ({ ...typeThree(secret, 'table', false) })),
  specimen(
    'drawn characters with the names of glyphs',
    (secret) => ({ ...typeThree(secret, 'glyphs', true) }),
    UNNAMED,
  ),
  specimen('private characters', (secret) => ({ ...typeThree(secret, 'private', false) }), UNNAMED),
  specimen('one drawn character for all', (secret) => ({
    pages: [{ content: `BT /T 10 Tf 40 150 Td (a) Tj ET`, resources: '/Font << /F1 @helvetica /T @t >>' }],
    objects: {
      t: typeThreeFont(['whole'], 'none'),
      whole: stream(`2000 0 0 -200 30000 2200 d1 ${squares(secret, { x: 0, y: 0, size: 800 }).replaceAll(' f', '')} f`),
    },
  })),
];

const GLYPH_NAMES = ['hyphen', 'zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];

/** Returns a font whose glyphs are procedures of the same names. Codes begin at 97. */
function typeThreeFont(glyphs: readonly string[], names: 'none' | 'table' | 'glyphs' | 'private'): string {
  const named = glyphs.map((glyph, at) => (names === 'glyphs' ? glyph : `x${at}`));
  const procedures = glyphs.map((glyph, at) => `/${named[at]} @${glyph}`).join(' ');
  const table = names === 'table' || names === 'private' ? '/ToUnicode @table' : '';
  return (
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 -200 30000 2200] /FontMatrix [0.0005 0 0 0.0005 0 0] /FirstChar 97 ` +
    `/LastChar ${96 + glyphs.length} /Widths [${glyphs.map(() => 1300).join(' ')}] /CharProcs << ${procedures} >> ` +
    `/Encoding << /Type /Encoding /Differences [97 ${named.map((name) => `/${name}`).join(' ')}] >> ${table} >>`
  );
}

function typeThree(secret: string, names: 'none' | 'table' | 'glyphs' | 'private', isNested: boolean): WrittenPdf {
  const codes = [...secret].map((one) => String.fromCharCode(97 + (one === '-' ? 0 : Number(one) + 1))).join('');
  const content = `BT /T 20 Tf 40 150 Td (${codes}) Tj ET`;
  const fonts = '/Font << /F1 @helvetica /T @t >>';
  const table = new Map(
    GLYPH_NAMES.map((_, at) => [97 + at, names === 'private' ? String.fromCharCode(0xf061 + at) : '-0123456789'[at]!]),
  );
  const objects = {
    t: typeThreeFont(GLYPH_NAMES, names),
    table: toUnicode(table, 1),
    ...Object.fromEntries(
      GLYPH_NAMES.map((name, at) => [
        name,
        stream(
          `1300 0 0 -200 1300 2200 d1 ${strokes('-0123456789'[at]!, { x: 100, y: 100, size: 800 }).replace('2 w', '150 w')}`,
        ),
      ]),
    ),
  };
  if (isNested) return inForm(content, fonts, '', objects);
  return { pages: [{ content, resources: fonts }], objects };
}

const attached: Specimen[] = [
  specimen('annotation with an appearance', (secret) => ({
    pages: [{ content: '', entries: '/Annots [@a]' }],
    objects: {
      a: '<< /Type /Annot /Subtype /FreeText /F 4 /Rect [40 140 300 180] /Contents (A note) /DA (/F1 14 Tf) /AP << /N @look >> >>',
      look: form(line(secret, 4, 10), undefined, '/BBox [0 0 260 40]').replace('/BBox [0 0 400 300]', ''),
    },
  })),
  specimen(
    'form field',
    (secret) => ({
      pages: [{ content: line('Number:', 40, 185), entries: '/Annots [@a]' }],
      objects: {
        a: `<< /Type /Annot /Subtype /Widget /F 4 /FT /Tx /T (number) /V ${literal(secret)} /Rect [40 140 300 180] /DA (/F1 14 Tf) /AP << /N @look >> >>`,
        look: form(line(secret, 4, 10), undefined, '/BBox [0 0 260 40]').replace('/BBox [0 0 400 300]', ''),
      },
      catalog: '/AcroForm << /Fields [@a] /DR << /Font << /F1 @helvetica >> >> >>',
    }),
    { isVisible: false },
  ),
  specimen('ink', (secret) => ({
    pages: [{ content: '', entries: '/Annots [@a]' }],
    objects: {
      a: '<< /Type /Annot /Subtype /Ink /F 4 /Rect [0 0 400 300] /InkList [[0 0 1 1]] /AP << /N @look >> >>',
      look: form(strokes(secret, PLACE)),
    },
  })),
];

/** Returns a page in a font of two-byte codes with a table of characters. The file has no shapes of the glyphs. */
function written(text: (secret: string) => string, entries = ''): (secret: string) => WrittenPdf {
  return (secret) => {
    const codes = new Map<string, number>();
    const hex = [...text(secret)].map((one) => {
      if (!codes.has(one)) codes.set(one, one.codePointAt(0)!);
      return codes.get(one)!.toString(16).padStart(4, '0');
    });
    const table = new Map([...codes].map(([one, code]) => [code, one.normalize('NFC')]));
    return {
      pages: [
        { content: `BT /W 14 Tf 40 150 Td <${hex.join('')}> Tj ET`, resources: '/Font << /F1 @helvetica /W @w >>' },
      ],
      objects: {
        w: `<< /Type /Font /Subtype /Type0 /BaseFont /DejaVuSans /Encoding /Identity-H /DescendantFonts [@d] ${entries || '/ToUnicode @table'} >>`,
        d: '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /DejaVuSans /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor @f /DW 700 >>',
        f: '<< /Type /FontDescriptor /FontName /DejaVuSans /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
        table: toUnicode(table, 2),
      },
    };
  };
}

const scripts: Specimen[] = [
  specimen(
    'two-byte codes',
    written((secret) => secret),
  ),
  specimen(
    'two-byte codes without a table',
    written((secret) => secret, '/Name /W'),
    UNNAMED,
  ),
];

export const SPECIMENS: readonly Specimen[] = [...placed, ...hidden, ...drawn, ...nested, ...attached, ...scripts];
