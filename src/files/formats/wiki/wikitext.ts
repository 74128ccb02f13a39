/** Converts wikitext, the markup of MediaWiki, to Markdown: sections, lists, tables, links and the values of templates. */
import { withOneHeader } from '../../columns/header.ts';
import { type SpanCell, spanOf, spreadTable } from '../data/spread-cells.ts';
import { headerText, rowText } from '../data/table-text.ts';
import type { LinkMarks } from '../markup/link-marks.ts';
import { decodeHtml } from '../references.ts';
import { fenced } from '../text-builder.ts';

/** Maximum depth of templates and tables inside one another that is resolved. */
const DEPTH_MAX = 12;
const INNERMOST_TEMPLATE = /\{\{([^{}]{0,20000})\}\}/g;
/** A longer line is no heading. */
const HEADING_UNITS_MAX = 500;
const SWITCHES = /__[A-Z]{3,30}__/g;
/** Comments, notes, elements whose text is no prose (styles, pictures by name, scores), and elements whose text is no markup. */
const LITERAL_NAMES = 'pre|syntaxhighlight|source|nowiki|code|math';
const ELEMENT = new RegExp(
  `<(?:(!--)|(ref|templatestyles|gallery|imagemap|timeline|score|style|graph|${LITERAL_NAMES})\\b[^<>]{0,500}>)`,
  'gi',
);
const LITERAL = new RegExp(`^(?:${LITERAL_NAMES})$`);
/** The place of a literal text, which no rule may change. */
const LITERAL_MARK = /\ue0c6(\d+)\ue0c6/g;
/** The place of a comment. A line that has only comments is no line, so a list goes on after it. */
const COMMENT_MARK = '\ue0c7';
const COMMENT_LINE = /^[ \t\ue0c7]*\ue0c7[ \t]*\n/gm;
/** Parameters of templates that say how something is shown. */
const LOOKS = new RegExp(
  '^(?:style|align|valign|bgcolor|df|mf|icon|upright|float|border|alt|logo|image|(?:image|logo|map)_?(?:size|alt)|caption_?align|' +
    'cellpadding)_?(?:px)?\\d*$',
  'i',
);
/** Parameters, with their values, that say so only with these values. Otherwise they are facts. */
const LOOKS_BY_VALUE = new RegExp(
  '^(?:width|height|size|class|map|colou?r)_?(?:px)?\\d*=' +
    '(?:[\\dx.]{1,12} ?(?:px|em|%)|#[\\da-f]{3,8}|wikitable\\b.*|[^\\n]{1,200}\\.(?:svg|png|jpe?g|gif))$',
  'i',
);
const DATE_VALUES = /^([12]\d{3})\|(0?[1-9]|1[0-2])\|(0?[1-9]|[12]\d|3[01])$/;
const FILE_LINK = /^[^[\]|:]{1,30}:[^[\]|]{1,300}\.(?:jpe?g|png|gif|svg|webp|tiff?|ogg|oga|ogv|webm|mp[34]|pdf|djvu)$/i;
/** A link to another name space, with its target. */
const SPACE_LINK = /\[\[([^[\]|:\s][^[\]|:]{0,29}:[^[\]|]{1,300})(?:\|[^[\]]{0,300})?\]\]/g;
const HTML_TAG = /<\/?[a-z][a-z0-9]{0,20}\b[^<>]{0,500}>/gi;

