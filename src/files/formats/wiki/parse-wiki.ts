/** Parses wikitext, and the pages of a wiki (MediaWiki XML, TiddlyWiki). Each page is a section with its title as heading. */
import type { ChunkMetadataKey } from '../../../corpus/values.ts';
import type { ParsedFile } from '../../parsed.ts';
import { parseHtml } from '../html/html.ts';
import { LinkMarks } from '../markup/link-marks.ts';
import { parseMd } from '../markup/md.ts';
import { decodeXml } from '../references.ts';
import { parseTxt } from '../txt.ts';
import { parseConfluence } from './confluence.ts';
import { tiddlersOf } from './tiddlywiki.ts';
import { isWikitext, wikitextToMarkdown } from './wikitext.ts';

const HTML = /^\s*(?:<\?xml[^<>]*\?>\s*)?<(?:!doctype html|html|head|body)\b/i;
const CONFLUENCE = /^\s*(?:<\?xml[^<>]*\?>\s*)?<hibernate-generic[\s>]/;

/** Parses a page, or an export with many pages. A file in the markup of another wiki is plain text. */
export async function parseWiki(source: string, keys: readonly ChunkMetadataKey[]): Promise<ParsedFile> {
  if (CONFLUENCE.test(source)) return parseConfluence(source);
  const marks = new LinkMarks();
  const clean = marks.clean(source);
  const isHtml = HTML.test(clean);
  const pages = [...(isHtml ? tiddlersOf(clean) : pagesOf(clean))];
  // The notes of a TiddlyWiki may be encrypted or damaged.
  if (pages.length === 0 && isHtml) return parseHtml(source, keys);
  if (pages.length === 0 && !isWikitext(clean)) return parseTxt(source);
  const marked =
    pages.length === 0
      ? wikitextToMarkdown(clean, marks)
      : pages
          .map(
            ({ title, text, isMarkdown }) => `# ${title}\n\n${isMarkdown ? text : wikitextToMarkdown(text, marks, 2)}`,
          )
          .join('\n\n');
  const { text, links } = marks.take(marked);
  const parsed = await parseMd(text, keys, links);
  if (pages.length === 0) return { ...parsed, fileType: 'txt' };
  const { title: _, ...untitled } = parsed;
  const language = /<mediawiki\b[^<>]{0,2000}\sxml:lang="([\w-]{2,20})"/.exec(clean.slice(0, HEAD_UNITS))?.[1];
  const site = /<sitename>([^<>]{1,200})<\/sitename>/.exec(clean.slice(0, HEAD_UNITS))?.[1];
  const title = pages.length === 1 ? pages[0]!.title : site && decodeXml(site);
  return {
    ...untitled,
    fileType: isHtml ? 'html' : 'xml',
    ...(title === undefined ? {} : { title }),
    metadata: {
      ...(title === undefined ? {} : { title: { val: title, type: 'string' } }),
      ...(language === undefined ? {} : { language: { val: language, type: 'string' } }),
    },
  };
}

const HEAD_UNITS = 10_000;

/** Yields the pages of an export with the text of their last revision, which stands last. */
function* pagesOf(source: string): Iterable<{ title: string; text: string; isMarkdown?: boolean }> {
  for (let at = source.indexOf('<page>'); at !== -1; ) {
    const end = source.indexOf('</page>', at);
    const page = source.slice(at, end === -1 ? source.length : end);
    const title = /<title>([^<>]{0,1000})<\/title>/.exec(page)?.[1];
    const open = page.lastIndexOf('<text');
    const from = open === -1 ? -1 : page.indexOf('>', open);
    // A page that was emptied has `<text … />`.
    const target = /<redirect title="([^"]{0,1000})"/.exec(page)?.[1];
    if (title !== undefined && from !== -1 && page[from - 1] !== '/') {
      const close = page.indexOf('</text>', from);
      const text = target === undefined ? page.slice(from + 1, close === -1 ? page.length : close) : `→ ${target}`;
      yield { title: decodeXml(title).trim(), text: decodeXml(text) };
    }
    at = end === -1 ? -1 : source.indexOf('<page>', end);
  }
}
