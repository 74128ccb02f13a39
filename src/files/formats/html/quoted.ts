/** Reads HTML that is the value of a field, as in exports of help desks, chats and trackers. */

import type { Link } from '../../../text/link-line.ts';
import { pageLinks } from '../../links.ts';
import { TextBuilder } from '../text-builder.ts';
import { writeHtmlBlocks } from './blocks.ts';
import { fitsTree, parseTree, rootOf, stripTags } from './dom.ts';

/** Matches a text that is HTML from its first tag to its last. Markdown with some tags, and code that speaks of tags, is not. */
const WHOLE_HTML =
  /^\s*<(?:p|div|span|h[1-6]|ul|ol|table|blockquote|html|body|b|i|em|strong|a|br)(?:\s[^<>]*)?\/?>[\s\S]*>\s*$/i;

/** Returns the text of a value that is HTML, with its lists and tables, and adds its links; undefined for another value. */
export function quotedHtml(value: string, links: Link[]): string | undefined {
  if (!WHOLE_HTML.test(value)) return undefined;
  if (!fitsTree(value)) return stripTags(value);
  const builder = new TextBuilder();
  writeHtmlBlocks(rootOf(parseTree(value)), builder, { links: pageLinks(undefined) });
  links.push(...builder.blocks.flatMap(({ links: own = [] }) => own.map(({ text, url }) => ({ text, url }))));
  return builder.text();
}
