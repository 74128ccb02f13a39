/**
 * Writes the numbers of headings and lists into the source of a Word file, as Word shows them: `3.2`, `(a)`, `Article IV`. The file
 * itself says only which paragraphs are counted and how. The converter drops the numbers of headings and counts each list from 1.
 */
import { attribute, childElements, findElements, readXml, type XmlElement } from '../../xml/tree.ts';
import { numberLabel } from '../number-label.ts';

/** Surrounds a number in the source, until the converted file says where it stands. */
export const NUMBER_MARK = '\ue0c3';

/** Number of levels of a list. */
const LEVELS = 9;
/** Maximum length of the text around the numbers of a label. */
const PATTERN_UNITS_MAX = 100;
/** Maximum number of styles between a style and the one that says how it is counted. */
const BASES_MAX = 8;

interface Level {
  start: number | undefined;
  format: string;
  /** The label with `%1` for the number of the first level. */
  pattern: string;
  /** The style of paragraphs that are on this level. */
  style: string;
  /** Whether numbers of outer levels are written with digits. */
  isLegal: boolean;
  /** Whether the numbers go on when an outer number changes. */
  goesOn: boolean;
}

interface Count {
  list: string;
  level: number;
}

/** Returns the source of the document with its numbers. `numbering` and `styles` are the parts of that name. */
export function withNumbers(xml: string, numbering: string, styles: string): string {
  if (!numbering.includes(':num ')) return xml;
  const counter = new Counter(readXml(numbering), readXml(styles));
  const parts: string[] = [];
  let from = 0;
  /** Number of table cells around the place. */
  let cells = 0;
  /** The end of the present paragraph, and the properties of the next one. */
  let close = -1;
  let next = -1;
  for (let at = xml.indexOf('<w:pPr>'); at !== -1; at = next) {
    let end = xml.indexOf('</w:pPr>', at);
    if (end === -1) break;
    // Properties as they were before a change stand at the end, in an element of the same name.
    const [properties = ''] = xml.slice(at, end).split('<w:pPrChange', 1);
    if (xml.startsWith('</w:pPrChange>', end + '</w:pPr>'.length)) end = xml.indexOf('</w:pPr>', end + 1);
    if (end === -1) break;
    end += '</w:pPr>'.length;
    if (close < end) close = xml.indexOf('</w:p>', end);
    if (close === -1) close = xml.length;
    next = xml.indexOf('<w:pPr>', end);
    const content = xml.slice(end, next === -1 ? close : Math.min(close, next));
    for (const [, slash] of xml.slice(from, at).matchAll(/<(\/?)w:tc[\s>]/g)) cells += slash === '' ? 1 : -1;
    const hasText = /<w:t[\s>]/.test(content);
    const isDeleted = !hasText && content.includes('<w:delText');
    const label = isDeleted ? '' : counter.next(properties);
    parts.push(xml.slice(from, end));
    // A column of a table may consist of numbers alone.
    if (label !== '' && (hasText || cells > 0))
      parts.push(`<w:r><w:t xml:space="preserve">${NUMBER_MARK}${label}${NUMBER_MARK}</w:t></w:r>`);
    from = end;
  }
  return parts.join('') + xml.slice(from);
}

const MARKED = new RegExp(`(<li>)?${NUMBER_MARK}([^${NUMBER_MARK}<>]*)${NUMBER_MARK}`, 'g');

/** Returns the converted document with the numbers of its items as attributes, and the others as text. */
export function placeNumbers(html: string, attributeName: string): string {
  return html.replace(MARKED, (_all, item = '', label = '') =>
    item === '' ? `${label} ` : `<li ${attributeName}="${label.replaceAll('"', '&quot;')}">`,
  );
}

/** Counts the paragraphs of a document. */
class Counter {
  /** The levels of each way of counting, and the way of each list. */
  private readonly levels = new Map<string, Level[]>();
  private readonly lists = new Map<string, string>();
  /** Numbers with which levels of a list begin anew at its first paragraph. */
  private readonly restarts = new Map<string, (readonly [level: number, start: number])[]>();
  private readonly styles = new Map<string, { base: string; list: string; level: number | undefined }>();
  /** The present numbers of each way of counting. */
  private readonly numbers = new Map<string, (number | undefined)[]>();

  constructor(numbering: XmlElement, styles: XmlElement) {
    for (const style of findElements(styles, 'style')) {
      const counted = findElements(style, 'numPr')[0];
      this.styles.set(attribute(style, 'w:styleId'), {
        base: valueIn(style, 'basedOn'),
        list: counted ? valueIn(counted, 'numId') : '',
        level: counted && valueIn(counted, 'ilvl') !== '' ? Number(valueIn(counted, 'ilvl')) : undefined,
      });
    }
    const linked = new Map<string, string>();
    for (const kind of findElements(numbering, 'abstractNum')) {
      const id = attribute(kind, 'w:abstractNumId');
      this.levels.set(id, levelsOf(kind));
      const link = valueIn(kind, 'numStyleLink');
      if (link !== '') linked.set(id, link);
    }
    for (const list of findElements(numbering, 'num')) {
      const id = attribute(list, 'w:numId');
      this.lists.set(id, valueIn(list, 'abstractNumId'));
      this.override(id, list);
    }
    for (const [id, style] of linked) {
      const levels = this.levels.get(this.lists.get(this.styles.get(style)?.list ?? '') ?? '');
      if (levels) this.levels.set(id, levels);
    }
  }

