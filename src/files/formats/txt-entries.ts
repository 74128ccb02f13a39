/**
 * Finds entries in plain text by indentation: the keywords of a manual, sections of an RFC, options that a program lists. An entry is a
 * short line with deeper lines below it. Pure.
 */
import { hasMoreLines } from '../lines.ts';
import type { Block } from '../parsed.ts';

/** Fewer entries at one indentation are chance: an example below a line of prose. */
const ENTRIES_MIN = 5;
/** Share of the paragraphs at an indentation that must begin with an entry. */
const ENTRY_SHARE_MIN = 0.6;
/** Maximum length of a name: the line up to a tab or two blanks. */
const NAME_UNITS_MAX = 60;
/** A name at the margin that occurs more often is a page header. */
const SAME_NAME_MAX = 3;
/** A longer text is data or a log, not a manual. Each line needs memory while entries are looked for. */
const LINES_MAX = 250_000;
/** If a larger share of the lines ends with a brace or a semicolon, the text is code. */
const CODE_SHARE_MAX = 0.2;
/** Number of columns by which the lines of an entry are deeper than its first line. */
const DEEPER_MIN = 2;
const TAB_COLUMNS = 8;
const PATH_LENGTH_MAX = 3;

interface Line {
  start: number;
  end: number;
  column: number;
  /** True if an empty line, or the start of the text, is above. */
  afterBlank: boolean;
  /** The block of a heading, which is one line here. */
  heading?: Block;
}

/** The column of a heading: all entries end there. */
const HEADING_COLUMN = -1;

/** Returns the blocks, cut where entries begin and end, with headings and the names of the entries as their heading paths. */
export function withEntries(text: string, blocks: readonly Block[]): Block[] {
  if (hasMoreLines(text, LINES_MAX)) return [...blocks];
  const lines = blocks.flatMap((block) => linesOf(text, block));
  const names = entryNames(text, lines);
  if (names.size === 0) return [...blocks];
  const cut: Block[] = [];
  let open: { column: number; name: string }[] = [];
  let above: Block[] = [];
  let path: string[] = [];
  for (const line of lines) {
    open = open.filter(({ column }) => column < line.column);
    const { heading } = line;
    if (heading) {
      above = [...above.filter(({ level }) => level! < heading.level!), heading];
      cut.push(heading);
      continue;
    }
    const name = names.get(line);
    if (name !== undefined) open = [...open, { column: line.column, name }].slice(-PATH_LENGTH_MAX);
    const before = path;
    path = [...above.map(({ title }) => title!), ...open.map((entry) => entry.name)];
    const continues = name === undefined && !line.afterBlank && before.join('\n') === path.join('\n');
    if (continues) cut.at(-1)!.end = line.end;
    else cut.push({ kind: 'paragraph', start: line.start, end: line.end, headingPath: path, ...termOf(open) });
  }
  return cut;
}

function termOf(open: readonly { name: string }[]): Pick<Block, 'term'> {
  return open.length > 0 ? { term: open.at(-1)!.name } : {};
}

function linesOf(text: string, block: Block): Line[] {
  const { start, end } = block;
  if (block.kind === 'heading') return [{ start, end, column: HEADING_COLUMN, afterBlank: true, heading: block }];
  const lines: Line[] = [];
  for (let at = start; at < end; ) {
    const brk = text.indexOf('\n', at);
    const lineEnd = brk === -1 || brk > end ? end : brk;
    let [first, column] = [at, 0];
    for (; text[first] === ' ' || text[first] === '\t'; first += 1)
      column = text[first] === ' ' ? column + 1 : (Math.floor(column / TAB_COLUMNS) + 1) * TAB_COLUMNS;
    lines.push({ start: at, end: lineEnd, column, afterBlank: at === start });
    at = lineEnd + 1;
  }
  return lines;
}

/** Returns the lines that begin an entry, with the names. */
function entryNames(text: string, lines: readonly Line[]): Map<Line, string> {
  const codeLines = lines.filter(({ end }) => /[{};]/.test(text[end - 1]!)).length;
  if (codeLines > lines.length * CODE_SHARE_MAX) return new Map();
  const named = lines.flatMap((line, i) => {
    const name = beginsParagraph(lines, i) && isDeeper(lines, i) ? nameOf(text, line, lines[i + 1]!) : undefined;
    return name === undefined ? [] : [{ line, name }];
  });
  const counts = Map.groupBy(named, ({ name }) => name);
  const distinct = named.filter(({ line, name }) => line.column > 0 || counts.get(name)!.length <= SAME_NAME_MAX);
  const paragraphs = Map.groupBy(
    lines.filter((_, i) => beginsParagraph(lines, i)),
    ({ column }) => column,
  );
  const entries = [...Map.groupBy(distinct, ({ line }) => line.column)].flatMap(([column, found]) => {
    const names = new Set(found.map(({ name }) => name));
    const isRegular = names.size >= ENTRIES_MIN && found.length >= ENTRY_SHARE_MIN * paragraphs.get(column)!.length;
    return isRegular ? found : [];
  });
  return new Map(entries.map(({ line, name }) => [line, name]));
}

function beginsParagraph(lines: readonly Line[], i: number): boolean {
  return lines[i]!.afterBlank || lines[i - 1]!.column > lines[i]!.column;
}

function isDeeper(lines: readonly Line[], i: number): boolean {
  return i + 1 < lines.length && lines[i + 1]!.column >= lines[i]!.column + DEEPER_MIN;
}

/** Returns the name of the entry that the line begins; undefined for an item of a list and for a line of prose. */
function nameOf(text: string, { start, end }: Line, next: Line): string | undefined {
  const line = text.slice(start, end).trim();
  if (!next.afterBlank && /^(?:[-*•+–]|\(?\p{N}{1,3}[.)]|\(?\p{L}[.)])\s/u.test(line)) return undefined;
  const unmarked = line.replace(/^[*#=+~-]+ +/, '').replace(/^(\p{N}[\p{N}.]*)\s+(?=\p{L})/u, '$1 ');
  const name = unmarked.split(/\t| {2}/)[0]!.trim();
  if (name.length > NAME_UNITS_MAX || !/[\p{L}\p{N}]/u.test(name)) return undefined;
  const isProse = /\s.*\p{L}[.!?,;]$/u.test(name);
  return isProse ? undefined : name;
}
