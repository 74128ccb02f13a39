/**
 * Writes the numbers of headings and lists into the source of a Word file, as Word shows them: `3.2`, `(a)`, `Article IV`. The file
 * itself says only which paragraphs are counted and how. The converter drops the numbers of headings and counts each list from 1.
 */
import { usefulAltText } from '../../html/alt-text.ts';
import { attribute, childElements, findElements, readXml, type XmlElement } from '../../xml/tree.ts';
import { numberLabel } from '../number-label.ts';
import { run } from './source.ts';

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
  /** The numbers begin anew behind a paragraph of a level below this one. */
  restart: number;
}

interface Count {
  list: string;
  level: number;
}

/** A paragraph of the source. */
interface Paragraph {
  properties: string;
  /** The place of a number: the end of the properties. A paragraph without properties is not counted. */
  at: number;
  inCell: boolean;
  hasText: boolean;
  /** Whether something was deleted or moved away. */
  hasLost: boolean;
  /** Whether the mark at the end was deleted. The text goes on in the next paragraph, which says how both are counted. */
  hasLostMark: boolean;
  isMarkHidden: boolean;
  /** The place of the last paragraph inside, a box, if its text goes on in the next one. */
  held: number;
}

const CONTENT = 't|sym|footnoteReference|endnoteReference|docPr|imagedata';
const TOKEN = new RegExp(
  `<(/?)(?:w|wp|v|mc):(p|pPr|pPrChange|tc|del|moveFrom|Choice|${CONTENT})((?:\\s[^<>]*)?/?)>`,
  'g',
);

/**
 * Returns the plain source of a document with its numbers. `numbering` and `styles` are the parts of that name, and `hidden` the styles
 * that hide their paragraphs.
 */
export function withNumbers(
  xml: string,
  numbering: string,
  styles: string,
  hidden: ReadonlySet<string> = new Set(),
): string {
  if (!numbering.includes(':num ')) return xml;
  const counter = new Counter(readXml(numbering), readXml(styles));
  const found: { at: number; label: string }[] = [];
  for (const { properties, at, inCell, hasText, hasLost, hasLostMark, isMarkHidden } of paragraphsOf(xml, hidden)) {
    if (hasLostMark || (!hasText && (hasLost || isMarkHidden))) continue;
    const label = counter.next(properties);
    // A column of a table may consist of numbers alone.
    if (label !== undefined && (hasText || inCell)) found.push({ at, label });
  }
  const parts: string[] = [];
  let from = 0;
  for (const { at, label } of found.sort((a, b) => a.at - b.at)) {
    parts.push(xml.slice(from, at), run(`${NUMBER_MARK}${label}${NUMBER_MARK}`));
    from = at;
  }
  return parts.join('') + xml.slice(from);
}

/** Returns the paragraphs that have properties. The text of a box inside of a paragraph is not the text of this paragraph. */
function paragraphsOf(xml: string, hidden: ReadonlySet<string>): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  const open: Paragraph[] = [];
  /** What is outside of all paragraphs. */
  const outside = { held: -1 };
  /** Numbers of open table cells, of elements with lost text, and of alternatives that the converter does not read. */
  const depths = { cell: 0, lost: 0, unread: 0 };
  let start = -1;
  /** Properties as they were before a change. */
  let isBefore = false;
  for (const { 0: tag, 1: slash, 2: name = '', 3: attributes = '', index } of xml.matchAll(TOKEN)) {
    const isClosing = slash !== '';
    const isEmpty = attributes.endsWith('/');
    const last = open.at(-1);
    if (name === 'Choice') depths.unread += isEmpty ? 0 : isClosing ? -1 : 1;
    else if (depths.unread > 0) continue;
    else if (CONTENTS.has(name)) {
      if (last && depths.lost === 0) last.hasText ||= hasContent(name, attributes);
    } else if (name === 'p') {
      if (isClosing) open.pop();
      const around = open.at(-1) ?? outside;
      if (!isClosing && !isEmpty) open.push(newParagraph(around.held, depths.cell > 0));
      around.held = isClosing && last?.hasLostMark && last.hasText ? last.at : -1;
    } else if (isEmpty) continue;
    else if (name === 'tc') depths.cell += isClosing ? -1 : 1;
    else if (name === 'del' || name === 'moveFrom') {
      depths.lost += isClosing ? -1 : 1;
      if (last) last.hasLost = true;
    } else if (name === 'pPrChange') isBefore = !isClosing;
    else if (name !== 'pPr' || isBefore) continue;
    else if (!isClosing) start = index;
    else if (last && last.properties === '' && start !== -1) {
      last.properties = xml.slice(start, index).split('<w:pPrChange', 1)[0]!;
      if (last.at === -1) last.at = index + tag.length;
      const mark = MARK.exec(last.properties)?.[0] ?? '';
      last.hasLostMark = /<w:del(?=[\s/>])/.test(mark);
      const vanish = /<w:vanish((?:\s[^<>]*)?\/?)>/.exec(mark)?.[1];
      last.isMarkHidden = vanish === undefined ? hidden.has(styleOf(last.properties)) : isOn(vanish);
      paragraphs.push(last);
      start = -1;
    }
  }
  return paragraphs;
}

