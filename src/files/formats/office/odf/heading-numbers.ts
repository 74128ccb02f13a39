/** Writes the numbers of headings into an OpenDocument text, as LibreOffice shows them: `2.1`. The file says only how they are counted. */
import { attribute, childElements, findElements, type XmlElement } from '../../xml/tree.ts';
import { numberLabel } from '../number-label.ts';

interface Level {
  format: string;
  prefix: string;
  suffix: string;
  /** Number of levels in a label. */
  shown: number;
  start: number;
  /** A label with `%1%` for the number of the first level, instead of prefix and suffix. */
  pattern: string;
}

/** Levels of a way of counting, by their number. */
type Levels = ReadonlyMap<number, Level>;

/** The way of counting of all headings whose style names no other. */
const OUTLINE = 'Outline';
const LEVEL_MAX = 10;
/** Maximum number of styles between a style and the one that names a list. */
const BASES_MAX = 8;
const FORMATS: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};

/** Puts the number of each heading before its text. `sources` are the content and the styles. */
export function numberHeadings(body: XmlElement, sources: readonly XmlElement[]): void {
  if (findElements(body, 'h').length === 0) return;
  new HeadingCounter(sources).walk(body, undefined);
}

/** The list in which a heading is. */
interface List {
  style: string;
  depth: number;
}

class HeadingCounter {
  private readonly ways = new Map<string, Levels>();
  /** The list and the parent of each style of paragraphs. The empty list takes the number away. */
  private readonly styles = new Map<string, { list: string | undefined; parent: string }>();
  private readonly numbers = new Map<string, number[]>();

  constructor(sources: readonly XmlElement[]) {
    for (const source of sources) {
      for (const outline of findElements(source, 'outline-style')) this.ways.set(OUTLINE, levelsOf(outline));
      for (const list of findElements(source, 'list-style'))
        this.ways.set(attribute(list, 'style:name'), levelsOf(list));
      for (const style of findElements(source, 'style')) {
        if (attribute(style, 'style:family') !== 'paragraph') continue;
        const isNamed = /\sstyle:list-style-name\s*=/.test(style.head);
        this.styles.set(attribute(style, 'style:name'), {
          list: isNamed ? attribute(style, 'style:list-style-name') : undefined,
          parent: attribute(style, 'style:parent-style-name'),
        });
      }
    }
  }

  /** Numbers the headings in an element. The depth of the tree is limited, so the walk may recurse. */
  walk(parent: XmlElement, list: List | undefined): void {
    for (const child of childElements(parent)) {
      if (child.name === 'tracked-changes') continue;
      if (child.name === 'list') {
        const style = attribute(child, 'text:style-name') || (list?.style ?? '');
        const goesOn = list || /\stext:continue-(?:list|numbering)="(?!false)/.test(child.head);
        if (!goesOn && style !== OUTLINE) this.numbers.delete(style);
        this.walk(child, { style, depth: (list?.depth ?? 0) + 1 });
      } else if (child.name === 'list-header') this.walk(child, undefined);
      else if (child.name === 'h') this.number(child, list);
      else this.walk(child, list);
    }
  }

  private number(heading: XmlElement, list: List | undefined): void {
    if (attribute(heading, 'text:is-list-header') === 'true') return;
    const outline = Number(attribute(heading, 'text:outline-level')) || 1;
    const way = list?.style || (this.listOf(attribute(heading, 'text:style-name')) ?? OUTLINE);
    const level = Math.min(list && list.style !== OUTLINE ? list.depth : outline, LEVEL_MAX);
    const levels = this.ways.get(way);
    const own = levels?.get(level);
    if (!levels || !own) return;
    const numbers = this.numbers.get(way) ?? [];
    this.numbers.set(way, numbers);
    const start = Number(attribute(heading, 'text:start-value'));
    const isNew = attribute(heading, 'text:restart-numbering') === 'true';
    const before = isNew ? undefined : numbers[level];
    numbers[level] = isNew && start > 0 ? start : before === undefined ? own.start : before + 1;
    for (let outer = 1; outer < level; outer += 1) numbers[outer] ??= levels.get(outer)?.start ?? 1;
    numbers.length = level + 1;
    const label = labelOf(own, level, numbers, levels);
    if (label !== '') heading.children.unshift(`${label} `);
  }

  /** Returns the list that a style of paragraphs names, or a style that it goes back to. */
  private listOf(name: string): string | undefined {
    let style = this.styles.get(name);
    for (let step = 0; step < BASES_MAX && style && style.list === undefined; step += 1)
      style = this.styles.get(style.parent);
    return style?.list;
  }
}

function labelOf(own: Level, level: number, numbers: readonly number[], levels: Levels): string {
  if (own.format === '') return '';
  const number = (at: number) => {
    const format = levels.get(at)?.format ?? '';
    return format === '' ? '' : numberLabel(numbers[at] ?? 1, FORMATS[format] ?? 'decimal');
  };
  if (own.pattern !== '') return own.pattern.replace(/%(\d{1,2})%/g, (_sign, at: string) => number(Number(at))).trim();
  const shown = Array.from({ length: own.shown }, (_, i) => number(level - own.shown + 1 + i)).filter(Boolean);
  return `${own.prefix}${shown.join('.')}${own.suffix}`.trim();
}

function levelsOf(list: XmlElement): Levels {
  const levels = new Map<number, Level>();
  for (const level of childElements(list)) {
    if (!/^(?:outline-level-style|list-level-style-number)$/.test(level.name)) continue;
    const at = Number(attribute(level, 'text:level'));
    levels.set(at, {
      format: attribute(level, 'style:num-format'),
      prefix: attribute(level, 'style:num-prefix'),
      suffix: attribute(level, 'style:num-suffix'),
      shown: Math.min(Math.max(Number(attribute(level, 'text:display-levels')) || 1, 1), at),
      start: Number(attribute(level, 'text:start-value')) || 1,
      pattern: attribute(level, 'loext:num-list-format'),
    });
  }
  return levels;
}
