/** Calls the parser of a file type. A parser is loaded when it is first needed, which keeps a child process small. */

import { ownValue } from '../../util/own-value.ts';
import { decodePieces, decodeText } from '../detect/decode.ts';
import { type FileType, type OldOfficeType, withoutMark } from '../detect/file-types.ts';
import { overLimit } from '../failure.ts';
import { placeLines } from '../lines.ts';
import type { FileRequest, ParsedFile } from '../parsed.ts';
import { NO_TOOLS, type Tools } from '../tools.ts';
import type { LinkMarks } from './markup/link-marks.ts';
import { unwrittenWarnings } from './unwritten.ts';

/** Maximum size of a file in a text format: its text, chunks and terms must fit into the memory of a child process. */
const TEXT_FILE_BYTES_MAX = 32 * 1024 * 1024;
/** Maximum size of a CSV file. Its bytes and a piece of its rows must fit into the memory of a child process. */
const DATA_FILE_BYTES_MAX = 256 * 1024 * 1024;

/** Types that people read in an editor, and whose parsers keep lines as they are. */
const LINE_TYPES: ReadonlySet<string> = new Set<FileType>(['code', 'md', 'rst', 'txt', 'yaml']);

/** Parses `bytes` as `fileType`. @throws FileError, or the error of the format's library for a damaged file. */
export async function parseFile(
  fileType: FileType,
  bytes: Uint8Array,
  request: FileRequest,
  tools: Tools = NO_TOOLS,
): Promise<ParsedFile> {
  const parse = ownValue(BINARY_PARSERS, fileType);
  return parse
    ? parse({ content: bytes, request, tools, keys: request.chunkMetadataKeys })
    : parseTextFile(fileType, bytes, request, tools);
}

async function parseTextFile(
  fileType: FileType,
  bytes: Uint8Array,
  request: FileRequest,
  tools: Tools,
): Promise<ParsedFile> {
  if ((fileType === 'csv' || fileType === 'tsv') && bytes.length > TEXT_FILE_BYTES_MAX)
    return parseLargeData(fileType, bytes, request);
  if (bytes.length > TEXT_FILE_BYTES_MAX) {
    throw overLimit(`Text files are read up to ${TEXT_FILE_BYTES_MAX / 1024 / 1024} MiB.`);
  }
  const decoded = decodeText(bytes, request.charset ?? declaredEncoding(fileType, bytes));
  const parse =
    ownValue(TEXT_PARSERS, fileType) ?? (async ({ content }) => (await import('./txt.ts')).parseTxt(content, fileType));
  const content = /\.qif$/i.test(request.name)
    ? (await import('./data/qif.ts')).readableQif(decoded.text)
    : decoded.text;
  const parsed = await parse({ content, request, tools, keys: request.chunkMetadataKeys });
  if (LINE_TYPES.has(fileType)) placeLines(parsed, content);
  if (fileType === 'code' || fileType === 'txt') parsed.warnings.push(...unwrittenWarnings(request.name, decoded.text));
  if (decoded.replaced) parsed.warnings.push('Some bytes are not valid text and were replaced.');
  return parsed;
}

/** Parses a large file of rows. The text of its first rows is searched. */
async function parseLargeData(fileType: 'csv' | 'tsv', bytes: Uint8Array, request: FileRequest): Promise<ParsedFile> {
  if (bytes.length > DATA_FILE_BYTES_MAX)
    throw overLimit(`CSV files are read up to ${DATA_FILE_BYTES_MAX / 1024 / 1024} MiB.`);
  // Each row would be a chunk: policies may hide it.
  if (request.chunkMetadataKeys.length > 0)
    throw overLimit(`CSV files with chunk metadata are read up to ${TEXT_FILE_BYTES_MAX / 1024 / 1024} MiB.`);
  const { parseLargeCsv } = await import('./data/csv.ts');
  return parseLargeCsv(decodePieces(bytes, request.charset), fileType);
}

/** What a parser reads: the bytes of a file, or its text. */
interface Input<Content> {
  content: Content;
  request: FileRequest;
  tools: Tools;
  keys: FileRequest['chunkMetadataKeys'];
}
type Parsers<Content> = { readonly [type in FileType]?: (input: Input<Content>) => Promise<ParsedFile> };

