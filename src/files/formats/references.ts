/** Decodes references to characters (`&amp;`, `&#65;`) in the source of XML and HTML. Pure. */
import { lazy } from '../../util/lazy.ts';
import { readWordPairs } from '../../util/package-files.ts';

/** Characters by their names. */
const NAMES = lazy(() => {
  const points = Object.entries(readWordPairs('web/character-names.txt'));
  return new Map(points.map(([name, point]) => [name, String.fromCodePoint(Number.parseInt(point, 16))]));
});
const XML_REFERENCE = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const HTML_REFERENCE = /&(?:([a-z][a-z\d]{1,15})|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;
const CODE_POINT_MAX = 0x10ffff;

/** Returns the text with the five entities of XML and all character references decoded. Other references stay. */
export function decodeXml(text: string): string {
  return text.includes('&') ? text.replace(XML_REFERENCE, decodeReference) : text;
}

/** Returns the text with the names of common characters and all character references decoded. Other references stay. */
export function decodeHtml(text: string): string {
  return text.includes('&') ? text.replace(HTML_REFERENCE, decodeReference) : text;
}

/** Returns the character with this name: `é` for `eacute`. */
export function namedCharacter(name: string): string | undefined {
  return NAMES().get(name);
}

function decodeReference(source: string, name?: string, decimal?: string, hex?: string): string {
  // A no-break space has no meaning in a text without a layout.
  if (name) return namedCharacter(name)?.replace('\u00a0', ' ') ?? source;
  const point = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
  const isCharacter = point > 0 && point <= CODE_POINT_MAX && (point < 0xd800 || point > 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : source;
}
