/** Bounds the text and the work that an AsciiDoc source may ask of Asciidoctor. Pure. */

/** Maximum UTF-16 units that values of attributes and texts of cross references add. */
const ADDED_UNITS_MAX = 1_000_000;
/** Maximum UTF-16 units of the value of an attribute, by the library. */
const VALUE_UNITS_MAX = 4096;
/** Maximum number of sections with one title: the library tries all numbers before it has an identifier for the next one. */
const SAME_TITLES_MAX = 500;

const DEFINITION = /^:!?([^\s:][^:\n]*):[ \t]+((?:.*[\\+]\n)*.*)$|\{(?:set|counter2?):([^:}\n]+):([^}\n]*)/gm;
const REFERENCE = /\{([\p{L}\p{M}\p{N}_-]+)\}/gu;
/** Matches references to attributes, and cross references without a text of their own. */
const REFERENCES = /\{([\p{L}\p{M}\p{N}_-]+)\}|<<[^<>\n,]*>>|\bxref:[^\s[]{1,200}\[\]/gu;
/** Matches what cross references are replaced by: titles and texts of anchors. */
const TITLE = /^[=.#].*$|^.*(?=\n[-=~^+]{2,}$)|\[\[[^\]\n]*|^\[[^\]\n]*|\banchor:[^\s[]{1,200}\[[^\]\n]*/gm;
/** Matches attributes that the library takes from the head of a source. */
const HEAD = /^(?:doctitle|title|author|firstname|middlename|lastname|email|rev|man)/;
const HEAD_LINES = /^\s*(?:\S.*\n?)*/;

/** Returns the source with `\` before the references that would add more than ADDED_UNITS_MAX. */
export function boundReferences(source: string): string {
  const units = attributeUnits(source);
  const head = HEAD_LINES.exec(source)?.[0].split('\n') ?? [];
  const titleUnits = [...head, ...Array.from(source.matchAll(TITLE), ([title]) => title)].reduce(
    (most, { length }) => Math.max(most, length),
    0,
  );
  let remaining = ADDED_UNITS_MAX;
  return source.replace(REFERENCES, (whole, name: string | undefined) => {
    const key = name?.toLowerCase();
    const added = key === undefined ? titleUnits : (units.get(key) ?? (HEAD.test(key) ? titleUnits : 0));
    if (added > remaining) return `\\${whole}`;
    remaining -= added;
    return whole;
  });
}

/** Returns the largest length of the values of each attribute. */
function attributeUnits(source: string): Map<string, number> {
  const units = new Map<string, number>();
  for (const [, name, value = '', setName = '', setValue = ''] of source.matchAll(DEFINITION)) {
    const key = (name ?? setName).replace(/[^\p{L}\p{M}\p{N}_-]/gu, '').toLowerCase();
    let length = setValue.length + value.length;
    for (const [, inner = ''] of value.matchAll(REFERENCE)) length += units.get(inner.toLowerCase()) ?? 0;
    if (name !== undefined) length = Math.min(length, VALUE_UNITS_MAX);
    units.set(key, Math.max(units.get(key) ?? 0, length));
  }
  return units;
}

/** True if very many sections have the same title, such as "Example". They then get no identifiers. */
export function repeatsTitles(source: string): boolean {
  const counts = new Map<string, number>();
  for (const [title] of source.matchAll(/^[=#]{1,6}[ \t].*$/gm)) {
    const key = title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
    const count = (counts.get(key) ?? 0) + 1;
    if (count > SAME_TITLES_MAX) return true;
    counts.set(key, count);
  }
  return false;
}
