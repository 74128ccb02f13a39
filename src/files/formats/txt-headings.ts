/**
 * Finds headings in plain text: titles between equal signs, as most wikis write them, titles with a line of signs below, and numbered
 * titles that stand alone (`12. Termination`, `Article 3`, `Chapter 2. Scope`), as laws, standards and release notes have them. Pure.
 */
import type { Block } from '../parsed.ts';

/** Fewer headings of one kind are chance. */
const HEADINGS_MIN = 3;
const UNDERLINED_MIN = 2;
const TITLE_UNITS_MAX = 100;
/** Number of signs by which a line below a title may be longer or shorter than the title. */
const UNDERLINE_DIFFERENCE_MAX = 2;
/** Share of numbered lines that must have text below. The others are items of a list. */
const WITH_TEXT_MIN = 0.6;
/** So many numbered paragraphs that follow one another are a list. Two may be a section without text and the next one. */
const LIST_ITEMS_MIN = 3;
/** Number of titles that may be missing in a sequence. */
const SKIPPED_MAX = 2;
const LEVEL_MAX = 6;
/** A longer text is data or a log. */
const BLOCKS_MAX = 50_000;

/** A heading at the start of a block, up to `end`. */
interface Heading {
  end: number;
  title: string;
  level: number;
}

/** Returns the blocks with headings cut off; undefined if the text has none. */
export function withHeadings(text: string, blocks: readonly Block[]): Block[] | undefined {
  if (blocks.length > BLOCKS_MAX) return undefined;
  const underlined = underlinedTitles(text, blocks);
  const isUnderlined = underlined.size >= UNDERLINED_MIN;
  const alone = new Set(isUnderlined ? [] : blocks.map((block) => placeOf(oneLine(text, block) ?? '')));
  const parts = blocks.map((block) => (isUnderlined ? [block] : partsOf(text, block, alone)));
  const found = isUnderlined ? underlined : numberedTitles(text, parts.flat());
  if (found.size === 0) return undefined;
  return parts.flatMap((own, i) => {
    const whole = blocks[i]!;
    return (found.has(own.at(-1)!) ? own : [whole]).flatMap((block): Block[] => {
      const heading = found.get(block);
      if (!heading) return [block];
      const { end, title, level } = heading;
      const rest = end < block.end ? [{ ...block, start: end + 1 }] : [];
      return [{ kind: 'heading', start: block.start, end, title, level }, ...rest];
    });
  });
}

