/** Calls the parser of a file type. A parser is loaded when it is first needed, which keeps a child process small. */
import { decodePieces, decodeText } from '../detect/decode.ts';
import type { FileType } from '../detect/file-types.ts';
import { overLimit } from '../failure.ts';
import { placeLines } from '../lines.ts';
import type { FileRequest, ParsedFile } from '../parsed.ts';
import { NO_TOOLS, type Tools } from '../tools.ts';
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
  switch (fileType) {
    case 'pdf': {
      const { parsePdf } = await import('./pdf/pdf.ts');
      return parsePdf(bytes, tools);
    }
    case 'picture': {
      const { parsePicture } = await import('./image/picture.ts');
      return parsePicture(tools);
    }
    case 'doc':
    case 'xls':
    case 'ppt': {
      const { convertOldOffice, NEW_FORMAT } = await import('./office/old-office.ts');
      const converted = await convertOldOffice(fileType, bytes, tools);
      if (converted) return parseFile(NEW_FORMAT[fileType], converted, request);
      const { parseOldWord } = await import('./office/old-word.ts');
      const { parseOldSlides } = await import('./office/old-slides.ts');
      return fileType === 'ppt' ? parseOldSlides(bytes) : parseOldWord(bytes);
    }
    case 'xlsb': {
      const { newWorkbook } = await import('./office/old-workbook.ts');
      return parseFile('xlsx', newWorkbook(bytes), request);
    }
    case 'docx': {
      const { parseDocx } = await import('./office/word/docx.ts');
      return parseDocx(bytes);
    }
    case 'xlsx': {
      const { parseXlsx } = await import('./office/sheets/xlsx.ts');
      return parseXlsx(bytes, request.chunkMetadataKeys);
    }
    case 'pptx': {
      const { parsePptx } = await import('./office/slides/pptx.ts');
      return parsePptx(bytes);
    }
    case 'odt':
    case 'ods':
    case 'odp': {
      const { parseOdf } = await import('./office/odf/odf.ts');
      return parseOdf(bytes, fileType, request.chunkMetadataKeys);
    }
    case 'epub': {
      const { parseEpub } = await import('./books/epub.ts');
      return parseEpub(bytes);
    }
    case 'gzip': {
      const { gunzip, parseArchive, readsAlone } = await import('./data/archive.ts');
      const data = gunzip(bytes);
      const name = request.name.replace(/\.gz$/i, '');
      const inner = await readsAlone(data, name);
      return inner === undefined
        ? parseArchive(bytes, fileType, request.name, data)
        : parseFile(inner, data, { ...request, name }, tools);
    }
    case 'zip':
    case 'tar': {
      const { parseArchive } = await import('./data/archive.ts');
      return parseArchive(bytes, fileType, request.name);
    }
    case 'eml': {
      const { parseEml, withoutCount } = await import('./mail/eml.ts');
      return parseEml(withoutCount(bytes));
    }
    case 'mbox': {
      const { parseMbox } = await import('./mail/mbox.ts');
      return parseMbox(bytes);
    }
    case 'msg': {
      const { parseMsg } = await import('./mail/msg.ts');
      return parseMsg(bytes);
    }
    case 'mhtml': {
      const { parseMhtml } = await import('./mail/eml.ts');
      return parseMhtml(bytes, request.chunkMetadataKeys);
    }
    case 'parquet': {
      const { parseParquet } = await import('./data/parquet.ts');
      return parseParquet(bytes, request.chunkMetadataKeys);
    }
    case 'sqlite': {
      const { parseSqlite } = await import('./data/sqlite.ts');
      return parseSqlite(bytes, request.chunkMetadataKeys);
    }
    case 'rtf': {
      const { parseRtf } = await import('./office/rtf/rtf.ts');
      return parseRtf(bytes);
    }
    default:
      return parseTextFile(fileType, bytes, request, tools);
  }
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
  const parsed = await parseText(fileType, decoded.text, request, tools);
  if (LINE_TYPES.has(fileType)) placeLines(parsed, decoded.text);
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