  /** Notes where a list counts in another way than other lists of its kind. */
  private override(id: string, list: XmlElement): void {
    const changes = childElements(list, 'lvlOverride');
    const starts = changes.flatMap((change) => {
      const start = valueIn(change, 'startOverride');
      return start === '' ? [] : [[Number(attribute(change, 'w:ilvl')), Number(start)] as const];
    });
    if (starts.length > 0) this.restarts.set(id, starts);
    const levels = changes.flatMap((change) => levelsOf(change));
    if (levels.length === 0) return;
    const kind = `${this.lists.get(id)} of ${id}`;
    const own = [...(this.levels.get(this.lists.get(id) ?? '') ?? [])];
    for (const [index, level] of Object.entries(levels)) {
      own[Number(index)] = { ...level, start: level.start ?? own[Number(index)]?.start };
    }
    this.levels.set(kind, own);
    this.lists.set(id, kind);
  }

  /** Counts a paragraph with these properties and returns its label, which is empty if it has none. */
  next(properties: string): string {
    const count = this.countOf(properties);
    const kind = count && this.lists.get(count.list);
    const levels = kind === undefined ? undefined : this.levels.get(kind);
    const level = count && levels?.[count.level];
    if (!count || !level || kind === undefined || !levels) return '';
    const numbers = this.numbers.get(kind) ?? [];
    this.numbers.set(kind, numbers);
    for (const [index, start] of this.restarts.get(count.list) ?? [])
      if (index <= count.level) numbers[index] = index < count.level ? start : start - 1;
    this.restarts.delete(count.list);
    const before = numbers[count.level];
    numbers[count.level] = before === undefined ? (level.start ?? 1) : before + 1;
    for (let outer = 0; outer < count.level; outer += 1) numbers[outer] ??= levels[outer]?.start ?? 1;
    for (let inner = count.level + 1; inner < LEVELS; inner += 1)
      if (!levels[inner]?.goesOn) numbers[inner] = undefined;
    if (level.format === 'bullet') return '';
    return level.pattern
      .replace(/%([1-9])/g, (_sign, digit: string) => {
        const index = Number(digit) - 1;
        const shown = level.isLegal ? 'decimal' : (levels[index]?.format ?? 'decimal');
        return numberLabel(numbers[index] ?? levels[index]?.start ?? 1, shown);
      })
      .trim();
  }

  private countOf(properties: string): Count | undefined {
    const list = /<w:numId\s[^<>]*w:val="(\d{1,9})"/.exec(properties)?.[1];
    const ownLevel = /<w:ilvl\s[^<>]*w:val="(\d)"/.exec(properties)?.[1];
    let style = /<w:pStyle\s[^<>]*w:val="([^"<>]*)"/.exec(properties)?.[1] ?? '';
    if (list !== undefined && ownLevel !== undefined) return { list, level: Number(ownLevel) };
    let inherited: number | undefined;
    for (let step = 0; step < BASES_MAX; step += 1) {
      const known = this.styles.get(style);
      if (!known) break;
      inherited ??= known.level;
      const counted = list ?? known.list;
      if (counted !== '') {
        const levels = this.levels.get(this.lists.get(counted) ?? '') ?? [];
        const named = levels.findIndex((level) => level?.style === style);
        const level = ownLevel === undefined ? (inherited ?? (named === -1 ? undefined : named)) : Number(ownLevel);
        if (list === undefined || level !== undefined) return { list: counted, level: level ?? 0 };
      }
      style = known.base;
    }
    return list === undefined ? undefined : { list, level: 0 };
  }
}

/** Returns the levels inside an element, by their index. */
function levelsOf(parent: XmlElement): Level[] {
  const levels: Level[] = [];
  for (const level of childElements(parent, 'lvl')) {
    const index = Number(attribute(level, 'w:ilvl'));
    if (!(index < LEVELS)) continue;
    const start = valueIn(level, 'start');
    levels[index] = {
      start: start === '' ? undefined : Number(start),
      format: valueIn(level, 'numFmt') || 'decimal',
      pattern: valueIn(level, 'lvlText').slice(0, PATTERN_UNITS_MAX).replaceAll('&', '').replaceAll('<', ''),
      style: valueIn(level, 'pStyle'),
      isLegal: childElements(level, 'isLgl').length > 0,
      goesOn: valueIn(level, 'lvlRestart') === '0',
    };
  }
  return levels;
}

function valueIn(parent: XmlElement, name: string): string {
  return attribute(childElements(parent, name)[0] ?? { head: '' }, 'w:val');
}