/** A line `== Title ==`. Some wikis need no signs behind the title, and one of them puts a name for links there. */
const MARKED = /^(={1,6})[ \t]{1,20}(\S.{0,98}?)(?:[ \t]{1,20}(={1,6}))?(?:[ \t]{1,20}#[\w-]{1,60})?[ \t]{0,20}$/gm;

/**
 * Returns the titles between equal signs. They need signs behind them, unless the text begins with a title of one sign. A single title may
 * be chance, but not at the beginning or between six signs. In some wikis the highest title has the most signs.
 */
export function markedTitles(text: string): Block[] {
  const lines = [...text.matchAll(MARKED)].filter(([, , title = '']) => /[\p{L}\p{N}]/u.test(title));
  const begins = lines[0] !== undefined && text.slice(0, lines[0].index).trim() === '';
  const isOpen = begins && lines[0]![1] === '=' && lines.length >= UNDERLINED_MIN;
  const titles = lines.filter(([, signs, , closing]) => signs === closing || (isOpen && closing === undefined));
  const isSure = titles[0]?.[1] === '======' || (begins && titles[0] === lines[0]);
  if (titles.length < (isSure ? 1 : UNDERLINED_MIN)) return [];
  const counts = titles.map(([, signs = '']) => signs.length);
  const [fewest, most] = [Math.min(...new Set(counts)), Math.max(...new Set(counts))];
  const isDown = counts[0] === most && most > fewest;
  return titles.map(({ 0: line, 2: title = '', index }, i): Block => {
    const level = 1 + (isDown ? most - counts[i]! : counts[i]! - fewest);
    return { kind: 'heading', start: index, end: index + line.trimEnd().length, title, level };
  });
}

/** Returns the word and the number of a numbered title; undefined for another line. */
function placeOf(line: string): string | undefined {
  const parts = numberOf(line);
  return parts && `${parts.word} ${parts.number.join('.')}`;
}

/**
 * Returns a paragraph and the numbered title in its last line: browsers write some pages as text without an empty line above titles. A
 * sentence, or a line whose number is that of a title in `alone`, is no title.
 */
function partsOf(text: string, block: Block, alone: ReadonlySet<string | undefined>): Block[] {
  const at = text.lastIndexOf('\n', block.end - 1);
  if (at <= block.start) return [block];
  const line = text.slice(at + 1, block.end).trim();
  const place = placeOf(line);
  if (place === undefined || alone.has(place) || /[.!?:;,]$/.test(line)) return [block];
  const above = text.slice(block.start, at);
  const isList = above.split('\n').some((line) => numberOf(line.trim()) !== undefined);
  if (isList || !/[.!?]\s*$/.test(above)) return [block];
  return [
    { ...block, end: at },
    { ...block, start: at + 1 },
  ];
}

/** Returns titles with a line of signs below. The sign that comes first is the highest level. */
function underlinedTitles(text: string, blocks: readonly Block[]): Map<Block, Heading> {
  const found = new Map<Block, Heading>();
  const signs: string[] = [];
  for (const block of blocks) {
    const end = text.indexOf('\n', block.start);
    if (end === -1 || end >= block.end || end - block.start > TITLE_UNITS_MAX) continue;
    const next = text.indexOf('\n', end + 1);
    const lineEnd = next === -1 || next > block.end ? block.end : next;
    const line = text.slice(end + 1, lineEnd).trim();
    const title = text.slice(block.start, end).trim();
    const sign = /^([=\-~^*#+_])\1{2,}$/.exec(line)?.[1];
    const fits = Math.abs(title.length - line.length) <= UNDERLINE_DIFFERENCE_MAX;
    if (sign === undefined || !fits || !/\p{L}/u.test(title)) continue;
    if (!signs.includes(sign)) signs.push(sign);
    found.set(block, { end: lineEnd, title, level: Math.min(LEVEL_MAX, signs.indexOf(sign) + 1) });
  }
  return found;
}

/** A line with a number: the word before it (`article`, or ""), and the parts of the number. */
interface Numbered {
  block: Block;
  word: string;
  number: number[];
  title: string;
  hasText: boolean;
}

/** `12. Termination`, `2.1 Grants`, `Article 5`, `§ 3 Scope`, `Chapter 2. The root`. */
const NUMBERED = /^(?:(\p{Lu}\p{L}{1,14}|§)\s+)?(\d{1,3}(?:\.\d{1,3}){0,4})(?:[.):]|\s*[—–-](?=\s))?(?:\s+(\S.*))?$/u;
/** `第3章 総則`, as Chinese and Japanese write it. */
const COUNTED = /^第\s*(\d{1,3})\s*(\p{Script=Han})(?:\s*(.*))?$/u;

/** Returns the word, the number and the words of a numbered title; undefined for another line. */
function numberOf(line: string): { word: string; number: number[]; words: string } | undefined {
  const counted = COUNTED.exec(line.normalize('NFKC'));
  if (counted) return { word: counted[2]!, number: [Number(counted[1])], words: counted[3] ?? '' };
  const parts = NUMBERED.exec(line);
  return parts ? { word: parts[1] ?? '', number: parts[2]!.split('.').map(Number), words: parts[3] ?? '' } : undefined;
}

/** Returns numbered titles that stand alone and count up. Below most of them is text. */
function numberedTitles(text: string, blocks: readonly Block[]): Map<Block, Heading> {
  const items = listItems(text, blocks);
  const lines = blocks.flatMap((block, index): Numbered[] => {
    const title = items.has(block) ? undefined : oneLine(text, block);
    const parts = title === undefined ? undefined : numberOf(title);
    if (!parts || (parts.words === '' ? parts.word === '' : !isTitle(parts.words))) return [];
    const next = blocks[index + 1];
    const hasText = next !== undefined && !isNumbered(text, next);
    return [{ block, word: parts.word, number: parts.number, title: title!, hasText }];
  });
  const groups = [...Map.groupBy(lines, ({ word }) => word).values()].map(inSequence).filter(isOfHeadings);
  return new Map(
    groups.flatMap((group) => {
      // Sections stand below the chapters between which they begin.
      const above = groups.filter(
        (other) => startOf(other) < startOf(group) && other.at(-1)!.block.start > startOf(group),
      );
      return group.map(({ block, number, title }): [Block, Heading] => {
        return [block, { end: block.end, title, level: Math.min(LEVEL_MAX, above.length + number.length) }];
      });
    }),
  );
}

/**
 * Returns the paragraphs of lists: each begins with a number one higher than the paragraph directly above, and the first with 0 or 1. A
 * higher first number is the second or a later section of a text whose sections are short or repealed.
 */
function listItems(text: string, blocks: readonly Block[]): Set<Block> {
  const items = new Set<Block>();
  let run: Block[] = [];
  let last: readonly number[] = [];
  for (const block of blocks) {
    const line = text.slice(block.start, block.end).trimStart().split('\n', 1)[0]!;
    const place = numberOf(line.trimEnd());
    const number = place?.word === '' ? place.number : [];
    const own = number.at(-1) ?? Number.NaN;
    const goesOn = number.length === last.length && own === last.at(-1)! + 1;
    run = goesOn ? [...run, block] : own <= 1 ? [block] : [];
    last = run.length > 0 ? number : [];
    if (run.length >= LIST_ITEMS_MIN) for (const one of run) items.add(one);
  }
  return items;
}

function startOf(group: readonly Numbered[]): number {
  return group[0]!.block.start;
}

/** False for a few lines, and for a list whose items have no text of their own. */
function isOfHeadings(group: readonly Numbered[]): boolean {
  const withText = group.filter(({ hasText }) => hasText);
  return group.length >= HEADINGS_MIN && withText.length >= group.length * WITH_TEXT_MIN;
}

function isNumbered(text: string, block: Block): boolean {
  const line = oneLine(text, block);
  return line !== undefined && numberOf(line) !== undefined;
}

/** Returns the block as one line if it has no others. */
function oneLine(text: string, { start, end }: Block): string | undefined {
  if (end - start > TITLE_UNITS_MAX + 20) return undefined;
  const line = text.slice(start, end).trim();
  return line.includes('\n') || line.length > TITLE_UNITS_MAX ? undefined : line;
}

/** False for a sentence, and for an item that goes on. */
function isTitle(words: string): boolean {
  return (
    /^["'“«(]?[\p{Lu}\p{Lo}]/u.test(words) &&
    !/[,;:]$/.test(words) &&
    !/[.!?]\s+\p{Lu}/u.test(words) &&
    !/\.{4}|(?: \.){3}/.test(words)
  );
}

/** Returns the lines whose number follows the number of the line before: the next one, a first one below it, or a new count. */
function inSequence(lines: readonly Numbered[]): Numbered[] {
  const counted: Numbered[] = [];
  let last: readonly number[] = [];
  for (const line of lines) {
    if (!follows(line.number, last)) continue;
    counted.push(line);
    last = line.number;
  }
  return counted;
}

function follows(number: readonly number[], last: readonly number[]): boolean {
  const parent = number.slice(0, -1);
  const own = number.at(-1)!;
  const isBelow = parent.every((part, i) => part === last[i]);
  if (isBelow && parent.length < last.length)
    return isNext(own, last[parent.length]!) || (parent.length === 0 && own <= 1);
  if (own > 1) return false;
  // The number of the chapter above may stand in a title of another kind: after 1.4 comes 2.1.
  return isBelow || last.length === 0 || follows(parent, last);
}

/** True if a number counts on. Titles between, which take two lines, may be missing. */
function isNext(number: number, last: number): boolean {
  return number > last && number <= last + 1 + SKIPPED_MAX;
}
