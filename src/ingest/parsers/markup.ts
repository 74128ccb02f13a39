/** Plain-text markups (Org, reStructuredText, AsciiDoc) rewritten as Markdown, line by line. */
import type { LinkMarks } from './link-marks.ts';

/** Lines as Markdown; what a markup says to programs is left out. */
export function orgToMarkdown(source: string, marks: LinkMarks): string {
  let title = '';
  let code = false;
  let drawer = false;
  const lines = source.split('\n').flatMap((line) => {
    const keyword = /^\s*#\+(\w+)(?::|\b)[ \t]*(.*)$/i.exec(line);
    const name = keyword?.[1]?.toLowerCase() ?? '';
    if (/^begin_(src|example)$/.test(name)) {
      code = true;
      return [`\`\`\`${keyword![2]!.split(' ')[0]}`];
    }
    if (/^end_(src|example)$/.test(name)) {
      code = false;
      return ['```'];
    }
    if (code) return [line];
    if (keyword) {
      if (name === 'title') title = keyword[2]!;
      return name === 'caption' ? [orgInline(keyword[2]!, marks)] : [];
    }
    if (/^\s*:(PROPERTIES|LOGBOOK):\s*$/i.test(line)) drawer = true;
    if (drawer) {
      if (/^\s*:END:\s*$/i.test(line)) drawer = false;
      return [];
    }
    if (/^\s*# /.test(line)) return [];
    const heading = /^(\*{1,12}) +(.*?)(?:[ \t]+:[\w@:]+:)?[ \t]*$/.exec(line);
    if (heading)
      return [
        '',
        `${headingMarks(heading[1]!.length)} ${orgInline(heading[2]!.replace(/^(TODO|DONE) /, ''), marks)}`,
        '',
      ];
    if (/^\s*\|[-+]+\|?\s*$/.test(line)) return [line.replaceAll('+', '|').replace(/-+/g, '---')];
    const note = /^\[fn:([\w-]{1,40})\] (.*)$/.exec(line);
    return [note ? `[^${note[1]}]: ${orgInline(note[2]!, marks)}` : orgInline(line, marks)];
  });
  return withTitle(title, lines);
}

function orgInline(line: string, marks: LinkMarks): string {
  const linked = line.replace(/\[\[([^[\]]{1,2000})\]\[([^[\]]{1,2000})\]\]/g, (_link, address: string, text: string) =>
    marks.mark(withoutEmphasis(text), address),
  );
  return withoutEmphasis(linked.replace(/\[\[([^[\]]{1,2000})\]\]/g, '$1').replace(/\[fn:([\w-]{1,40})\]/g, '[^$1]'));
}

function withoutEmphasis(text: string): string {
  return text.replace(/(^|[\s(])[*/_=~]([^\s*/_=~][^*/_=~\n]{0,300}?)[*/_=~](?=[\s).,;:!?]|$)/g, '$1$2');
}

const RST_LINE = /^([=\-`:.'"~^_*+#<>])\1{2,}\s*$/;

export function rstToMarkdown(source: string, marks: LinkMarks): string {
  const lines = source.split('\n');
  const inline = rstInline(marks, rstTargets(source));
  const styles: string[] = [];
  const out: string[] = [];
  for (let i = 0; i < lines.length; i += 1) {
    const line = lines[i]!;
    const next = lines[i + 1] ?? '';
    const over = RST_LINE.test(line) && next.trim() !== '' && lines[i + 2]?.trimEnd() === line.trimEnd();
    const under = !over && line.trim() !== '' && RST_LINE.test(next) && next.trimEnd().length >= line.trimEnd().length;
    if (over || (under && !/^\s/.test(line))) {
      const style = over ? `${line[0]}${line[0]}` : next[0]!;
      if (!styles.includes(style)) styles.push(style);
      out.push('', `${headingMarks(styles.indexOf(style) + 1)} ${inline((over ? next : line).trim())}`, '');
      i += over ? 2 : 1;
      continue;
    }
    const table = rstTable(lines, i, inline);
    if (table) {
      out.push('', ...table.rows, '');
      i = table.last;
      continue;
    }
    const directive = /^(\s*)\.\. +([\w-]{1,40})::[ \t]*(.*)$/.exec(line);
    const indented = directive ? blockBelow(lines, i, directive[1]!.length) : undefined;
    if (directive && indented && /^(code|code-block|sourcecode|highlight|math)$/.test(directive[2]!)) {
      out.push('', `\`\`\`${directive[3]}`, ...indented.text, '```', '');
      i = indented.last;
    } else if (directive) {
      // The text of notes, warnings and figures goes on below, with options to leave out.
      if (!/^(image|figure|include|toctree|contents|highlight|index)$/.test(directive[2]!))
        out.push(inline(directive[3]!));
      while (/^\s+:[\w-]{1,40}:/.test(lines[i + 1] ?? '')) i += 1;
    } else if (/^\.\. \[#?[\w-]{1,40}\]/.test(line)) {
      out.push(inline(line.replace(/^\.\. \[#?([\w-]{1,40})\]/, '[^$1]:')));
    } else if (/^\.\.( |$)/.test(line)) {
      i = blockBelow(lines, i, 0).last;
    } else if (/::\s*$/.test(line) && blockBelow(lines, i, indentOf(line)).text.length > 0) {
      const block = blockBelow(lines, i, indentOf(line));
      out.push(inline(line.replace(/\s*::\s*$/, ':')), '', '```', ...block.text, '```', '');
      i = block.last;
    } else out.push(inline(line));
  }
  return out.join('\n');
}

/** Addresses by the names of `.. _name: address`. */
function rstTargets(source: string): Map<string, string> {
  const targets = source.matchAll(/^[ \t]*\.\. _`?([^:`\n]{1,200})`?: +(\S{1,2000})[ \t]*$/gm);
  return new Map(Array.from(targets, ([, name, address]) => [name!.toLowerCase(), address!]));
}

function rstInline(marks: LinkMarks, targets: ReadonlyMap<string, string>): (line: string) => string {
  const named = (whole: string, name: string) => {
    const address = targets.get(name.toLowerCase());
    return address === undefined ? whole : marks.mark(name, address);
  };
  return (line) =>
    line
      .replace(/`([^`<\n]{1,500}?)\s*<([^<>\n]{1,2000})>`__?/g, (_link, text: string, address: string) =>
        marks.mark(text, address),
      )
      .replace(/:[\w:+-]{1,40}:`([^`\n]{1,500})`/g, (_role, text: string) => text.replace(/\s*<[^<>]{1,500}>$/, ''))
      .replace(/ ?\[#?([\w-]{1,40})\]_/g, '[^$1]')
      .replace(/``([^`\n]{1,500})``/g, '`$1`')
      .replace(/`([^`\n]{1,500})`__?/g, (_link, text: string) => named(text, text))
      .replace(/(?<![\w`])([A-Za-z](?:[\w.-]{0,100}[A-Za-z\d])?)_(?!\w)/g, named);
}

