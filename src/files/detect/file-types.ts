/** Detects the type of a file by its content, and by its name only if the content is ambiguous. */
import { Buffer } from 'node:buffer';
import { type HeadKind, isBinary as isBinaryHead, kindOfHead } from '../../client/file-head.ts';
import { readWordList } from '../../util/package-files.ts';
import { badFile, emptyFile, type FileError } from '../failure.ts';
import { openCompoundFile } from './compound-file.ts';
import { isPlainMarkdown, plainMarkup } from './plain-markup.ts';
import { harmlessEntries, readZipDirectory } from './zip.ts';

export type OldOfficeType = 'doc' | 'xls' | 'ppt';

const HEAD_BYTES = 4096;

/** Extensions of text formats, by the type of their files. */
const EXTENSIONS_OF = {
  txt: 'txt text log asc',
  rst: 'rst',
  bibliography: 'bib bibtex ris nbib enw',
  translations: 'po pot',
  xml:
    'xlf xliff tmx xml svg rss atom xsd xsl xslt wsdl plist docbook dbk dita ditamap tei nxml kml gpx resx xaml csproj ' +
    'enex drawio dio ttml dfxp itt',
  wiki: 'wiki mediawiki wikitext',
  asciidoc: 'adoc asciidoc',
  org: 'org',
  tex: 'tex latex ltx rnw snw',
  texinfo: 'texi texinfo txi',
  subtitles: 'vtt srt ass ssa sbv',
  calendar: 'ics ifb vcs vcf vcard',
  md: 'md markdown mdown mkd mdx qmd rmd',
  html: 'html htm xhtml',
  eml: 'eml emlx',
  mbox: 'mbox',
  mhtml: 'mht mhtml',
  ipynb: 'ipynb',
  csv: 'csv psv',
  tsv: 'tsv tab',
  json: 'json geojson webmanifest canvas excalidraw',
  jsonl: 'jsonl ndjson',
  fb2: 'fb2',
  yaml: 'yaml yml',
};
type TextType = keyof typeof EXTENSIONS_OF;
const TEXT_EXTENSIONS: Record<string, TextType> = Object.fromEntries(
  Object.entries(EXTENSIONS_OF).flatMap(([type, names]) => names.split(' ').map((name) => [name, type as TextType])),
);

/** Types whose marks are at the beginning of the bytes, in a zip archive, and elsewhere. */
type MarkedType = Exclude<HeadKind, 'zip' | 'compound' | 'binary' | 'text'>;
type ZipType = 'docx' | 'xlsx' | 'xlsb' | 'pptx' | 'odt' | 'ods' | 'odp' | 'epub' | 'zip';
type FoundType = 'msg' | 'flat-office' | 'man' | 'info' | 'code';
/** The type that selects the parser. Types without a parser of their own, such as `yaml`, are read as plain text. */
export type FileType = TextType | MarkedType | ZipType | OldOfficeType | FoundType;

/** The name of the language and the grammar of code, by its extension. Many languages have no grammar. */
export const CODE_ENDINGS = new Map(
  readWordList('code/endings.txt').map((line) => {
    const [extension = '', ...facts] = line.split(' ');
    return [extension, facts];
  }),
);

/** Matches JSON in a file without a known extension. A brace or brackets alone begin many other texts as well, such as pages of wikis. */
const LOOKS_LIKE_JSON = /^(\{\s*["}]|\[[\s[]*(?:["{\]]|(?:-?\d[\d.e+-]*|true|false|null)\s*,))/;

/** Matches Office files written as one XML file: Office 2007 and newer, OpenDocument, and Office 2003. */
const FLAT_OFFICE = new RegExp(
  '^(?:<\\?[^<>]*>\\s*)*(?:<!--[^<>]*-->\\s*)?<(?:pkg:package|w:worddocument|office:document|' +
    '(?:ss:)?workbook\\s[^<>]*urn:schemas-microsoft-com:office:spreadsheet)[\\s>"]',
);

/** Matches pages that MediaWiki and Confluence export. */
const WIKI_DUMP = /^(?:<\?xml[^<>]*\?>\s*)?<(?:mediawiki|hibernate-generic)[\s>]/;

/** Matches what a TiddlyWiki says of itself. Its notes are in a script. */
const TIDDLYWIKI = /<meta name="application-name" content="TiddlyWiki"/;

/** Matches mind maps, which have the ending of Objective-C++. */
const MIND_MAP = /^<map version="/;

/** Sphinx names the copies of its sources like this (`index.rst.txt`). */
const SOURCE_COPY = /(\.(?:rst|adoc|md))\.txt$/i;

/** Matches the line that begins a mail in a mailbox, with sender and time. */
export const MAILBOX_LINE = /^From \S{1,500} .{0,500}\d\d:\d\d(?::\d\d)?\b.{0,40}\b\d{4}\b/;

