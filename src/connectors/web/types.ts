/** Decides which responses of a site are read, and how their files are named. Pure. */
import { readWordList } from '../../util/package-files.ts';

const NAME_UNITS_MAX = 200;

/** Maps a media type to a file ending. */
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
  'application/vnd.apache.parquet': 'parquet',
  'application/vnd.sqlite3': 'sqlite',
  'application/x-sqlite3': 'sqlite',
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

/** Media types without information: the ending of the address decides. */
const UNSPECIFIC_TYPES = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/force-download',
  'application/x-download',
]);
/** Endings of texts that servers send as `text/plain`. */
const TEXT_ENDINGS = new Set(readWordList('web/text-endings.txt'));
const READABLE_ENDINGS = new Set([...Object.values(ENDINGS), ...TEXT_ENDINGS, 'htm', 'xhtml', 'ipynb']);

/** Returns the ending that decides how a response is read, or undefined if it is not read. */
export function endingOf(contentType: string | null, address: string): string | undefined {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase();
  const addressEnding = /\.([a-z0-9]{1,8})$/i.exec(new URL(address).pathname)?.[1]?.toLowerCase();
  if (UNSPECIFIC_TYPES.has(type))
    return addressEnding !== undefined && READABLE_ENDINGS.has(addressEnding)
      ? addressEnding.replace(/^x?htm$/, 'html')
      : undefined;
  if (type === 'text/plain' && addressEnding !== undefined && TEXT_ENDINGS.has(addressEnding)) return addressEnding;
  return ENDINGS[type];
}

/** Returns the media type for a message. */
export function typeOf(contentType: string | null): string {
  return /^[\w.+/-]{1,100}/.exec(contentType ?? '')?.[0] ?? 'a file of unknown type';
}

export function charsetOf(contentType: string | null): string | undefined {
  return /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1];
}

/** Returns the last segment of the address, with the given ending. */
export function fileName(address: string, ending: string): string {
  const url = new URL(address);
  const segment = url.pathname.split('/').findLast((one) => one !== '') ?? url.host;
  let name = segment;
  try {
    name = decodeURIComponent(segment);
  } catch {
    // The segment is used as it is written.
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

/** Returns the title of a page as its name. A title that looks like a file name gets the ending `.html`. */
export function pageName(title: string | undefined, address: string): string {
  if (title === undefined) return fileName(address, 'html');
  const name = title.slice(0, NAME_UNITS_MAX).toWellFormed();
  return /\.[^./\\\s]{1,12}$/.test(name) ? `${name}.html` : name;
}