/** Lines of a table of this markup. */
const TABLE_LINES_MAX = 500;

/** The index of the first line that `matches`, or of the line behind those that a table may have. */
function findLine(lines: readonly string[], from: number, matches: (line: string, next: string) => boolean): number {
  const end = Math.min(lines.length, from + TABLE_LINES_MAX);
  let at = from;
  while (at < end && !matches(lines[at]!, lines[at + 1] ?? '')) at += 1;
  return at;
}

/** Simple tables (`=== ===`) and grid tables (`+---+`). */
function rstTable(
  lines: readonly string[],
  at: number,
  inline: (line: string) => string,
): { rows: string[]; last: number } | undefined {
  const first = lines[at]!.trimEnd();
  if (/^\+(?:[-=]+\+)+$/.test(first)) {
    const last = findLine(lines, at + 1, (line) => !/^[+|]/.test(line)) - 1;
    const rows = lines.slice(at, last + 1).filter((line) => line.startsWith('|'));
    return { rows: tableLines(rows.map((row) => row.trim().slice(1, -1).split('|').map(inline))), last };
  }
  if (!/^=+(?: +=+)+$/.test(first)) return undefined;
  const starts = [...first.matchAll(/=+/g)].map((run) => run.index);
  const end = findLine(lines, at + 2, (line, next) => /^=+(?: +=+)+\s*$/.test(line) && next.trim() === '');
  if (!/^=+(?: +=+)+\s*$/.test(lines[end] ?? '')) return undefined;
  const rows = lines.slice(at + 1, end).filter((line) => line.trim() !== '' && !/^[= -]+$/.test(line));
  return {
    rows: tableLines(rows.map((row) => starts.map((start, i) => inline(row.slice(start, starts[i + 1]))))),
    last: end,
  };
}

