/** Converts LaTeX to Markdown: sections, lists, tables, listings. Formulas stay unchanged. */
import { readWordList } from '../../../util/package-files.ts';
import { withTexLetters } from '../tex-letters.ts';
import type { LinkMarks } from './link-marks.ts';

const LEVELS: Record<string, number> = {
  part: 1,
  chapter: 1,
  section: 1,
  subsection: 2,
  subsubsection: 3,
  paragraph: 4,
  subparagraph: 5,
};
const VERBATIM = 'verbatim|lstlisting|minted|Verbatim|alltt|Sinput|Soutput|CodeInput|CodeOutput|Code';
/** An argument with others inside. Its parts are few and short enough for the stack of the pattern. */
const INNER = String.raw`\{[^{}]{0,1000}(?:\{[^{}]{0,300}\}[^{}]{0,300}){0,20}\}`;
const NESTED = `([^{}]{0,1000}(?:${INNER}[^{}]{0,1000}){0,50})`;
const HEADING = new RegExp(String.raw`\\(${Object.keys(LEVELS).join('|')})\*?(?:\[[^\]]{0,300}\])?\{${NESTED}\}`, 'g');
/** Matches a command. */
const USE = /\\([a-zA-Z]{1,40})(?:\{\})?/g;
/** Matches the definition of a command without arguments, such as `\newcommand{\method}{DeepParser}`, or any command. */
const DEFINITION_OR_USE = new RegExp(
  String.raw`\\(?:(?:new|renew|provide)command|def)\*?\s{0,10}\{?\\([a-zA-Z]{1,40})\}?\s{0,10}\{${NESTED}\}|${USE.source}`,
  'g',
);
/** Definitions of lengths, fonts and conditions are no words. */
const NO_WORDS = /\\(?:set|add|[vh]s(?:pace|kip)|if|let|font|kern|[a-zA-Z]{0,40}@)|#/;
/** Maximum number of units that definitions may add to a text. */
const ADDED_UNITS_MAX = 1_000_000;
const COMMENT = /(^|[^\\])%.*$/gm;
/** Words for the page, and the same words for the outline of a PDF. */
const TWO_FORMS = new RegExp(String.raw`\\texorpdfstring\s{0,10}\{${NESTED}\}\s{0,10}\{${NESTED}\}`, 'g');
/** Lines that are drawn, and the edges of boxes. */
const DRAWN =
  /\\rule(?:\[[^\]]{0,9}\])?\{[^{}]{0,99}\}\{[^{}]{0,99}\}|\\end\{minipage\}|\\begin\{minipage\}(?:\[[^\]]{0,9}\]){0,3}\{[^{}]{0,99}\}/g;

/** A command that is removed with its arguments. */
const IGNORED_COMMAND = new RegExp(
  String.raw`\\(?:${readWordList('tex/ignored-commands.txt').join('|')})\*?(?:\[[^\]\n]{0,300}\])?(?:\{[^{}]{0,300}\})?`,
  'g',
);
const TABLE_RULES = 'toprule|midrule|bottomrule|hline|endhead|endfirsthead|endfoot|endlastfoot|tabularnewline|noalign';
const TABLE_COMMAND = new RegExp(String.raw`\\(?:${TABLE_RULES}|cline\{[^{}]{0,50}\}|caption\{[^{}]{0,1000}\})`, 'g');
const CAPTION = /\\caption\*?(?:\[[^\]]{0,300}\])?\{((?:[^{}]|\{[^{}]{0,300}\}){0,1000})\}/;
/** Position, width and columns of a table. */
const TABLE_ARGUMENTS = new RegExp(
  String.raw`^\s*(?:\[[^\]\n]{0,50}\])?(?:\{[^{}]{0,100}\})?\{[^{}]{0,500}(?:${INNER}[^{}]{0,300}){0,200}\}`,
);
const LAYOUT_NAMES =
  'maketitle|tableofcontents|tightlist|centering|noindent|newpage|clearpage|appendix|par|small|large';
