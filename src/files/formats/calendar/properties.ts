/** Reads the lines of calendars and contacts: unfolds them, and decodes parameters and values (RFC 5545, RFC 6350, vCard 2.1). Linear. */

export interface Property {
  /** The name in capitals, without its group. */
  name: string;
  /** The group that joins properties, in capitals: `ITEM1` of `item1.TEL`. */
  group?: string;
  /** Parameters in capitals with their values. Types of vCard 2.1 have no name and are in `TYPE`. */
  parameters: ReadonlyMap<string, string>;
  /** The value with its escapes. */
  value: string;
}

/** Longer values are cut: they are pictures. */
const VALUE_UNITS_MAX = 64 * 1024;
const PARAMETERS_UNITS_MAX = 4096;
const PARAMETERS_MAX = 50;

/** Yields the properties of a text, in order. Lines that are none are left out. */
export function* propertiesOf(source: string): Generator<Property> {
  for (const line of unfolded(source)) {
    const property = propertyOf(line);
    if (property) yield property;
  }
}

/** Yields lines, joined with the lines that continue them. The rest of a line that is too long is dropped. */
function* unfolded(source: string): Generator<string> {
  let parts: string[] = [];
  let units = 0;
  let soft = false;
  for (let from = 0; from < source.length; ) {
    const end = source.indexOf('\n', from);
    const line = source.slice(from, end === -1 ? source.length : end);
    from = end === -1 ? source.length : end + 1;
    const isFold = line.startsWith(' ') || line.startsWith('\t');
    // Old contacts cut a line of quoted-printable text with an equals sign.
    const isSoft = soft && (parts.at(-1)?.endsWith('=') ?? false);
    if (isSoft) parts.push(parts.pop()!.slice(0, -1));
    else if (!isFold) {
      if (parts.length > 0) yield parts.join('');
      parts = [];
      units = 0;
      soft = /^[^:]{0,400}quoted-printable/i.test(line);
    }
    const part = isFold && !isSoft ? line.slice(1) : line;
    if (units < VALUE_UNITS_MAX && (part !== '' || !isFold)) parts.push(part.slice(0, VALUE_UNITS_MAX));
    units += part.length;
  }
  if (parts.length > 0) yield parts.join('');
}

function propertyOf(line: string): Property | undefined {
  const end = colonOf(line);
  if (end === -1) return undefined;
  const [name = '', ...rest] = partsOf(line.slice(0, end), ';');
  const parameters = new Map<string, string>();
  for (const part of rest.slice(0, PARAMETERS_MAX)) {
    const [key = '', ...values] = part.split('=');
    const isType = values.length === 0 || /^type$/i.test(key);
    const value = (isType && values.length === 0 ? key : values.join('=')).replaceAll('"', '');
    const before = isType ? parameters.get('TYPE') : undefined;
    parameters.set(isType ? 'TYPE' : key.trim().toUpperCase(), before === undefined ? value : `${before},${value}`);
  }
  const raw = line.slice(end + 1);
  const encoding = `${parameters.get('ENCODING') ?? ''},${parameters.get('TYPE') ?? ''}`;
  const value = /quoted-printable/i.test(encoding) ? quotedPrintable(raw, parameters.get('CHARSET') ?? 'utf-8') : raw;
  const dot = name.lastIndexOf('.');
  const group = name.slice(0, Math.max(dot, 0)).trim().toUpperCase();
  return {
    name: name
      .slice(dot + 1)
      .trim()
      .toUpperCase(),
    ...(group === '' ? {} : { group }),
    parameters,
    value,
  };
}

/** Returns the place of the colon before the value. Quoted parameters may contain colons. */
function colonOf(line: string): number {
  let isQuoted = false;
  for (let i = 0; i < Math.min(line.length, PARAMETERS_UNITS_MAX); i += 1) {
    if (line[i] === '"') isQuoted = !isQuoted;
    else if (line[i] === ':' && !isQuoted) return i;
  }
  return -1;
}

/** Returns the parts of a text between separators that are neither quoted nor escaped. */
export function partsOf(text: string, separator: ';' | ','): string[] {
  const parts: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '"') isQuoted = !isQuoted;
    else if (text[i] === separator && !isQuoted) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

/** Returns a value without its escapes. */
export function plainText(value: string): string {
  return value.replace(/\\([\s\S])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)).trim();
}

function quotedPrintable(text: string, charset: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  const plain = bytes.replace(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return decoderOf(charset).decode(Buffer.from(plain, 'latin1'));
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder(); // The name of the encoding is unknown.
  }
}