/** True if a text has the marks of wikitext: a heading in signs of equality, a template, or a link in double brackets. */
export function isWikitext(text: string): boolean {
  return (
    /^={2,6}[^=\n]{1,200}={2,6}[ \t]*$/m.test(text) ||
    /\[\[[^[\]\n]{1,300}\]\]/.test(text) ||
    /\{\{[^{}\n]{1,300}/.test(text)
  );
}

/** Returns a page as Markdown. Its notes are a list at the end. Headings begin at `level`. */
export function wikitextToMarkdown(source: string, marks: LinkMarks, level = 1): string {
  const notes: string[] = [];
  const literals: Literal[] = [];
  const withMarks = (text: string): string =>
    replaceElements(text, (name, opening, inside) => {
      if (name === '!--') return COMMENT_MARK;
      if (name === 'ref' && inside.trim() !== '') notes.push(withMarks(inside));
      if (!LITERAL.test(name) || inside.trim() === '') return '';
      const isHighlighted = name === 'syntaxhighlight' || name === 'source';
      const language = (isHighlighted && /\blang=["']?([\w+#.-]{1,30})/i.exec(opening)?.[1]) || '';
      const words = isHighlighted ? inside : decodeHtml(inside.replace(/<\/?nowiki\b[^<>]{0,100}>/gi, ''));
      return `\ue0c6${literals.push({ words, language, isCode: !/^(?:nowiki|math)$/.test(name) }) - 1}\ue0c6`;
    })
      .replace(COMMENT_LINE, '')
      .replaceAll(COMMENT_MARK, '');
  const convert = (text: string) => blocks(tables(withoutCategories(templates(text))), marks, level);
  const body = convert(withMarks(source.replace(/[\ue0c6\ue0c7]/g, '')));
  const list = notes.map((note) => `- ${convert(note).replace(/\s+/g, ' ').trim()}`);
  return (list.length === 0 ? body : `${body}\n\n${list.join('\n')}`)
    .split('\n')
    .map((line) => line.replace(LITERAL_MARK, (_mark, n: string) => literalText(literals[Number(n)]!, line[0] === '|')))
    .join('\n');
}

/** Code, a formula or text that is shown as it is written. */
interface Literal {
  words: string;
  language: string;
  isCode: boolean;
}

/** The beginning of a text that Markdown would not read as words. */
const MARKDOWN_SIGN = /^\s*(?:[#>*+=~|<`-]|\d+[.)])/;

/** Returns a text with several lines as a block of code, and another inside its line. */
function literalText({ words, language, isCode }: Literal, isInRow: boolean): string {
  if (words.includes('\n') && !isInRow) return `\n\n${fenced(words, language)}\n\n`;
  const longest = (words.match(/`+/g) ?? []).reduce((most, ticks) => Math.max(most, ticks.length), 0);
  const ticks = isCode || MARKDOWN_SIGN.test(words) ? '`'.repeat(longest + 1) : '';
  const blank = ticks.length > 1 ? ' ' : '';
  const line = words.replace(/\s+/g, ' ').trim();
  return ticks + blank + (isInRow ? line.replaceAll('|', '\\|') : line) + blank + ticks;
}

/** Replaces comments and elements by what `replacement` returns for the name, the opening tag and the text inside. */
function replaceElements(
  source: string,
  replacement: (name: string, opening: string, inside: string) => string,
): string {
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  const opening = new RegExp(ELEMENT);
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const name = (match[1] ?? match[2]!).toLowerCase();
    parts.push(source.slice(from, match.index));
    from = opening.lastIndex;
    if (match[0].endsWith('/>') || unclosed.has(name)) continue;
    const closing = new RegExp(name === '!--' ? '-->' : `</${name}\\b[^<>]{0,100}>`, 'gi');
    closing.lastIndex = from;
    const close = closing.exec(source);
    if (!close) {
      unclosed.add(name);
      continue;
    }
    parts.push(replacement(name, match[0], source.slice(from, close.index)));
    from = closing.lastIndex;
    opening.lastIndex = from;
  }
  return parts.join('') + source.slice(from);
}

/** Replaces templates by their values, from the inside out. */
function templates(source: string): string {
  let text = source;
  for (let depth = 0; depth < DEPTH_MAX && text.includes('{{'); depth += 1) {
    const next = text.replace(INNERMOST_TEMPLATE, (whole, inside: string, at: number, all: string) => {
      const value = template(inside);
      const [before, after] = [all.slice(Math.max(0, at - 2), at), all.slice(at + whole.length, at + whole.length + 2)];
      return blankBetween(before, value) + value + blankBetween(value, after);
    });
    if (next === text) break;
    text = next;
  }
  return text.replace(/\{\{\{[^{}|]{0,100}\|?([^{}]{0,500})\}\}\}/g, '$1');
}

/** Returns a blank if a sentence would end and the next one would begin without a blank: templates often show a sentence of their own. */
function blankBetween(text: string, next: string): string {
  return /^[\p{Lu}\p{Lo}]/u.test(next) && /[\p{L}\p{N})"”»][.!?]$/u.test(text.slice(-2)) ? ' ' : '';
}

/** Returns a page without the last lines that have only links to other name spaces: its categories, and the page in other languages. */
function withoutCategories(source: string): string {
  const lines = source.split('\n');
  const last = lines.findLastIndex((line) => line.replace(SPACE_LINK, withoutLink).trim() !== '');
  return last === -1 ? source : lines.slice(0, last + 1).join('\n');
}

function withoutLink(link: string, target: string): string {
  return FILE_LINK.test(target.trim()) ? link : '';
}

/** Returns the values of a template. Values with names become a list if the template has several lines, as boxes of facts do. */
function template(inside: string): string {
  const [, ...parameters] = partsOf(inside);
  const isBox = inside.includes('\n');
  const words = parameters.flatMap((parameter) => {
    const sign = parameter.indexOf('=');
    const name = parameter.slice(0, Math.max(0, sign)).trim();
    const isNamed = /^[\p{L}\p{N}_ .-]{1,60}$/u.test(name);
    const text = (isNamed ? parameter.slice(sign + 1) : parameter).trim();
    if (text === '' || LOOKS.test(name) || LOOKS_BY_VALUE.test(`${name}=${text}`)) return [];
    return isBox && isNamed && !/^\d+$/.test(name) ? [`* ${name}: ${text}`] : [text];
  });
  if (isBox && words.some((word) => word.startsWith('* '))) return `\n${words.join('\n')}\n\n`;
  return withDates(words).join(' ');
}

/** Returns the values of a template with each year, month and day that follow each other as one date. */
function withDates([...values]: readonly string[]): string[] {
  for (let at = 0; at + 2 < values.length; at += 1) {
    const [, year, month = '', day = ''] = DATE_VALUES.exec(values.slice(at, at + 3).join('|')) ?? [];
    if (year !== undefined) values.splice(at, 3, `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  }
  return values;
}

/** Splits the inside of a template at its bars, but not inside links. */
function partsOf(inside: string): string[] {
  const parts: string[] = [];
  let [from, depth] = [0, 0];
  for (let i = 0; i < inside.length; i += 1) {
    if (inside.startsWith('[[', i)) depth += 1;
    else if (inside.startsWith(']]', i)) depth = Math.max(0, depth - 1);
    else if (inside[i] === '|' && depth === 0) {
      parts.push(inside.slice(from, i));
      from = i + 1;
    }
  }
  return [...parts, inside.slice(from)];
}

/** Replaces tables by Markdown tables. */
function tables(source: string): string {
  let text = source;
  for (let depth = 0; depth < DEPTH_MAX && text.includes('{|'); depth += 1) {
    const next = text.replace(
      /^[ \t:*]*\{\|((?:(?!^[ \t:*]*\{\|)[\s\S]){0,100000}?)^[ \t]*\|\}/gm,
      (_whole, inside: string) => table(inside),
    );
    if (next === text) break;
    text = next;
  }
  return text;
}

function table(inside: string): string {
  const [, ...lines] = inside.split('\n');
  const rows: SpanCell[][] = [[]];
  /** Rows that have a cell of data. */
  const data = new Set<SpanCell[]>();
  let caption = '';
  for (const line of lines) {
    const text = line.trim();
    const row = rows.at(-1)!;
    if (text.startsWith('|-')) rows.push([]);
    else if (text.startsWith('|+')) caption = cell(text.slice(2)).text;
    else if (/^[|!]/.test(text)) {
      row.push(
        ...text
          .slice(1)
          .split(/\|\||!!/)
          .map(cell),
      );
      if (text.startsWith('|')) data.add(row);
    } else if (text !== '' && row.length > 0) row.at(-1)!.text += ` ${text}`;
  }
  const heads = rows.map((row) => (data.has(row) ? undefined : 'cells'));
  const { titles, rows: cells, signs } = spreadTable(rows, heads);
  const [names, ...rest] = withOneHeader(cells, signs);
  if (!names) return '';
  const above = [caption, ...titles].filter((line) => line !== '');
  return ['', ...above, [headerText(names), ...rest.map(rowText)].join('\n'), ''].join('\n\n');
}

/** Returns the words of a cell without its attributes (`style="…" | words`), and the columns and rows that it spans. */
function cell(source: string): SpanCell {
  const attributes = /^[^|[\]{}]{0,300}=[^|[\]{}]{0,300}\|(?!\|)/.exec(source)?.[0] ?? '';
  const numberOf = (name: string) => spanOf(new RegExp(`${name} *= *"?(\\d+)`, 'i').exec(attributes)?.[1] ?? null);
  return { text: source.slice(attributes.length).trim(), columns: numberOf('colspan'), rows: numberOf('rowspan') };
}

function blocks(source: string, marks: LinkMarks, level: number): string {
  const lines = source.replace(SWITCHES, '').split('\n');
  /** The signs of the open lists, outermost first, and the numbers of their latest items. */
  let open = '';
  const numbers: number[] = [];
  return lines
    .map((line) => {
      const item = /^([*#:;]{1,12})[ \t]*(.*)$/.exec(line);
      const signs = item?.[1] ?? '';
      // Only lists with the same signs go on.
      while (!signs.startsWith(open)) open = open.slice(0, -1);
      numbers.length = open.length;
      open = signs;
      const signsAround = headingSigns(line);
      if (signsAround > 0) {
        const depth = Math.min(6, Math.max(1, signsAround - 1) + level - 1);
        return `\n${'#'.repeat(depth)} ${inline(line.trimEnd().slice(signsAround, -signsAround), marks)}\n`;
      }
      if (!item) return inline(line, marks);
      const words = inline(item[2]!, marks);
      if (words === '') return '';
      if (signs.endsWith(':')) return `\n${words}\n`;
      const depth = signs.length - 1;
      numbers[depth] = (numbers[depth] ?? 0) + 1;
      const mark = signs.endsWith('#') ? `${numbers[depth]}.` : '-';
      return `${'  '.repeat(depth)}${mark} ${words}`;
    })
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Returns how many signs of equality stand around a heading, or 0 for another line. */
function headingSigns(line: string): number {
  const text = line.trimEnd();
  if (line.length > HEADING_UNITS_MAX) return 0;
  let count = 0;
  while (count < 6 && 2 * count + 2 < text.length && text[count] === '=' && text.at(-1 - count) === '=') count += 1;
  return text.slice(count, -count).trim() === '' ? 0 : count;
}

function inline(line: string, marks: LinkMarks): string {
  const words = links(line, marks)
    .replace(/'{2,5}/g, '')
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(HTML_TAG, '');
  // A reference must not become the mark of a literal text.
  const parts = words.split('\ue0c6').map((part) => decodeHtml(part).replace(/[\u00a0\ue0c6]/g, ' '));
  return parts.join('\ue0c6').trim();
}

function links(line: string, marks: LinkMarks): string {
  let text = line;
  // The caption of a picture may contain links.
  for (let depth = 0; depth < DEPTH_MAX && text.includes('[['); depth += 1) {
    const next = text.replace(
      /\[\[:?([^[\]|]{1,500})((?:\|[^[\]]{0,5000})?)\]\]/g,
      (_link, target: string, rest: string) => {
        const shown = rest.slice(1);
        if (FILE_LINK.test(target.trim()))
          return shown
            .split('|')
            .at(-1)!
            .replace(/^(?:thumb|left|right|center|frame|\d+px)$/, '');
        return shown === '' ? target : shown;
      },
    );
    if (next === text) break;
    text = next;
  }
  return text.replace(
    /\[((?:https?|ftp):\/\/[^\s[\]]{1,2000})(?:[ \t]+([^[\]\n]{1,1000}))?\]/g,
    (_link, address: string, shown?: string) => (shown === undefined ? address : marks.mark(shown, address)),
  );
}
