/** Which answers of a site are read, and what a file of them is called. Pure. */

const NAME_UNITS_MAX = 200;

/** Media type -> ending. */
const ENDINGS: Record<string, string> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
  'text/x-markdown': 'md',
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'application/ld+json': 'json',
  'application/geo+json': 'json',
  'application/x-ndjson': 'jsonl',
  'application/jsonl': 'jsonl',
  'application/yaml': 'yaml',
  'text/yaml': 'yaml',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'application/rss+xml': 'xml',
  'application/atom+xml': 'xml',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'application/epub+zip': 'epub',
  'text/vtt': 'vtt',
  'message/rfc822': 'eml',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.presentation': 'odp',
};

/** Types that say nothing: the ending of the address does. */
const VAGUE = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/force-download',
  'application/x-download',
]);
/** Endings that people give to texts which servers call plain. */
const TEXT_ENDINGS = new Set(
  'md markdown mdx rst adoc asciidoc org tex csv tsv json jsonl ndjson yaml yml xml srt vtt txt log'.split(' '),
);
const READABLE = new Set([...Object.values(ENDINGS), ...TEXT_ENDINGS, 'htm', 'xhtml', 'ipynb']);

/** The ending under which an answer is read; undefined for what is not. */
export function endingOf(contentType: string | null, address: string): string | undefined {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase();
  const written = /\.([a-z0-9]{1,8})$/i.exec(new URL(address).pathname)?.[1]?.toLowerCase();
  if (VAGUE.has(type))
    return written !== undefined && READABLE.has(written) ? written.replace(/^x?htm$/, 'html') : undefined;
  if (type === 'text/plain' && written !== undefined && TEXT_ENDINGS.has(written)) return written;
  return ENDINGS[type];
}

export function charsetOf(contentType: string | null): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1];
}

/** The last step of the address, with the ending under which it is read. */
export function fileName(address: string, ending: string): string {
  const url = new URL(address);
  const step = url.pathname.split('/').findLast((one) => one !== '') ?? url.host;
  let name = step;
  try {
    name = decodeURIComponent(step);
  } catch {
    // As it is written, then.
  }
  name =
    name
      .replace(/[\u0000-\u001f\u007f/\\]/g, ' ')
      .slice(0, NAME_UNITS_MAX)
      .toWellFormed()
      .trim() || url.host;
  const same = ending === 'html' ? /\.x?html?$/i : new RegExp(`\\.${ending}$`, 'i');
  return same.test(name) ? name : `${name}.${ending}`;
}

/** A title is the name of a page; where it looks like that of a file its ending is made right. */
export function pageName(title: string | undefined, address: string): string {
  if (title === undefined) return fileName(address, 'html');
  const name = title.slice(0, NAME_UNITS_MAX).toWellFormed();
  return /\.[^./\\\s]{1,12}$/.test(name) ? `${name}.html` : name;
}