export function asciidocToMarkdown(source: string, marks: LinkMarks): string {
  const out: string[] = [];
  let fence = '';
  let table: string[][] | undefined;
  let columns = 0;
  const numbers: number[] = [];
  const joined = source.replace(
    /footnote:\[([^[\]]{1,2000})\]/g,
    (_note, text: string) => ` (${text.replace(/\s+/g, ' ')})`,
  );
  for (const line of joined.split('\n')) {
    if (fence !== '') {
      if (line.trimEnd() === fence) {
        fence = '';
        out.push('```', '');
      } else out.push(line);
    } else if (table) {
      if (/^[|!,]===/.test(line)) {
        out.push('', ...tableLines(table), '');
        table = undefined;
      } else columns = asciidocRow(asciidocInline(line, marks), table, columns);
    } else if (/^\|===/.test(line)) {
      table = [];
      columns = 0;
    } else if (/^(-{4,}|\.{4,})\s*$/.test(line)) {
      fence = line.trimEnd();
      out.push('', '```');
    } else if (/^={4,}\s*$|^\*{4,}\s*$|^_{4,}\s*$|^--\s*$|^\[[^\]]{0,300}\]\s*$|^:[\w!-]{1,60}:|^\/\//.test(line))
      out.push('');
    else out.push(asciidocLine(line, numbers, marks));
  }
  if (table) out.push('', ...tableLines(table));
  return out.join('\n');
}

function asciidocRow(line: string, table: string[][], columns: number): number {
  if (!line.startsWith('|')) {
    const last = table.at(-1);
    if (last && line.trim() !== '') last.push(`${last.pop() ?? ''} ${line.trim()}`);
    return columns;
  }
  const cells = line
    .slice(1)
    .split(/ ?(?:\d+\+)?\|/)
    .map((cell) => cell.trim());
  const open = table.at(-1);
  // Cells may stand one a line; the first row tells how many make a row.
  if (open && columns > 1 && open.length < columns && cells.length === 1) open.push(...cells);
  else table.push(cells);
  return Math.max(columns, cells.length);
}

function asciidocLine(line: string, numbers: number[], marks: LinkMarks): string {
  const heading = /^(={1,6})[ \t]+(.+?)(?:[ \t]+=+)?$/.exec(line);
  if (heading) return `\n${headingMarks(heading[1]!.length)} ${asciidocInline(heading[2]!, marks)}\n`;
  const item = /^\s*([*.-]{1,5})[ \t]+(.*)$/.exec(line);
  const text = item ? item[2]! : line.replace(/^\.(?=[^\s.])/, '');
  const plain = asciidocInline(text, marks);
  if (!item) {
    if (line.trim() !== '') numbers.length = 0;
    return plain;
  }
  const depth = item[1]!.length - 1;
  numbers.length = depth + 1;
  numbers[depth] = item[1]!.startsWith('.') ? (numbers[depth] ?? 0) + 1 : 0;
  return `${'  '.repeat(depth)}${item[1]!.startsWith('.') ? `${numbers[depth]}.` : '-'} ${plain}`;
}

function asciidocInline(text: string, marks: LinkMarks): string {
  return text
    .replace(
      /(?<![\w:/])(https?:\/\/|mailto:|link:|xref:)([^\s[\]]{1,2000})\[([^[\]]{1,500})\]/g,
      (_link, scheme: string, rest: string, shown: string) =>
        marks.mark(
          shown.replace(/\^$|,\s*(?:window|role|opts)=.*$/g, ''),
          scheme.startsWith('http') ? scheme + rest : rest,
        ),
    )
    .replace(/<<[^<>,]{1,200},([^<>]{1,500})>>/g, '$1')
    .replace(/image::?[^\s[\]]{1,500}\[([^[\]]{0,500})\]/g, '$1');
}

function tableLines(rows: readonly string[][]): string[] {
  const lines = rows.map((row) => `| ${row.map((cell) => cell.trim().replaceAll('|', '\\|')).join(' | ')} |`);
  return rows.length === 0 ? [] : [lines[0]!, `|${' --- |'.repeat(rows[0]!.length)}`, ...lines.slice(1)];
}

/** The lines below that are indented more than `indent`. */
function blockBelow(lines: readonly string[], at: number, indent: number): { text: string[]; last: number } {
  let last = at;
  for (let i = at + 1; i < lines.length; i += 1) {
    const line = lines[i]!;
    if (line.trim() === '') continue;
    if (indentOf(line) <= indent) break;
    last = i;
  }
  const text = lines.slice(at + 1, last + 1).filter((line) => !/^\s+:[\w-]{1,40}:/.test(line));
  while (text[0]?.trim() === '') text.shift();
  const margin = Math.min(...text.filter((line) => line.trim() !== '').map(indentOf));
  return { text: text.map((line) => line.slice(margin)), last };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function headingMarks(level: number): string {
  return '#'.repeat(Math.min(level, 6));
}

function withTitle(title: string, lines: readonly string[]): string {
  return title === '' ? lines.join('\n') : `# ${title}\n\n${lines.join('\n')}`;
}
