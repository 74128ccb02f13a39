/** Counts headings and list items of an OpenDocument file as LibreOffice shows them: `2.1`, `(a)`. The file says only how to count. */
import { attribute, childElements, findElements, type XmlElement } from '../../xml/tree.ts';
import { type NumberLevel, nextLabel } from '../number-label.ts';

/** Levels of a way of counting, by their number. */
type Levels = ReadonlyMap<number, NumberLevel>;

/** The way of counting of all headings whose style names no other. */
const OUTLINE = 'Outline';
const LEVEL_MAX = 10;
/** Maximum number of styles between a style and the one that names a list. */
const BASES_MAX = 8;
const NUMBERED = /^(?:outline-level-style|list-level-style-number)$/;
const FORMATS: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};

/** Puts the number of each heading before its text, and the label of each list item before its parts. `sources` have the styles. */
export function numberParagraphs(body: XmlElement, sources: readonly XmlElement[]): void {
  new Counter(sources).walk(body, undefined);
}

/** The list in which a paragraph is. */
interface List {
  style: string;
  depth: number;
}

class Counter {
  private readonly ways = new Map<string, Levels>();
  /** The list and the parent of each style of paragraphs. The empty list takes the number away. */
  private readonly styles = new Map<string, { list: string | undefined; parent: string }>();
  private readonly numbers = new Map<string, (number | undefined)[]>();

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

  /** Numbers the headings and list items in an element. The depth of the tree is limited, so the walk may recurse. */
  walk(parent: XmlElement, list: List | undefined): void {
    for (const child of childElements(parent)) {
      if (child.name === 'tracked-changes') continue;
      if (child.name === 'list') {
        const style = attribute(child, 'text:style-name') || (list?.style ?? '');
        const goesOn = list?.style === style || /\stext:continue-(?:list|numbering)="(?!false)/.test(child.head);
        if (!goesOn && style !== OUTLINE) this.numbers.delete(style);
        this.walk(child, { style, depth: (list?.depth ?? 0) + 1 });
      } else if (child.name === 'list-header') this.walk(child, undefined);
      else if (child.name === 'h') this.heading(child, list);
      else {
        const first = childElements(child).find(({ name }) => /^(?:p|h|list)$/.test(name));
        if (child.name === 'list-item' && list && first?.name === 'p') this.item(child, list);
        this.walk(child, list);
      }
    }
  }

  private item(item: XmlElement, { style, depth }: List): void {
    const label = this.next(style, depth, Number(attribute(item, 'text:start-value')) || undefined);
    if (label) item.children.unshift(label);
  }

  private heading(heading: XmlElement, list: List | undefined): void {
    if (attribute(heading, 'text:is-list-header') === 'true') return;
    const outline = Number(attribute(heading, 'text:outline-level')) || 1;
    const way = list?.style || (this.listOf(attribute(heading, 'text:style-name')) ?? OUTLINE);
    const level = Math.min(list && list.style !== OUTLINE ? list.depth : outline, LEVEL_MAX);
    const isNew = attribute(heading, 'text:restart-numbering') === 'true';
    const first = Number(attribute(heading, 'text:start-value')) || (this.ways.get(way)?.get(level)?.start ?? 1);
    const label = this.next(way, level, isNew ? first : undefined);
    if (label) heading.children.unshift(`${label} `);
  }

  /** Counts a paragraph and returns its label. Bullets have none. */
  private next(way: string, level: number, start: number | undefined): string | undefined {
    const levels = this.ways.get(way);
    const numbers = this.numbers.get(way) ?? [];
    this.numbers.set(way, numbers);
    return levels && nextLabel(numbers, levels, level, start);
  }

  /** Returns the list that a style of paragraphs names, or a style that it goes back to. */
  private listOf(name: string): string | undefined {
    let style = this.styles.get(name);
    for (let step = 0; step < BASES_MAX && style && style.list === undefined; step += 1)
      style = this.styles.get(style.parent);
    return style?.list;
  }
}

function levelsOf(list: XmlElement): Levels {
  const levels = new Map<number, NumberLevel>();
  const numbered = childElements(list).filter(({ name }) => NUMBERED.test(name));
  const signs = new Map(numbered.map((level) => [levelIn(level), attribute(level, 'style:num-format')]));
  for (const level of numbered) {
    const at = levelIn(level);
    const sign = signs.get(at) ?? '';
    const shown = Math.min(Math.max(Number(attribute(level, 'text:display-levels')) || 1, 1), at);
    const outer = Array.from({ length: shown }, (_, i) => at - shown + 1 + i).filter((each) => signs.get(each));
    const [prefix, suffix] = [attribute(level, 'style:num-prefix'), attribute(level, 'style:num-suffix')];
    const pattern = `${prefix}${outer.map((each) => `%${each}%`).join('.')}${suffix}`;
    levels.set(at, {
      start: Number(attribute(level, 'text:start-value')) || 1,
      format: sign === '' ? 'none' : (FORMATS[sign] ?? 'decimal'),
      pattern: sign === '' ? '' : attribute(level, 'loext:num-list-format') || pattern,
    });
  }
  return levels;
}

function levelIn(level: XmlElement): number {
  return Number(attribute(level, 'text:level'));
}