async function parseText(fileType: FileType, text: string, request: FileRequest, tools: Tools): Promise<ParsedFile> {
  const keys = request.chunkMetadataKeys;
  switch (fileType) {
    case 'md': {
      const { parseMd } = await import('./markup/md.ts');
      if (!/\.mdx$/i.test(request.name)) return parseMd(text, keys);
      const { mdxToMarkdown } = await import('./markup/mdx.ts');
      return parseMd(mdxToMarkdown(text), keys);
    }
    case 'html': {
      const { parseHtml } = await import('./html/html.ts');
      return parseHtml(text, keys, request.url);
    }
    case 'csv':
    case 'tsv': {
      const { parseCsv } = await import('./data/csv.ts');
      return parseCsv(text, fileType, keys);
    }
    case 'json': {
      if (/\.canvas$/i.test(request.name)) {
        const { parseCanvas } = await import('./data/canvas.ts');
        const board = parseCanvas(text);
        if (board) return board;
      }
      const { parseJson } = await import('./data/json.ts');
      return parseJson(text, keys);
    }
    case 'jsonl': {
      const { parseJsonl } = await import('./data/json.ts');
      return parseJsonl(text, keys);
    }
    case 'rst':
    case 'asciidoc': {
      const { parseWithIncludes } = await import('./markup/parse-outline.ts');
      return parseWithIncludes(fileType, text, request.groupPath, tools);
    }
    case 'bibliography': {
      const { parseBibliography } = await import('./data/bibliography.ts');
      return parseBibliography(text);
    }
    case 'translations': {
      const { parsePo } = await import('./data/translations.ts');
      return parsePo(text);
    }
    case 'wiki': {
      const { parseWiki } = await import('./wiki/parse-wiki.ts');
      return parseWiki(text, keys);
    }
    case 'org':
    case 'tex':
      return parseMarkup(fileType, text, request);
    case 'man': {
      const { parseMan } = await import('./roff/parse-man.ts');
      return parseMan(text);
    }
    case 'texinfo': {
      const { parseTexinfo } = await import('./texinfo/parse-texinfo.ts');
      return parseTexinfo(text);
    }
    case 'info': {
      const { parseInfo } = await import('./texinfo/parse-info.ts');
      return parseInfo(text);
    }
    case 'subtitles': {
      const { parseSubtitles } = await import('./markup/subtitles.ts');
      return parseSubtitles(text);
    }
    case 'calendar': {
      const { parseCalendar } = await import('./calendar/parse-calendar.ts');
      return parseCalendar(text);
    }
    case 'ipynb': {
      const { parseIpynb } = await import('./markup/ipynb.ts');
      return parseIpynb(text, keys);
    }
    case 'fb2': {
      const { parseFb2 } = await import('./books/fb2.ts');
      return parseFb2(text);
    }
    case 'flat-office': {
      const { parseFlatOffice } = await import('./office/flat-office.ts');
      return parseFlatOffice(text, keys, tools);
    }
    case 'xml': {
      const { parseXml } = await import('./xml/xml.ts');
      return parseXml(text, keys);
    }
    case 'code': {
      const { parseCode } = await import('./code/code.ts');
      return parseCode(text, request.name);
    }
    default: {
      const { parseTxt } = await import('./txt.ts');
      return parseTxt(text, fileType);
    }
  }
}

/** Parses Org and LaTeX by way of Markdown. */
async function parseMarkup(fileType: 'org' | 'tex', text: string, request: FileRequest): Promise<ParsedFile> {
  const { orgToMarkdown } = await import('./markup/org.ts');
  const { texToMarkdown } = await import('./markup/tex.ts');
  const { parseMd } = await import('./markup/md.ts');
  const { LinkMarks } = await import('./markup/link-marks.ts');
  const marks = new LinkMarks();
  const toMarkdown = fileType === 'org' ? orgToMarkdown : texToMarkdown;
  const { text: markdown, links } = marks.take(toMarkdown(marks.clean(text), marks));
  return { ...(await parseMd(markdown, request.chunkMetadataKeys, links)), fileType: 'txt' };
}

/** Bytes at the start of a file in which a format declares its encoding. */
const DECLARATION_BYTES = 2048;

function declaredEncoding(fileType: FileType, bytes: Uint8Array): string | undefined {
  if (!/^(html|xml|fb2|flat-office)$/.test(fileType)) return undefined;
  const head = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  const xml = /^\s*<\?xml[^>]*encoding=["']([\w.:-]{1,40})["']/.exec(head)?.[1];
  return xml ?? /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1];
}
