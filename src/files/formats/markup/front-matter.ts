/** Reads the YAML subset of front matter: top-level scalars and lists of scalars. Deeper values are ignored. */

const FRONT_MATTER_UNITS_MAX = 64 * 1024;

interface FrontMatter {
  values: Map<string, string>;
  /** UTF-16 index at which the text after the front matter starts. */
  bodyStart: number;
}

/** Reads front matter between `---` lines at the start of a text. Without front matter `bodyStart` is 0. */
export function readFrontMatter(text: string): FrontMatter {
  const none = { values: new Map<string, string>(), bodyStart: 0 };
  if (!/^---[ \t]*\n/.test(text)) return none;
  const head = text.slice(0, FRONT_MATTER_UNITS_MAX);
  const close = /\n(---|\.\.\.)[ \t]*(\n|$)/.exec(head);
  if (!close) return none;
  const values = readScalars(head.slice(head.indexOf('\n') + 1, close.index));
  if (values.size === 0) return none;
  return { values, bodyStart: close.index + close[0].length };
}

function readScalars(yaml: string): Map<string, string> {
  const values = new Map<string, string>();
  let listKey: string | undefined;
  for (const line of yaml.split('\n')) {
    const entry = /^([^\s:#'"[\]{},-][^:]{0,255}?|"[^"]{1,256}"|'[^']{1,256}')\s*:(?:\s+(.*))?$/.exec(line);
    if (entry) {
      const key = unquote(entry[1]!);
      const value = scalar(entry[2] ?? '');
      if (value !== '') values.set(key, value);
      listKey = value === '' ? key : undefined;
      continue;
    }
    const item = /^\s*-\s+(.*)$/.exec(line);
    if (item && listKey !== undefined && !/^[^'"]*:\s/.test(item[1]!)) {
      const before = values.get(listKey);
      values.set(listKey, before ? `${before}, ${scalar(item[1]!)}` : scalar(item[1]!));
    }
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
  if (/^[|>&*!{]/.test(text)) return '';
  return text.replace(/\s+#.*$/, '');
}

function unquote(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(text);
  if (!quoted) return text;
  if (quoted[2] !== undefined) return quoted[2].replaceAll("''", "'");
  return quoted[1]!.replace(/\\(["\\/])/g, '$1').replace(/\\n/g, ' ');
}