const BINARY_PARSERS: Parsers<Uint8Array> = {
  pdf: async ({ content, tools }) => (await import('./pdf/pdf.ts')).parsePdf(content, tools),
  picture: async ({ tools }) => (await import('./image/picture.ts')).parsePicture(tools),
  doc: (input) => parseOldOffice('doc', input),
  xls: (input) => parseOldOffice('xls', input),
  ppt: (input) => parseOldOffice('ppt', input),
  xlsb: async ({ content, request }) => {
    const { newWorkbook } = await import('./office/old-workbook.ts');
    return parseFile('xlsx', newWorkbook(content), request);
  },
  docx: async ({ content }) => (await import('./office/word/docx.ts')).parseDocx(content),
  xlsx: async ({ content, keys }) => (await import('./office/sheets/xlsx.ts')).parseXlsx(content, keys),
  pptx: async ({ content }) => (await import('./office/slides/pptx.ts')).parsePptx(content),
  odt: async ({ content, keys }) => (await import('./office/odf/odf.ts')).parseOdf(content, 'odt', keys),
  ods: async ({ content, keys }) => (await import('./office/odf/odf.ts')).parseOdf(content, 'ods', keys),
  odp: async ({ content, keys }) => (await import('./office/odf/odf.ts')).parseOdf(content, 'odp', keys),
  epub: async ({ content }) => (await import('./books/epub.ts')).parseEpub(content),
  gzip: async (input) => {
    const { gunzip } = await import('./data/archive.ts');
    return parseInside(gunzip(input.content), input.request.name.replace(/\.gz$/i, ''), input);
  },
  signed: async (input) => {
    const data = (await import('./data/signed.ts')).signedContent(input.content);
    const isPart = /^content-/i.test(String.fromCharCode(...data.subarray(0, 8)));
    return parseInside(data, `${input.request.name.replace(/\.p7[mc]$/i, '')}${isPart ? '.eml' : ''}`, input);
  },
  zip: async ({ content, request }) => (await import('./data/archive.ts')).parseArchive(content, 'zip', request.name),
  tar: async ({ content, request }) => (await import('./data/archive.ts')).parseArchive(content, 'tar', request.name),
  eml: async ({ content }) => {
    const { parseEml, withoutCount } = await import('./mail/eml.ts');
    return parseEml(withoutCount(withoutMark(content)));
  },
  mbox: async ({ content, request, tools }) => {
    const { parseMbox } = await import('./mail/mbox.ts');
    try {
      return parseMbox(withoutMark(content));
    } catch (error) {
      // A mailbox over a limit that was saved as text can be read as text.
      if (!/\.(?:txt|text|asc)$/i.test(request.name)) throw error;
      return parseFile('txt', content, request, tools);
    }
  },
  msg: async ({ content }) => (await import('./mail/msg.ts')).parseMsg(content),
  mhtml: async ({ content, keys }) => (await import('./mail/eml.ts')).parseMhtml(content, keys),
  parquet: async ({ content, keys }) => (await import('./data/parquet.ts')).parseParquet(content, keys),
  sqlite: async ({ content, keys }) => (await import('./data/sqlite.ts')).parseSqlite(content, keys),
  rtf: async ({ content }) => (await import('./office/rtf/rtf.ts')).parseRtf(content),
};

/** Parses a file that was packed or signed alone. */
async function parseInside(data: Uint8Array, name: string, { content, request, tools }: Input<Uint8Array>) {
  const { parseArchive, readsAlone } = await import('./data/archive.ts');
  const inner = await readsAlone(data, name);
  return inner === undefined
    ? parseArchive(content, 'gzip', request.name, data)
    : parseFile(inner, data, { ...request, name }, tools);
}