const MAIL_BEGIN = /^(received|return-path|delivered-to|from|mime-version): /;
/** Matches two headers, which may go on in other lines. Notes also begin with "From: ". */
const TWO_HEADERS = /^(?:[a-z-]{2,40}:[ \t][^\n]*\n(?:[ \t][^\n]*\n)*){2}/;
/** Matches headers of a mail in another order, as archives of mails have them. */
const MAIL_HEADERS = /^(?=(?:[^\n]+\n){0,40}from: )(?=(?:[^\n]+\n){0,40}(?:message-id|mime-version): )[a-z-]{2,40}: /;
/** Matches lines that are nothing but headers, and the line that begins a mail in a mailbox. */
const HEADER_LINES = /^(?:>?from \S.*\r?\n)?(?:[\w-]{2,80}:.*\r?\n(?:[ \t].*\r?\n)*)+$/i;
/** Headers of mails, the first of which only programs write. */
const SAVED_HEADERS = [/^(?:message-id:\s*<|received: *(?:from|by) )/im, /^from: /im];
/** Matches the document type of XML other than HTML. */
const XML_DOCTYPE = /^<!doctype\s+(?!html)[\w:.-]{1,100}\s*(?:public\s|system\s|\[|>)/;

/**
 * Returns the type of a file by its magic numbers and the beginning of its text. The extension refines text formats only.
 *
 * @throws FileError "Unsupported file type" for binary files without a parser, and "Empty file" for files of 0 bytes.
 */
export async function detectFileType(bytes: Uint8Array, name: string): Promise<FileType> {
  const ending = extensionOf(name.replace(SOURCE_COPY, '$1'));
  // The flags of a mail in a folder of mails (`1.host:2,S`) and words behind a point are no extension.
  const extension = /^[\w+-]*$/.test(ending) ? ending : '';
  if (bytes.length === 0) throw emptyFile('detect', 'Empty file', 'The file is empty (0 bytes).');
  const isTextName = TEXT_EXTENSIONS[extension] !== undefined;
  const kind = kindOfHead(bytes, { extension, isTextName, tail: tailOf(bytes, 4) });
  switch (kind) {
    case 'zip':
      return zipType(bytes);
    case 'compound':
      return compoundType(bytes);
    case 'binary':
      throw await unsupportedBinary(bytes);
    case 'text': {
      const head = withoutMark(bytes).subarray(0, HEAD_BYTES);
      return textType(Buffer.from(head).toString('latin1'), extension);
    }
    default:
      return kind;
  }
}

/** Returns the bytes without the byte order mark of UTF-8. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function tailOf(bytes: Uint8Array, length: number): string {
  return String.fromCharCode(...bytes.subarray(-length));
}

export function extensionOf(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? '' : base.slice(dot + 1).toLowerCase();
}

const UNSUPPORTED = 'Unsupported file type';
const UNKNOWN_FORMAT =
  'The file is no text, and its format is not known. Save it in a format that is read, such as PDF.';

/** @param remedy what the user can do, as a sentence. */
function unsupported(what: string, remedy = ''): FileError {
  return badFile('detect', UNSUPPORTED, `${what} files cannot be read.${remedy && ` ${remedy}`}`);
}

const AS_PDF = 'Save the file as PDF.';
const UNPACKED = 'Unpack the file, or pack its files as zip.';
/** Names of binary formats by the extension that file-type gives them or that they have, with what the user can do. */
const BINARY_NAMES: Record<string, readonly [name: string, remedy: string]> = {
  ps: ['PostScript', AS_PDF],
  eps: ['PostScript', AS_PDF],
  djvu: ['DjVu', AS_PDF],
  chm: ['CHM', 'Save its pages as HTML.'],
  mobi: ['Kindle', 'Save the book as EPUB.'],
  plist: ['binary plist', 'Save the file as XML.'],
  one: ['OneNote', AS_PDF],
  webarchive: ['Web archive', AS_PDF],
  p7m: ['Encrypted or signature (PKCS #7)', 'Open the file, and save what is inside.'],
  mdb: ['Access', 'Export its tables as Excel or CSV.'],
  dbf: ['dBase', 'Save the table as CSV.'],
  biff: ['Excel 2 to 4', 'Save the file as xlsx.'],
  wpd: ['WordPerfect', AS_PDF],
  pdb: ['Palm', 'Save the book as EPUB.'],
  dvi: ['DVI', AS_PDF],
  wri: ['Write', AS_PDF],
  '7z': ['7z', UNPACKED],
  rar: ['RAR', UNPACKED],
  bz2: ['BZ2', UNPACKED],
  xz: ['XZ', UNPACKED],
  zst: ['ZST', UNPACKED],
};
/** Marks of formats that file-type does not know, or names otherwise. */
const BINARY_MARKS: readonly (readonly [mark: RegExp, format: string])[] = [
  [/^\x04?%!PS|^\xc5\xd0\xd3\xc6/, 'ps'],
  [/^AT&TFORM/, 'djvu'],
  [/^ITSF/, 'chm'],
  [/^bplist0.{0,100}WebMainResource/s, 'webarchive'],
  [/^bplist0/, 'plist'],
  [/^0[\x80-\x84].{0,4}\x06\x09\*\x86H\x86\xf7\r\x01\x07/s, 'p7m'],
  [/^\0\x01\0\0Standard (?:Jet|ACE) DB\0/, 'mdb'],
  [/^[\x03\x30\x83\x8b\xf5].[\x01-\x0c][\x01-\x1f].{4}.[\0-\x0f].{18}\0{2}/s, 'dbf'],
  [/^\x09[\0\x02\x04]\x06\0/, 'biff'],
  [/^.{60}(?:BOOKMOBI|TEXtREAd)/s, 'mobi'],
  [/^\xf7\x02\x01\x83\x92\xc0/, 'dvi'],
  [/^[12]\xbe\0\0/, 'wri'],
  [/^\xffWPC/, 'wpd'],
  [/^\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d/, 'one'],
];

/** Formats without a parser that are zip archives inside. Their parts are not files that a person made. */
const UNREAD_PACKAGES: readonly (readonly [mark: RegExp, name: string])[] = [
  [
    /^Index\/[^/]{1,100}\.iwa$|(?:^|\/)Index\.zip$|^index\.apxl$|^buildVersionHistory\.plist$/,
    'Pages, Numbers and Keynote',
  ],
  [/^visio\/document\.xml$/i, 'Visio'],
  [/^[^/]{1,100}\.fdseq$/i, 'XPS'],
  [/^designmap\.xml$/, 'InDesign'],
  [/^theme\/theme\/themeManager\.xml$/i, 'Office theme'],
];

function zipType(bytes: Uint8Array): ZipType {
  const entries = readZipDirectory(bytes);
  const names = new Set(entries.map((entry) => entry.name));
  const unread = UNREAD_PACKAGES.find(([mark]) => names.values().some((name) => mark.test(name)));
  if (unread) throw unsupported(unread[1], AS_PDF);
  if (names.has('word/document.xml') || names.has('word/document2.xml')) return 'docx';
  if (names.has('xl/workbook.xml') || names.has('xl/workbook2.xml')) return 'xlsx';
  if (names.has('ppt/presentation.xml')) return 'pptx';
  if (names.has('xl/workbook.bin')) {
    harmlessEntries(entries);
    return 'xlsb';
  }
  if (names.has('META-INF/container.xml')) return 'epub';
  if (names.has('content.xml')) return openDocumentType(bytes);
  // An archive is checked here, because a bomb may contain thousands of archives that would all become sources.
  harmlessEntries(entries);
  return 'zip';
}

const UNREAD_STREAMS: readonly (readonly [stream: string, name: string])[] = [
  ['VisioDocument', 'Visio'],
  ['Quill/', 'Publisher'],
  ['MatOST', 'Works'],
  ['PerfectOffice_MAIN', 'WordPerfect'],
  ['BodyText/', 'Hangul'],
];

/** @throws FileError that names the format, if no parser reads it. */
function compoundType(bytes: Uint8Array): FileType {
  const { paths } = openCompoundFile(bytes);
  const has = (name: string) => paths.includes(name);
  if (has('__properties_version1.0')) return 'msg';
  if (has('EncryptedPackage')) throw badFile('detect', 'Encrypted file', 'The file is protected by a password.');
  if (has('WordDocument')) return 'doc';
  if (has('Workbook') || has('WORKBOOK') || has('Book')) return 'xls';
  if (has('PowerPoint Document')) return 'ppt';
  const unread = UNREAD_STREAMS.find(([stream]) => paths.some((path) => path.startsWith(stream)));
  throw unread ? unsupported(unread[1], AS_PDF) : unsupported('OLE2', AS_PDF);
}

/** Reads the media type at the start of an OpenDocument file, where it is stored uncompressed. */
function openDocumentType(bytes: Uint8Array): ZipType {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES)).toString('latin1');
  const kind = /application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(head)?.[1] ?? 'text';
  const types: Record<string, ZipType> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' };
  const type = types[kind];
  if (!type) throw unsupported(`OpenDocument ${kind}`);
  return type;
}