function styleOf(properties: string): string {
  return /<w:pStyle\s[^<>]*w:val="([^"<>]*)"/.exec(properties)?.[1] ?? '';
}

/** Matches the properties of the mark at the end of a paragraph. */
const MARK = /<w:rPr(?:\s[^<>]*)?>[\s\S]*?(?=<\/w:rPr>|<w:rPrChange|$)/;

/** Returns a paragraph, which may begin at the place of the one that it goes on. */
function newParagraph(at: number, inCell: boolean): Paragraph {
  const none = { hasLost: false, hasLostMark: false, isMarkHidden: false, held: -1 };
  return { properties: '', at, inCell, hasText: at !== -1, ...none };
}

/** Returns whether a property with these attributes is there and not switched off. */
function isOn(attributes: string | undefined): boolean {
  return attributes !== undefined && !/\sw:val="(?:0|false|off)"/.test(attributes);
}

const CONTENTS: ReadonlySet<string> = new Set(CONTENT.split('|'));

/** Returns whether an element shows something: a picture only has text if its author described it. */
function hasContent(name: string, attributes: string): boolean {
  if (name === 't') return !attributes.endsWith('/');
  if (name !== 'docPr' && name !== 'imagedata') return true;
  return usefulAltText(/\s(?:descr|o:title)="([^"]*)"/.exec(attributes)?.[1] ?? '') !== '';
}

const MARKED = new RegExp(`(<li>)?${NUMBER_MARK}([^${NUMBER_MARK}<>]*)${NUMBER_MARK}`, 'g');

/** Returns the converted document with the numbers of its items as attributes, and the others as text. */
export function placeNumbers(html: string, attributeName: string): string {
  return html.replace(MARKED, (_all, item = '', label = '') =>
    item === '' ? label && `${label} ` : `<li ${attributeName}="${label.replaceAll('"', '&quot;')}">`,
  );
}

/** Counts the paragraphs of a document. */
class Counter {
  /** The levels of each way of counting, and the way of each list. */
  private readonly levels = new Map<string, Level[]>();
  private readonly lists = new Map<string, string>();
  /** Numbers with which levels of a list begin anew at their first paragraph. */
  private readonly restarts = new Map<string, Map<number, number>>();
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
      const start = startIn(change, 'startOverride');
      return start === undefined ? [] : [[Number(attribute(change, 'w:ilvl')), start] as const];
    });
    if (starts.length > 0) this.restarts.set(id, new Map(starts));
    const levels: Level[] = [];
    for (const change of changes)
      levelsOf(change).forEach((level, index) => {
        levels[index] = level;
      });
    if (levels.length === 0) return;
    const kind = `${this.lists.get(id)} of ${id}`;
    const own = [...(this.levels.get(this.lists.get(id) ?? '') ?? [])];
    levels.forEach((level, index) => {
      own[index] = { ...level, start: level.start ?? own[index]?.start };
    });
    this.levels.set(kind, own);
    this.lists.set(id, kind);
  }

  /** Counts a paragraph with these properties and returns its label. Returns undefined if it is not counted or has a bullet. */
  next(properties: string): string | undefined {
    const count = this.countOf(properties);
    const kind = count && this.lists.get(count.list);
    const levels = kind === undefined ? undefined : this.levels.get(kind);
    const level = count && levels?.[count.level];
    if (!count || !level || kind === undefined || !levels) return undefined;
    const numbers = this.numbers.get(kind) ?? [];
    this.numbers.set(kind, numbers);
    const restarts = this.restarts.get(count.list);
    for (const [index, start] of restarts ?? []) {
      if (index > count.level) continue;
      numbers[index] = index < count.level ? start : start - 1;
      restarts?.delete(index);
    }
    const before = numbers[count.level];
    numbers[count.level] = before === undefined ? (level.start ?? 1) : before + 1;
    for (let outer = 0; outer < count.level; outer += 1) numbers[outer] ??= levels[outer]?.start ?? 1;
    for (let inner = count.level + 1; inner < LEVELS; inner += 1)
      if (count.level < (levels[inner]?.restart ?? LEVELS)) numbers[inner] = undefined;
    if (level.format === 'bullet') return undefined;
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
    let style = styleOf(properties);
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
    levels[index] = {
      start: startIn(level, 'start'),
      format: valueIn(level, 'numFmt') || 'decimal',
      pattern: valueIn(level, 'lvlText').slice(0, PATTERN_UNITS_MAX).replace(/\s+/g, ' '),
      style: valueIn(level, 'pStyle'),
      isLegal: isOn(childElements(level, 'isLgl')[0]?.head),
      restart: startIn(level, 'lvlRestart') ?? LEVELS,
    };
  }
  return levels;
}

/** Returns the number with which a level begins, if the file has one. */
function startIn(parent: XmlElement, name: string): number | undefined {
  const text = valueIn(parent, name);
  return text !== '' && Number.isInteger(Number(text)) ? Number(text) : undefined;
}

function valueIn(parent: XmlElement, name: string): string {
  return attribute(childElements(parent, name)[0] ?? { head: '' }, 'w:val');
}
