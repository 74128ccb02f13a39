/** Counts the numbered headings of an OpenDocument text as its styles say: `2.1`, `(b)`, `Chapter 3`. */

import { attribute, attributes, childElements, findElements, type XmlElement } from '../../xml/tree.ts';
import { numberLabel } from '../number-label.ts';

interface Level {
  /** The format as Word names it. */
  format: string;
  start: number;
  /** The label with `%1%` for the number of the first level. */
  pattern: string;
}

/** Formats that are written as Word writes them. A heading with another format keeps its text alone. */
const FORMATS: Record<string, string> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  '①, ②, ③, ...': 'decimalEnclosedCircle',
  '一, 二, 三, ...': 'chineseCounting',
};
const LEVELS_MAX = 10;
const PATTERN_UNITS_MAX = 100;
const PARENTS_MAX = 8;
/** The list of headings whose style names no list. */
const OUTLINE = 'Outline';

export class OutlineCounter {
  private readonly levels = new Map<string, Level>();
  /** The list that a paragraph style names; empty if its headings are not counted. */
  private readonly lists = new Map<string, string>();
  private readonly parents: ReadonlyMap<string, string>;
  private readonly counts = new Map<string, number[]>();

  /** `parents` has the parent of each style by `family name`. */
  constructor(sources: readonly XmlElement[], parents: ReadonlyMap<string, string>) {
    this.parents = parents;
    for (const source of sources) {
      for (const style of findElements(source, 'style')) {
        const list = attributes(style).find(([name]) => name === 'style:list-style-name');
        if (list) this.lists.set(attribute(style, 'style:name'), list[1]);
      }
      for (const outline of findElements(source, 'outline-style')) this.readLevels(OUTLINE, outline);
      for (const list of findElements(source, 'list-style')) this.readLevels(attribute(list, 'style:name'), list);
    }
  }

  /** Returns the number of the next heading; empty if it has none. */
  next(heading: XmlElement): string {
    if (attribute(heading, 'text:is-list-header') === 'true') return '';
    const list = this.listOf(attribute(heading, 'text:style-name'));
    const depth = Math.min(Number(attribute(heading, 'text:outline-level')) || 1, LEVELS_MAX);
    const level = this.levels.get(`${list} ${depth}`);
    if (!level) return '';
    const counts = this.counts.get(list) ?? [];
    this.counts.set(list, counts);
    // A level that was left out counts as there.
    for (let above = 1; above < depth; above += 1) counts[above] ??= this.startOf(list, above);
    const restart = attribute(heading, 'text:restart-numbering') === 'true';
    const before = counts[depth];
    counts[depth] = restart
      ? Number(attribute(heading, 'text:start-value')) || level.start
      : before === undefined
        ? level.start
        : before + 1;
    counts.length = depth + 1;
    return level.pattern
      .replace(/%(\d\d?)%/g, (_, at: string) => {
        const shown = this.levels.get(`${list} ${at}`);
        return shown ? numberLabel(counts[Number(at)] ?? shown.start, shown.format) : '';
      })
      .trim();
  }

  private startOf(list: string, depth: number): number {
    return this.levels.get(`${list} ${depth}`)?.start ?? 1;
  }

  private listOf(name: string): string {
    let style = name;
    for (let step = 0; step < PARENTS_MAX && style !== ''; step += 1) {
      const list = this.lists.get(style);
      if (list !== undefined) return list;
      style = this.parents.get(`paragraph ${style}`) ?? '';
    }
    return OUTLINE;
  }

  private readLevels(list: string, style: XmlElement): void {
    for (const level of childElements(style)) {
      const format = FORMATS[attribute(level, 'style:num-format')];
      const depth = Number(attribute(level, 'text:level'));
      if (format === undefined || !(depth >= 1 && depth <= LEVELS_MAX)) continue;
      const start = Number(attribute(level, 'text:start-value')) || 1;
      const pattern = patternOf(level, depth, (above) => this.levels.has(`${list} ${above}`));
      this.levels.set(`${list} ${depth}`, { format, start, pattern: pattern.slice(0, PATTERN_UNITS_MAX) });
    }
  }
}

/** Returns the label of a level. Numbers of levels above are shown if these levels have numbers. */
function patternOf(level: XmlElement, depth: number, isCounted: (above: number) => boolean): string {
  const pattern = attribute(level, 'style:num-list-format') || attribute(level, 'loext:num-list-format');
  if (pattern !== '') return pattern;
  const count = Math.min(Math.max(Number(attribute(level, 'text:display-levels')) || 1, 1), depth);
  const shown = Array.from({ length: count }, (_, i) => depth - count + 1 + i).filter(
    (at) => at === depth || isCounted(at),
  );
  const numbers = shown.map((at) => `%${at}%`).join('.');
  return attribute(level, 'style:num-prefix') + numbers + attribute(level, 'style:num-suffix');
}
