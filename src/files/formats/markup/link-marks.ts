/** Marks links in markups that are first converted to Markdown. The conversion keeps the marks, and `take` removes them. */

import { LINK_TEXT_UNITS_MAX, outsideLinks } from '../../links.ts';
import type { BlockLink } from '../../parsed.ts';

/** Private-use characters: before the text of a link, before its number, and after it. */
const [BEGIN, NUMBER, END] = ['\ue0d0', '\ue0d1', '\ue0d2'];
const MARKS = new RegExp(`${BEGIN}|${NUMBER}(\\d+)${END}|[${NUMBER}${END}]`, 'g');

export class LinkMarks {
  private readonly addresses: string[] = [];

  /** Returns the source without characters that would be read as marks. */
  clean(source: string): string {
    return source.replace(new RegExp(`[${BEGIN}${NUMBER}${END}]`, 'g'), '');
  }

  /** Returns the text with marks if the address leads outside, otherwise unchanged. */
  mark(text: string, address: string): string {
    const url = outsideLinks(address);
    if (url === undefined) return text;
    this.addresses.push(url);
    return `${BEGIN}${text}${NUMBER}${this.addresses.length - 1}${END}`;
  }

  /** Returns the text without marks, and the links with their positions. */
  take(marked: string): { text: string; links: BlockLink[] } {
    const links: BlockLink[] = [];
    const parts: string[] = [];
    let [from, length, begin] = [0, 0, -1];
    for (const found of marked.matchAll(MARKS)) {
      const part = marked.slice(from, found.index);
      parts.push(part);
      length += part.length;
      from = found.index + found[0].length;
      if (found[0] === BEGIN) begin = parts.length;
      const url = found[1] === undefined ? undefined : this.addresses[Number(found[1])];
      if (url === undefined) continue;
      const words = begin === -1 ? '' : parts.slice(begin).join('');
      links.push({ text: words.slice(0, LINK_TEXT_UNITS_MAX), url, at: length - words.length });
      begin = -1;
    }
    return { text: parts.join('') + marked.slice(from), links };
  }
}
