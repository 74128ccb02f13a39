/** Marks for the links of markups that become Markdown first: what is rewritten carries them along, and they are taken out again. */

import { LINK_TEXT_UNITS_MAX, outsideLinks } from '../../links.ts';
import type { BlockLink } from '../../parsed.ts';

/** Characters for private use: in front of the text of a link, in front of its number, and behind it. */
const [BEGIN, NUMBER, END] = ['\ue0d0', '\ue0d1', '\ue0d2'];
const MARKS = new RegExp(`${BEGIN}|${NUMBER}(\\d+)${END}|[${NUMBER}${END}]`, 'g');

export class LinkMarks {
  private readonly addresses: string[] = [];

  /** The source without characters that would be taken for marks. */
  clean(source: string): string {
    return source.replace(new RegExp(`[${BEGIN}${NUMBER}${END}]`, 'g'), '');
  }

  /** The text with marks where the address leads outside, else as it is. */
  mark(text: string, address: string): string {
    const url = outsideLinks(address);
    if (url === undefined) return text;
    this.addresses.push(url);
    return `${BEGIN}${text}${NUMBER}${this.addresses.length - 1}${END}`;
  }

  /** The text without marks, and the links where they stood. */
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
