/** Reads the front matter of notes and pages: scalars and lists of scalars, in YAML between `---` or in TOML between `+++`. */

const FRONT_MATTER_UNITS_MAX = 64 * 1024;

interface FrontMatter {
  values: Map<string, string>;
  /** UTF-16 index at which the text after the front matter starts. */
  bodyStart: number;
}

/** Reads front matter at the start of a text. Without front matter `bodyStart` is 0. */
export function readFrontMatter(text: string): FrontMatter {
  const none = { values: new Map<string, string>(), bodyStart: 0 };
  const mark = /^(---|\+\+\+)[ \t]*\n/.exec(text)?.[1];
  if (mark === undefined) return none;
  const head = text.slice(0, FRONT_MATTER_UNITS_MAX);
  const close = (mark === '---' ? /\n(?:---|\.\.\.)[ \t]*(?:\n|$)/ : /\n\+\+\+[ \t]*(?:\n|$)/).exec(head);
  if (!close) return none;
  const lines = head.slice(head.indexOf('\n') + 1, close.index).split('\n');
  const values = mark === '---' ? readYaml(lines) : readToml(lines);
  if (values.size === 0) return none;
  return { values, bodyStart: close.index + close[0].length };
}

/** What the indented lines below a key are. */
type Below = 'unknown' | 'text' | 'list' | 'other';

/** Reads the top-level values. Of deeper values, only the names in a list are read: `authors: [{name: Ann}]`. */
function readYaml(lines: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  let key = '';
  let below: Below = 'other';
  const add = (value: string, separator: string): void => {
    const before = values.get(key);
    if (value !== '') values.set(key, before ? before + separator + value : value);
  };
  for (const line of lines) {
    const entry = /^([^\s:#'"[\]{},-][^:]{0,255}?|"[^"]{1,256}"|'[^']{1,256}')\s*:(?:\s+(.*))?$/.exec(line);
    if (entry) {
      const raw = (entry[2] ?? '').trim();
      const value = scalar(raw);
      key = unquote(entry[1]!);
      if (value !== '') values.set(key, value);
      below = raw === '' ? 'unknown' : /^[|>\p{L}\p{N}]/u.test(raw) ? 'text' : 'other';
      continue;
    }
    const item = /^\s*-\s+(?:name:\s+)?(.*)$/.exec(line);
    if (below === 'unknown') below = item ? 'list' : isText(line) ? 'text' : 'other';
    if (below === 'list' && item && !/^[^'"]*:\s/.test(item[1]!)) add(scalar(item[1]!), ', ');
    else if (below === 'text' && /^\s/.test(line)) add(line.trim(), ' ');
  }
  return values;
}

/** An indented line without a key. */
function isText(line: string): boolean {
  return /^\s/.test(line) && !/:(?:\s|$)/.test(line.trim());
}

const SECTION = /^\s*\[{1,2}([\w.-]{1,256})\]{1,2}\s*(?:#.*)?$/;
/** Sections that are about the page. Others are about its pictures, its place in a menu and the like. */
const PAGE_SECTIONS = new Set(['taxonomies', 'extra', 'params']);

/** Reads the values of the page; the first of a key counts. Longer texts and lists over several lines are left out. */
function readToml(lines: readonly string[]): Map<string, string> {
  const values = new Map<string, string>();
  let isPage = true;
  for (const line of lines) {
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined) isPage = PAGE_SECTIONS.has(section);
    if (!isPage) continue;
    const entry = /^\s*([\w-]{1,256}|"[^"]{1,256}")\s*=\s*(\S.*)$/.exec(line);
    const value = entry && !/^(?:"""|''')/.test(entry[2]!) ? scalar(entry[2]!) : '';
    if (value !== '' && !values.has(unquote(entry![1]!))) values.set(unquote(entry![1]!), value);
  }
  return values;
}

function scalar(raw: string): string {
  const text = raw.trim();
  if (text.startsWith('[') && text.endsWith(']')) {
    return text
      .slice(1, -1)
      .split(',')
      .map((part) => unquote(part.trim()))
      .join(', ');
  }
  if (text.startsWith('"') || text.startsWith("'")) return unquote(text);
  // The rest of a list may be on other lines.
  if (/^(?:[|>&*!{]|\[[^\]]*$)/.test(text)) return '';
  return text.replace(/(?<!\s)\s+#.*$/, '');
}

function unquote(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(text);
  if (!quoted) return text;
  if (quoted[2] !== undefined) return quoted[2].replaceAll("''", "'");
  return quoted[1]!.replace(/\\(["\\/])/g, '$1').replace(/\\n/g, ' ');
}
