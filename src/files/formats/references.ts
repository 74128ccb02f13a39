/** Decodes references to characters (`&amp;`, `&#65;`) in the source of XML and HTML. Pure. */

const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: ' ' };
const XML_REFERENCE = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const HTML_REFERENCE = /&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;
const CODE_POINT_MAX = 0x10ffff;

/** Returns the text with the five entities of XML and all character references decoded. Other references stay. */
export function decodeXml(text: string): string {
  return text.includes('&') ? text.replace(XML_REFERENCE, decodeReference) : text;
}

/** Returns the text with the most common entities of HTML and all character references decoded. Other references stay. */
export function decodeHtml(text: string): string {
  return text.includes('&') ? text.replace(HTML_REFERENCE, decodeReference) : text;
}

function decodeReference(source: string, name?: string, decimal?: string, hex?: string): string {
  if (name) return NAMED[name.toLowerCase()] ?? source;
  const point = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16);
  const isCharacter = point > 0 && point <= CODE_POINT_MAX && (point < 0xd800 || point > 0xdfff);
  return isCharacter ? String.fromCodePoint(point) : source;
}