function textType(head: string, extension: string): FileType {
  const named = TEXT_EXTENSIONS[extension];
  const isCode = CODE_ENDINGS.has(extension);
  const start = head
    .replace(/^(?:\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart()
    .slice(0, 1024)
    .toLowerCase();
  const html =
    /^(<!doctype html|<html[\s>]|<head[\s>]|<body[\s>])/.test(start) ||
    /^<\?xml[^>]*\?>\s*(<!doctype html|<html[\s>])/.test(start);
  if (html && named !== 'md' && !isCode) return TIDDLYWIKI.test(head) ? 'wiki' : 'html';
  if (looksLikeMan(head, extension)) return 'man';
  if (
    /^info(?:-\d{1,3})?$/.test(extension) &&
    /^(?:This is .{1,200}, produced by |START-INFO-DIR-ENTRY|\x1f$)/m.test(head)
  )
    return 'info';
  if (WIKI_DUMP.test(start) && (named === undefined || named === 'xml')) return 'wiki';
  if (FLAT_OFFICE.test(start) && (named === undefined || named === 'xml')) return 'flat-office';
  if (/^begin:v(?:calendar|card)\s/.test(start) && (named === undefined || named === 'txt') && !isCode)
    return 'calendar';
  if (named === 'txt' && extension !== 'log') {
    if (isSavedMail(head)) return MAILBOX_LINE.test(head) ? 'mbox' : 'eml';
    return plainMarkup(head) ?? 'txt';
  }
  // A mailbox of one mail often has no line before it.
  if (named === 'mbox' && !MAILBOX_LINE.test(head) && /^[a-z-]{2,40}:/.test(start)) return 'eml';
  if (named) return named;
  if (extension === '' && MAILBOX_LINE.test(head)) return 'mbox';
  const beginsAsMail = MAIL_BEGIN.test(start) && (extension === '' || TWO_HEADERS.test(start));
  if (!isCode && (beginsAsMail || MAIL_HEADERS.test(start))) return 'eml';
  if (start.startsWith('webvtt') || (extension === 'sub' && /^\{\d+\}\{\d+\}/.test(start))) return 'subtitles';
  // Translations of Qt, and settings, often have the names of code.
  const isXml = start.startsWith('<?xml') || XML_DOCTYPE.test(start) || MIND_MAP.test(start);
  if (isCode && (!isXml || /^(?:php|vue|svelte)$/.test(extension))) return 'code';
  if (isXml) return start.includes('<fictionbook') ? 'fb2' : 'xml';
  if (LOOKS_LIKE_JSON.test(start)) return 'json';
  if (extension !== '') return 'txt';
  return plainMarkup(head) ?? (isPlainMarkdown(head) ? 'md' : 'txt');
}

/** True for a mail or mailbox that was saved as text. Other texts also have lines such as "From: Ann", and more in between. */
function isSavedMail(head: string): boolean {
  // Headers may be longer than the head. A file with nothing but headers is text, because a mail shows only some of them.
  const end = head.search(/\n\r?\n/);
  const headers = head.slice(0, 1 + (end === -1 && head.length >= HEAD_BYTES ? head.lastIndexOf('\n') : end));
  return HEADER_LINES.test(headers) && SAVED_HEADERS.every((header) => header.test(headers));
}

/** Matches the extensions of manual pages (`ls.1`, `printf.3posix`, `after.n`) and of roff sources. */
const MAN_EXTENSION = /^(?:[1-9][a-z]{0,8}|[nl]|man|mdoc|roff|nroff|troff)$/;
/** Matches the line that begins a manual page or includes another file. */
const MAN_BEGIN = /^[.'][ \t]*(?:TH|Dd|Dt|SH|Sh|so)[ \t]+\S/m;

/** True if a text is a manual page. Its first request may follow a long licence in comments. */
function looksLikeMan(head: string, extension: string): boolean {
  if (MAN_EXTENSION.test(extension)) return MAN_BEGIN.test(head) || /^[.']\\"/.test(head);
  return extension === '' && /^[.'](?:\\"|[ \t]*(?:TH|Dd)[ \t])/.test(head) && MAN_BEGIN.test(head);
}

/** True if the bytes are no text. The extension says whether text is expected. */
export function isBinary(bytes: Uint8Array, extension: string): boolean {
  return isBinaryHead(bytes, TEXT_EXTENSIONS[extension] !== undefined);
}

async function unsupportedBinary(bytes: Uint8Array): Promise<FileError> {
  const { fileTypeFromBuffer } = await import('file-type');
  const head = bytes.subarray(0, HEAD_BYTES);
  const latin = Buffer.from(head).toString('latin1');
  const format =
    BINARY_MARKS.find(([mark]) => mark.test(latin))?.[1] ??
    (await fileTypeFromBuffer(head).catch(() => undefined))?.ext;
  if (format === undefined) return badFile('detect', UNSUPPORTED, UNKNOWN_FORMAT);
  const [name, remedy] = BINARY_NAMES[format] ?? [format.toUpperCase()];
  return unsupported(name, remedy);
}
