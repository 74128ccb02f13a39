/** Converts wikitext, the markup of MediaWiki, to Markdown: sections, lists, tables, links and the values of templates. */
import type { LinkMarks } from '../markup/link-marks.ts';

/** Maximum depth of templates and tables inside one another that is resolved. */
const DEPTH_MAX = 12;
const INNERMOST_TEMPLATE = /\{\{([^{}]{0,20000})\}\}/g;
/** A longer line is no heading. */
const HEADING_UNITS_MAX = 500;
const SWITCHES = /__[A-Z]{3,30}__/g;
/** Elements whose text is no prose (styles, pictures by name, scores), and notes. */
const NOTE_OR_DROPPED = /<(ref|templatestyles|gallery|imagemap|timeline|score|style|graph)\b[^<>]{0,500}>/gi;
/** Parameters of templates that say how something is shown. */
const LOOKS = new RegExp(
  '^(?:style|class|width|height|align|valign|bgcolor|colou?r|icon|image_?size|size|upright|float|border|alt|logo|image|map|' +
    'caption_?align|cellpadding)\\w*$',
  'i',
);
const FILE_LINK = /^[^[\]|:]{1,30}:[^[\]|]{1,300}\.(?:jpe?g|png|gif|svg|webp|tiff?|ogg|oga|ogv|webm|mp[34]|pdf|djvu)$/i;
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
  const withoutNotes = withoutElements(withoutComments(source), (name, inside) => {
    if (name === 'ref' && inside.trim() !== '') notes.push(inside);
  });
  const convert = (text: string) => blocks(tables(templates(text)), marks, level);
  const body = convert(withoutNotes);
  const list = notes.map((note) => `- ${convert(note).replace(/\s+/g, ' ').trim()}`);
  return list.length === 0 ? body : `${body}\n\n${list.join('\n')}`;
}

function withoutComments(source: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = source.indexOf('<!--'); at !== -1; at = source.indexOf('<!--', from)) {
    const end = source.indexOf('-->', at + 4);
    if (end === -1) break;
    parts.push(source.slice(from, at));
    from = end + 3;
  }
  return parts.join('') + source.slice(from);
}

/** Returns the source without notes and elements that are no prose, and passes each to `take`. */
function withoutElements(source: string, take: (name: string, inside: string) => void): string {
  const lower = source.toLowerCase();
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  const opening = new RegExp(NOTE_OR_DROPPED);
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const name = match[1]!.toLowerCase();
    const after = opening.lastIndex;
    const isEmpty = match[0].endsWith('/>');
    const close = isEmpty || unclosed.has(name) ? -1 : lower.indexOf(`</${name}`, after);
    if (!isEmpty && close === -1) unclosed.add(name);
    parts.push(source.slice(from, match.index));
    from = after;
    if (close === -1) continue;
    take(name, source.slice(after, close));
    const end = source.indexOf('>', close);
    from = end === -1 ? source.length : end + 1;
    opening.lastIndex = from;
  }
  return parts.join('') + source.slice(from);
}

/** Replaces templates by their values, from the inside out. */
function templates(source: string): string {
  let text = source;
  for (let depth = 0; depth < DEPTH_MAX && text.includes('{{'); depth += 1) {
    const next = text.replace(INNERMOST_TEMPLATE, (_whole, inside: string) => template(inside));
    if (next === text) break;
    text = next;
  }
  return text.replace(/\{\{\{[^{}|]{0,100}\|?([^{}]{0,500})\}\}\}/g, '$1');
}

/** Returns the values of a template. Values with names become a list if the template has several lines, as boxes of facts do. */
function template(inside: string): string {
  const [, ...parameters] = partsOf(inside);
  const values = parameters.map(
    (parameter) => /^\s*([\p{L}\p{N}_ .-]{1,60}?)\s*=([\s\S]*)$/u.exec(parameter) ?? parameter,
  );
  const isBox = inside.includes('\n');
  const words = values.flatMap((value) => {
    if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
    const [, name = '', text = ''] = value;
    if (text.trim() === '' || LOOKS.test(name)) return [];
    return isBox && !/^\d+$/.test(name) ? [`* ${name}: ${text.trim()}`] : [text.trim()];
  });
  return isBox && words.some((word) => word.startsWith('* ')) ? `\n${words.join('\n')}\n\n` : words.join(' ');
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
  const rows: string[][] = [[]];
  let caption = '';
  for (const line of lines) {
    const text = line.trim();
    if (text.startsWith('|-')) rows.push([]);
    else if (text.startsWith('|+')) caption = cell(text.slice(2));
    else if (/^[|!]/.test(text))
      rows.at(-1)!.push(
        ...text
          .slice(1)
          .split(/\|\||!!/)
          .map(cell),
      );
    else if (text !== '' && rows.at(-1)!.length > 0) rows.at(-1)!.push(`${rows.at(-1)!.pop()!} ${text}`);
  }
  const filled = rows.filter((row) => row.some((each) => each !== ''));
  if (filled.length === 0) return '';
  const [head, ...rest] = filled.map((row) => `| ${row.map((each) => each.replaceAll('|', '\\|')).join(' | ')} |`);
  const rule = `|${' --- |'.repeat(filled[0]!.length)}`;
  return `\n${caption === '' ? '' : `\n${caption}\n`}\n${[head, rule, ...rest].join('\n')}\n\n`;
}

/** Returns the words of a cell without its attributes (`style="…" | words`). */
function cell(text: string): string {
  return text.replace(/^[^|[\]{}]{0,300}=[^|[\]{}]{0,300}\|(?!\|)/, '').trim();
}

function blocks(source: string, marks: LinkMarks, level: number): string {
  const lines = source.replace(SWITCHES, '').split('\n');
  return lines
    .map((line) => {
      const heading = line.length <= HEADING_UNITS_MAX && /^(={1,6})[ \t]*(.+?)[ \t]*\1[ \t]*$/.exec(line);
      if (heading) {
        const depth = Math.min(6, Math.max(1, heading[1]!.length - 1) + level - 1);
        return `\n${'#'.repeat(depth)} ${inline(heading[2]!, marks)}\n`;
      }
      const item = /^([*#:;]{1,12})[ \t]*(.*)$/.exec(line);
      if (!item) return inline(line, marks);
      const signs = item[1]!;
      const words = inline(item[2]!, marks);
      if (words === '') return '';
      if (signs.endsWith(':')) return `\n${words}\n`;
      const mark = signs.endsWith('#') ? '1.' : '-';
      return `${'  '.repeat(signs.length - 1)}${mark} ${words}`;
    })
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function inline(line: string, marks: LinkMarks): string {
  return links(line, marks)
    .replace(/'{2,5}/g, '')
    .replace(/<br\s*\/?>/gi, ' ')
    .replace(/<\/?(?:nowiki|code|math)\b[^<>]{0,100}>/gi, '')
    .replace(HTML_TAG, '')
    .replace(/&nbsp;|&#160;/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .trim();
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
