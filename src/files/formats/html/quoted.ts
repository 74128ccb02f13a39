/** Reads HTML that is the value of a field, as in exports of help desks, chats and trackers. */

import type { Link } from '../../../text/link-line.ts';
import { pageLinks } from '../../links.ts';
import { TextBuilder } from '../text-builder.ts';
import { writeHtml } from './blocks.ts';
import { fitsTree, stripTags } from './dom.ts';

/** Matches a text that begins with an element that ends. The end of a paragraph may be missing: then `\1` is empty. */
const BEGINS_WITH_ELEMENT =
  /^\s*<(?:p|(div|span|h[1-6]|ul|ol|table|blockquote|html|body|b|i|em|strong|a))(?:\s[^<>]*)?>[\s\S]*<\/\1/i;
const ENDS_WITH_TAG = /<(?:\/\w{1,20}|(?:br|hr|img)(?:\s[^<>]*)?\/?)>$/;
const TAG_UNITS_MAX = 2_000;
/** Matches lines of Markdown, which may have HTML around its text. */
const MARKDOWN = /^(?:```|#{1,6} |[-*] )/m;
/** Matches the beginning of a picture or field whose words are in an attribute. */
const WORDS_IN_TAG = /<(?:img|input)(?=\s)[^<>]*?\s(?:alt|value)=(?:"([^"<>]*)"|'([^'<>]*)')/gi;

/** Returns the text of HTML with its lists and tables, and adds its links; undefined for another value, or if words would be lost. */
export function quotedHtml(value: string, links: Link[]): string | undefined {
  if (!BEGINS_WITH_ELEMENT.test(value) || !ENDS_WITH_TAG.test(value.trimEnd().slice(-TAG_UNITS_MAX))) return undefined;
  if (MARKDOWN.test(value) || !fitsTree(value)) return undefined;
  const html = value.replace(WORDS_IN_TAG, (tag, double = '', single = '') => `${double}${single} ${tag}`);
  const builder = new TextBuilder();
  writeHtml(html, builder, { links: pageLinks(undefined) });
  const text = builder.text();
  if (signsIn(text) === 0 || signsIn(text) < signsIn(stripTags(html))) return undefined;
  links.push(...builder.blocks.flatMap(({ links: own = [] }) => own.map(({ text, url }) => ({ text, url }))));
  return text;
}

/** Returns the number of visible signs, which may be pictures (👍). */
function signsIn(text: string): number {
  return text.replace(/[\s\p{C}]+/gu, '').length;
}