const TEXT_PARSERS: Parsers<string> = {
  md: async ({ content, request, keys }) => {
    const { parseMd } = await import('./markup/md.ts');
    if (!/\.mdx$/i.test(request.name)) return parseMd(content, keys);
    return parseMd((await import('./markup/mdx.ts')).mdxToMarkdown(content), keys);
  },
  html: async ({ content, request, keys }) =>
    (await import('./html/html.ts')).parseHtml(content, keys, request.url, request.name),
  csv: async ({ content, keys }) => (await import('./data/csv.ts')).parseCsv(content, 'csv', keys),
  tsv: async ({ content, keys }) => (await import('./data/csv.ts')).parseCsv(content, 'tsv', keys),
  json: async ({ content, request, keys, tools }) => {
    const isCanvas = /\.(?:canvas|excalidraw)$/i.test(request.name);
    const board = isCanvas ? (await import('./data/canvas.ts')).parseCanvas(content) : undefined;
    if (board) return board;
    const users = await (await import('./json/chat.ts')).namesOfUsers(content, request.groupPath, tools);
    const parsed = (await import('./json/json.ts')).parseJson(content, keys, users.names);
    return { ...parsed, warnings: [...parsed.warnings, ...users.warnings] };
  },
  jsonl: async ({ content, keys }) => (await import('./json/json.ts')).parseJsonl(content, keys),
  rst: (input) => parseWithIncludes('rst', input),
  asciidoc: (input) => parseWithIncludes('asciidoc', input),
  bibliography: async ({ content }) => (await import('./data/bibliography.ts')).parseBibliography(content),
  translations: async ({ content }) => (await import('./data/translations.ts')).parsePo(content),
  wiki: async ({ content, keys }) => (await import('./wiki/parse-wiki.ts')).parseWiki(content, keys),
  org: async (input) => parseMarkup((await import('./markup/org.ts')).orgToMarkdown, input),
  tex: async (input) => parseMarkup((await import('./markup/tex.ts')).texToMarkdown, input),
  man: async ({ content }) => (await import('./roff/parse-man.ts')).parseMan(content),
  texinfo: async ({ content }) => (await import('./texinfo/parse-texinfo.ts')).parseTexinfo(content),
  info: async ({ content }) => (await import('./texinfo/parse-info.ts')).parseInfo(content),
  subtitles: async ({ content }) => (await import('./markup/subtitles.ts')).parseSubtitles(content),
  calendar: async ({ content }) => (await import('./calendar/parse-calendar.ts')).parseCalendar(content),
  ipynb: async ({ content, keys }) => (await import('./markup/ipynb.ts')).parseIpynb(content, keys),
  fb2: async ({ content }) => (await import('./books/fb2.ts')).parseFb2(content),
  'flat-office': async ({ content, keys, tools }) =>
    (await import('./office/flat-office.ts')).parseFlatOffice(content, keys, tools),
  xml: async ({ content, keys }) => (await import('./xml/xml.ts')).parseXml(content, keys),
  code: async ({ content, request }) => (await import('./code/code.ts')).parseCode(content, request.name),
};

async function parseOldOffice(
  type: OldOfficeType,
  { content, request, tools }: Input<Uint8Array>,
): Promise<ParsedFile> {
  const { convertOldOffice, NEW_FORMAT } = await import('./office/old-office.ts');
  const converted = await convertOldOffice(type, content, tools);
  if (converted) return parseFile(NEW_FORMAT[type], converted, request);
  return type === 'ppt'
    ? (await import('./office/old-slides.ts')).parseOldSlides(content)
    : (await import('./office/old-word.ts')).parseOldWord(content);
}

async function parseWithIncludes(
  type: 'rst' | 'asciidoc',
  { content, request, tools }: Input<string>,
): Promise<ParsedFile> {
  const { parseWithIncludes } = await import('./markup/parse-outline.ts');
  return parseWithIncludes(type, content, request.groupPath, tools);
}

/** Parses Org and LaTeX by way of Markdown. */
async function parseMarkup(
  toMarkdown: (text: string, marks: LinkMarks) => string,
  { content, keys }: Input<string>,
): Promise<ParsedFile> {
  const { parseMd } = await import('./markup/md.ts');
  const { LinkMarks: Marks } = await import('./markup/link-marks.ts');
  const marks = new Marks();
  const { text: markdown, links } = marks.take(toMarkdown(marks.clean(content), marks));
  return { ...(await parseMd(markdown, keys, links)), fileType: 'txt' };
}

/** Bytes at the start of a file in which a format declares its encoding. */
const DECLARATION_BYTES = 2048;

function declaredEncoding(fileType: FileType, bytes: Uint8Array): string | undefined {
  if (!/^(html|xml|fb2|flat-office)$/.test(fileType)) return undefined;
  const head = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  const xml = /^\s*<\?xml[^>]*encoding=["']([\w.:-]{1,40})["']/.exec(head)?.[1];
  return xml ?? /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1];
}
