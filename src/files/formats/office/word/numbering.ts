/**
 * Counts the paragraphs of a Word file as Word shows them: `3.2`, `(a)`, `Article IV`. The file itself says only which paragraphs are
 * counted and how.
 */
import { childAt, childElements, findElements, localAttribute, type XmlElement } from '../../xml/tree.ts';
import { isOn } from '../hidden.ts';
import { type NumberLevel, nextLabel } from '../number-label.ts';
import { valueIn, type WordStyles, withBases } from './styles.ts';

/** Number of levels of a list. */
const LEVELS = 9;
/** Maximum length of the text around the numbers of a label. */
const PATTERN_UNITS_MAX = 100;

/** Levels of a list by their number, counted from 1. */
type Levels = Map<number, NumberLevel & { style: string }>;

/** How a paragraph is counted. */
export interface Counted {
  tag: 'ul' | 'ol';
  level: number;
  /** Absent for a bullet. */
  label: string | undefined;
}

export class Counter {
  private readonly styles: WordStyles;
  /** The levels of each way of counting, and the way of each list. */
  private readonly levels = new Map<string, Levels>();
  private readonly lists = new Map<string, string>();
  /** Numbers with which levels of a list begin anew at their first paragraph. */
  private readonly restarts = new Map<string, Map<number, number>>();
  /** The present numbers of each way of counting. */
  private readonly numbers = new Map<string, (number | undefined)[]>();

  /** `numbering` is the part of that name. */
  constructor(numbering: XmlElement, styles: WordStyles) {
    this.styles = styles;
    const linked = new Map<string, string>();
    for (const kind of findElements(numbering, 'abstractNum')) {
      const id = localAttribute(kind, 'abstractNumId');
      this.levels.set(id, levelsOf(kind));
      const link = valueIn(kind, 'numStyleLink');
      if (link !== '') linked.set(id, link);
    }
    for (const list of findElements(numbering, 'num')) {
      const id = localAttribute(list, 'numId');
      this.lists.set(id, valueIn(list, 'abstractNumId'));
      this.override(id, childElements(list, 'lvlOverride'));
    }
    for (const [id, style] of linked) {
      const levels = this.levelsIn(valueIn(styles.get(style)?.paragraph, 'numPr', 'numId'));
      if (levels) this.levels.set(id, levels);
    }
  }

  private levelsIn(list: string): Levels | undefined {
    return this.levels.get(this.lists.get(list) ?? '');
  }

  /** Notes where a list counts in another way than other lists of its kind. */
  private override(id: string, changes: readonly XmlElement[]): void {
    const starts = changes.flatMap((change) => {
      const start = startIn(change, 'startOverride');
      return start === undefined ? [] : [[Number(localAttribute(change, 'ilvl')) + 1, start] as const];
    });
    if (starts.length > 0) this.restarts.set(id, new Map(starts));
    const changed = changes.flatMap((change) => [...levelsOf(change)]);
    if (changed.length === 0) return;
    const own: Levels = new Map(this.levelsIn(id));
    for (const [at, level] of changed) own.set(at, { ...level, start: level.start ?? own.get(at)?.start });
    const kind = `${this.lists.get(id)} of ${id}`;
    this.levels.set(kind, own);
    this.lists.set(id, kind);
  }

  /** Counts a paragraph with these properties. Returns undefined if it is not counted. */
  next(properties: XmlElement | undefined): Counted | undefined {
    const count = this.countOf(properties);
    const levels = count && this.levelsIn(count.list);
    const format = levels?.get(count?.level ?? 0)?.format;
    if (!count || !levels || format === undefined) return undefined;
    const { list, level } = count;
    const kind = this.lists.get(list) ?? '';
    const numbers = this.numbers.get(kind) ?? [];
    this.numbers.set(kind, numbers);
    const restarts = this.restarts.get(list);
    for (const [at, start] of restarts ?? []) {
      if (at > level) continue;
      numbers[at] = at < level ? start : start - 1;
      restarts?.delete(at);
    }
    const label = nextLabel(numbers, levels, level);
    return format === 'bullet' ? { tag: 'ul', level, label: undefined } : { tag: 'ol', level, label };
  }

  private countOf(properties: XmlElement | undefined): { list: string; level: number } | undefined {
    const list = valueIn(properties, 'numPr', 'numId');
    const ownLevel = levelIn(properties);
    if (list !== '' && ownLevel !== undefined) return { list, level: ownLevel };
    let inherited: number | undefined;
    for (const { id, paragraph } of withBases(this.styles, valueIn(properties, 'pStyle'))) {
      inherited ??= levelIn(paragraph);
      const counted = list || valueIn(paragraph, 'numPr', 'numId');
      if (counted === '') continue;
      const named = [...(this.levelsIn(counted) ?? [])].find(([, { style }]) => style === id)?.[0];
      const level = ownLevel ?? inherited ?? named;
      if (list === '' || level !== undefined) return { list: counted, level: level ?? 1 };
    }
    return list === '' ? undefined : { list, level: 1 };
  }
}

/** Returns the level that properties name, counted from 1. */
function levelIn(properties: XmlElement | undefined): number | undefined {
  const index = valueIn(properties, 'numPr', 'ilvl');
  return /^\d$/.test(index) ? Number(index) + 1 : undefined;
}

function levelsOf(parent: XmlElement): Levels {
  const levels: Levels = new Map();
  for (const level of childElements(parent, 'lvl')) {
    const at = Number(localAttribute(level, 'ilvl')) + 1;
    if (!(at >= 1 && at <= LEVELS)) continue;
    levels.set(at, {
      start: startIn(level, 'start'),
      format: valueIn(level, 'numFmt') || 'decimal',
      pattern: valueIn(level, 'lvlText')
        .slice(0, PATTERN_UNITS_MAX)
        .replace(/\s+/g, ' ')
        .replace(/%([1-9])/g, '%$1%'),
      style: valueIn(level, 'pStyle'),
      isLegal: isOn(childAt(level, 'isLgl')),
      restart: startIn(level, 'lvlRestart'),
    });
  }
  return levels;
}

/** Returns the number with which a level begins, if the file has one. */
function startIn(parent: XmlElement, name: string): number | undefined {
  const text = valueIn(parent, name);
  return text !== '' && Number.isInteger(Number(text)) ? Number(text) : undefined;
}