const LAYOUT_COMMAND = new RegExp(String.raw`\\(?:${LAYOUT_NAMES}|def\\\w+\{[^\n]{0,200}\})(?![a-z])`, 'g');
/** Converts the body of the document, and title and author from before it. */
export function texToMarkdown(source: string, marks: LinkMarks): string {
  const from = source.indexOf('\\begin{document}');
  const to = source.lastIndexOf('\\end{document}');
  const inside = from === -1 ? source : source.slice(from + '\\begin{document}'.length, to > from ? to : undefined);
  // Code of knitr and Sweave is between `<<name>>=` and `@`. The sign of placeholders could repeat a protected text.
  const opened = inside.replace(/^<<[^\n]{0,300}>>=/gm, '\\begin{lstlisting}');
  const code = opened === inside ? inside : opened.replace(/^@(?=\s)/gm, '\\end{lstlisting}');
  const body = code.replaceAll('\ue0c6', '');
  const clean = source.replace(COMMENT, '$1');
  const preamble = source.slice(0, Math.max(0, from)).replace(COMMENT, '$1');
  // A title may have a command that is defined below it.
  const [inHead, expanded] = [expander(clean), expander(clean)];
  for (const read of [inHead, expanded]) read(preamble);
  const head = withTexLetters(inHead(clean.slice(0, 100_000)));
  const property = (name: string, where = head) => {
    const value = new RegExp(`\\\\${name}\\s*\\{${NESTED}\\}`).exec(where)?.[1];
    return value === undefined ? '' : inline(value).replace(/\s+/g, ' ').trim();
  };
  const [title, author] = [property('title'), property('author')];
  // Some classes have the abstract before the document.
  const abstract = from === -1 ? '' : property('[aA]bstract', head.split('\\begin{document}', 1)[0]);
  const front = author === '' ? '' : `---\nauthor: ${JSON.stringify(author)}\n---\n`;
  const protectedParts: string[] = [];
  const markdown = blocks(body, (outside) =>
    text(expanded(withoutAddresses(outside, marks, protectedParts).replace(COMMENT, '$1'))),
  );
  const whole = markdown.replace(PROTECTED, (_mark, number: string) => protectedParts[Number(number)] ?? '');
  return `${front}${title === '' ? '' : `# ${title}\n\n`}${abstract}\n\n${whole}`;
}

/**
 * Returns a function that reads a source part by part, and writes out commands from their definition on. Definitions are left out, but for
 * new commands that the source does not use: a file may have nothing else.
 */
function expander(source: string): (part: string) => string {
  const uses = new Set(
    Array.from(source.matchAll(DEFINITION_OR_USE)).flatMap(([, , body = '', used]) => [
      used,
      ...Array.from(body.matchAll(USE), ([, inside]) => inside),
    ]),
  );
  const bodies = new Map<string, string>();
  let added = 0;
  const written = (command: string, name: string) => {
    const body = added > ADDED_UNITS_MAX ? undefined : bodies.get(name);
    added += body?.length ?? 0;
    return body ?? command;
  };
  return (part) =>
    part.replace(DEFINITION_OR_USE, (whole: string, name: string, body = '', used?: string) => {
      if (used !== undefined) return written(whole, used).replace(USE, written);
      const isNew = whole.startsWith('\\new');
      if (!whole.startsWith('\\provide') || !bodies.has(name)) {
        bodies.delete(name);
        if (NO_WORDS.test(body) || added > ADDED_UNITS_MAX) return isNew || uses.has(name) ? whole : '';
        bodies.set(name, body);
      }
      return isNew && !uses.has(name) ? whole : '';
    });
}

/** Placeholder of text that no rule may change: addresses and inline code. */
const PROTECTED = /\ue0c6(\d+)\ue0c6/g;

function withoutAddresses(source: string, marks: LinkMarks, protectedParts: string[]): string {
  const protect = (words: string) => `\ue0c6${protectedParts.push(words) - 1}\ue0c6`;
  return source
    .replace(
      /\\href\s*\{([^{}]{0,2000})\}\s*\{((?:[^{}]|\{[^{}]{0,300}\}){0,500})\}/g,
      (_link, address: string, shown: string) => marks.mark(shown, plainAddress(address)),
    )
    .replace(/\\(?:url|nolinkurl|path)\s*\{([^{}\n]{0,2000})\}/g, (_link, address: string) =>
      protect(plainAddress(address)),
    )
    .replace(/\\(?:verb|lstinline)\*?([|!+"@/])([^\n]{0,500}?)\1/g, (_code, _mark, words: string) =>
      protect(`\`${words}\``),
    );
}

function plainAddress(address: string): string {
  return address.replace(/\\([%#&_~{}])/g, '$1');
}

function blocks(body: string, text: (source: string) => string): string {
  const opening = new RegExp(`\\\\begin\\{(${VERBATIM})\\}(?:\\[[^\\]]{0,500}\\])?(?:\\{(\\w{1,30})\\})?\\n?`, 'g');
  const listing = (code: string, language = '') => `\n\n\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\n\n`;
  return replaceEnvironments(body, opening, listing, text);
}

/**
 * Replaces the content between a match of `opening` and the next end of the same environment by `inside`. `convertOutside` converts the
 * text outside.
 */
function replaceEnvironments(
  source: string,
  opening: RegExp,
  inside: (content: string, argument: string | undefined) => string,
  convertOutside: (outside: string) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const close = `\\end{${match[1]}}`;
    const end = source.indexOf(close, opening.lastIndex);
    if (end === -1) break;
    parts.push(convertOutside(source.slice(from, match.index)), inside(source.slice(opening.lastIndex, end), match[2]));
    from = end + close.length;
    opening.lastIndex = from;
  }
  return parts.join('') + convertOutside(source.slice(from));
}

function text(source: string): string {
  const plain = source
    .replace(/\\def\\\w{1,40}\{.*$/gm, '')
    .replace(IGNORED_COMMAND, '')
    .replace(DRAWN, '')
    .replace(TWO_FORMS, '$1')
    .replace(
      HEADING,
      (_whole, name: string, title: string) =>
        `\n\n${'#'.repeat(LEVELS[name]!)} ${title.replace(/(?:\\\\|\s)+/g, ' ').trim()}\n\n`,
    )
    .replace(
      /\\(?:begin|end)\{(?:equation|align|gather|displaymath|eqnarray|multline)\*?\}|\\[[\]](?=\s)/g,
      '\n$$$$\n',
    );
  const tables = replaceEnvironments(plain, /\\begin\{(longtable|tabular[x*]?)\}/g, table, (outside) => outside);
  return inline(lists(tables));
}

function lists(source: string): string {
  const open: { name: string; count: number }[] = [];
  return source
    .replace(/\\(begin|end)\{(?:itemize|enumerate|description)\}(?:\[[^\]\n]{0,100}\])?/g, '\n$&\n')
    .replace(/\\item\b[ \t]*\n?[ \t]*/g, '\n\\item ')
    .split('\n')
    .map((line) => {
      const edge = /^\\(begin|end)\{(itemize|enumerate|description)\}/.exec(line);
      if (edge?.[1] === 'begin') open.push({ name: edge[2]!, count: 0 });
      else if (edge) open.pop();
      if (edge) return open.length > 0 && edge[1] === 'end' ? DROP : '';
      if (open.length > 0 && line.trim() === '') return DROP;
      const item = /^\\item\s*(?:\[([^\]]{0,300})\])?\s*(.*)$/.exec(line);
      if (!item) return open.length > 0 ? `${'  '.repeat(open.length)}${line.trim()}` : line.trimStart();
      const list = open.at(-1);
      if (list) list.count += 1;
      const mark = list?.name === 'enumerate' ? `${list.count}.` : '-';
      const term = item[1] === undefined ? '' : `${item[1]}: `;
      return `${'  '.repeat(Math.max(0, open.length - 1))}${mark} ${term}${item[2]}`;
    })
    .filter((line) => line !== DROP)
    .join('\n');
}

/** Replaces lines that would split a list. */
const DROP = '\ue0c5';

const ROWS_IN_ONE =
  /\\multirow(?:cell)?\*?(?:\[[^\]\n]{0,50}\])?\{[^{}]{0,20}\}(?:\[[^\]\n]{0,50}\])?\{[^{}]{0,100}\}(?:\[[^\]\n]{0,50}\])?(?=\{)/g;
const COLUMNS_IN_ONE = new RegExp(
  String.raw`\\multicolumn\s{0,10}\{\s{0,10}(\d{1,2})\s{0,10}\}\s{0,10}\{(?:[^{}]|\{[^{}]{0,100}\}){0,100}\}\s{0,10}\{${NESTED}\}`,
  'g',
);

/** Converts a table. Its caption, which only a longtable has inside, stands before it. */
function table(source: string): string {
  const whole = withoutRepeats(source);
  const caption = CAPTION.exec(whole)?.[1]?.trim() ?? '';
  const rows = whole
    .replace(TABLE_ARGUMENTS, '')
    .replace(CAPTION, '')
    .replace(ROWS_IN_ONE, '')
    .replace(
      COLUMNS_IN_ONE,
      (_whole, count: string, cell: string) => cell + ' & '.repeat(Math.max(0, Number(count) - 1)),
    )
    .replace(TABLE_COMMAND, (mark) => (mark === '\\tabularnewline' ? '\\\\' : ''))
    .split('\\\\')
    .map((row) => row.split(/(?<!\\)&/).map((cell) => cell.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')))
    .filter((row) => row.some((cell) => cell !== ''));
  if (rows.length === 0) return '';
  const lines = rows.map((row) => `| ${row.join(' | ')} |`);
  const before = caption === '' ? '' : `\n\n${caption}`;
  return `${before}\n\n${[lines[0], `|${` ${RULE} |`.repeat(rows[0]!.length)}`, ...lines.slice(1)].join('\n')}\n\n`;
}

/**
 * Returns the content of a longtable with its first header, its rows and its last footer. The header and the footer of the other pages,
 * which may be the same or say that the table continues, are left out. The commands end the parts, in any order.
 */
function withoutRepeats(source: string): string {
  const parts = new Map<string, string>();
  let from = 0;
  for (const mark of source.matchAll(/\\(endfirsthead|endhead|endfoot|endlastfoot)(?![a-z])/g)) {
    parts.set(mark[1]!, source.slice(from, mark.index));
    from = mark.index + mark[0].length;
  }
  if (parts.size === 0) return source;
  // The first part begins with the arguments of the environment, which are not part of a header.
  const [first = ''] = parts.values();
  const columns = TABLE_ARGUMENTS.exec(first)?.[0] ?? '';
  const head = (parts.get('endfirsthead') ?? parts.get('endhead') ?? '').replace(TABLE_ARGUMENTS, '');
  const foot = (parts.get('endlastfoot') ?? parts.get('endfoot') ?? '').replace(TABLE_ARGUMENTS, '');
  return `${columns}${head}${source.slice(from)}${foot}`;
}

/** Converts text outside formulas; formulas between dollars keep their commands. */
function inline(source: string): string {
  return source
    .split(/(\$\$[^$]{0,4000}\$\$|\$[^$\n]{1,1000}\$)/)
    .map((part, index) => (index % 2 === 1 ? part : words(part)))
    .join('')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n');
}

function words(source: string): string {
  let result = withTexLetters(source.replace(/\\\^\{\}/g, '^'))
    .replace(/\\href\{[^{}]{0,2000}\}/g, '')
    .replace(/\\(?:cite[a-z]*|ref|eqref|pageref|autoref)\*?(?:\[[^\]\n]{0,300}\])?\{([^{}]{0,500})\}/g, '[$1]')
    .replace(/\\footnote(?:text)?\{/g, ' ({')
    .replace(LAYOUT_COMMAND, '')
    .replace(/\\(?:begin|end)\{[\w*]{1,40}\}(?:\[[^\]\n]{0,100}\])?/g, '\n\n')
    .replace(/\\\\(?:\[[^\]\n]{0,30}\])?/g, '\n')
    .replace(/\\(ldots|dots)(?![a-z])(?:\{\})?/g, '…')
    .replace(/\\([A-Z]?[a-zA-Z]{0,5}TeX)e?(?![a-zA-Z])(?:\{\})?/g, '$1')
    .replace(/\\[ \n,;:]/g, ' ')
    .replace(/\\[-/@!]/g, '')
    .replace(/\\([&%$#_{}])/g, (_mark, sign: string) => ESCAPES[sign] ?? sign)
    .replace(/``|''/g, '"')
    .replace(/---/g, '—')
    .replace(/(?<![-|] ?)--(?![-|])/g, '–')
    .replace(/~/g, ' ');
  // Replace commands by their last argument, from the inside out.
  for (let depth = 0; depth < ARGUMENT_DEPTH && /\\[a-zA-Z]+\*?(?:\[[^\]\n]{0,200}\])?\{/.test(result); depth += 1) {
    result = result.replace(/\\[a-zA-Z]{1,40}\*?(?:\[[^\]\n]{0,200}\])?\{([^{}]{0,4000})\}/g, '$1');
  }
  return result
    .replace(/ \(\{([^{}]{0,4000})\}/g, ' ($1)')
    .replace(/\\[a-zA-Z]{1,40}\*? ?/g, '')
    .replace(/[{}]/g, '')
    .replaceAll('\ue0c2', '{')
    .replaceAll('\ue0c3', '}')
    .replaceAll(RULE, '---');
}

/** Three dashes of a table's rule, which must not become a dash. */
const RULE = '\ue0c4';
const ARGUMENT_DEPTH = 6;
const ESCAPES: Record<string, string> = { '{': '\ue0c2', '}': '\ue0c3' };
