/** Reads the notes (tiddlers) of a TiddlyWiki, which is one HTML file: https://tiddlywiki.com/dev/#Data-Storage */

import { isObject } from '../../../util/is-object.ts';
import { decodeHtml } from '../references.ts';

const STORE = /<script class="tiddlywiki-tiddler-store"[^<>]{0,200}>([^<]*)<\/script>/g;
/** Matches a note in a file of an older version. */
const ELEMENT =
  /<div (?![^<>]*\btype="(?!"|text\/(?:vnd\.|plain|x-)))[^<>]*?\btitle="([^"]*)"[^<>]*>\s*<pre>([^<]*)<\/pre>\s*<\/div>/g;
/** Matches the types of notes that people write. */
const WRITTEN = /^(?:|text\/(?:vnd\.tiddlywiki|plain|(?:x-)?markdown))$/;
/** Matches code, headings and links, and then what is no text: macros, widgets, other notes, marks of quotations, definitions. */
const MARKS = new RegExp(
  '```[^\\n]*\\n((?:(?!```)[^])*?)\\n```|`([^`\\n]+)`|^(!{1,6})(?!!)([^\\n]+)$|\\[\\[([^[\\]|\\n]*)\\|([^[\\]|\\n]*)\\]\\]|' +
    '<<[^<>\\n]*>>|</?\\$[^<>]*>|\\{\\{+[^{}\\n]*\\}+\\}|^<<<+|' +
    '^\\\\[a-z]+ [^\\n]*\\n(?:[^\\\\\\n][^\\n]*\\n|\\n)*\\\\end[^\\n]*$|^\\\\[a-z]+\\b[^\\n]*$',
  'gm',
);

/** Yields the titles of the notes that people wrote, and their texts as wikitext. Titles of parts of the program begin with `$:/`. */
export function* tiddlersOf(html: string): Iterable<{ title: string; text: string }> {
  const stored = [...html.matchAll(STORE)].flatMap(([, json = '']) => JSON.parse(json) as unknown);
  const elements = [...html.matchAll(ELEMENT)].map(([, title = '', text = '']) => {
    return { title: decodeHtml(title), text: decodeHtml(text) };
  });
  for (const { title, text, type = '' } of [...stored, ...elements].filter(isObject)) {
    if (typeof title !== 'string' || typeof text !== 'string' || title.startsWith('$:/')) continue;
    if (WRITTEN.test(String(type))) yield { title, text: asWikitext(text) };
  }
}

/** Returns a note with the code, headings and links of MediaWiki. */
function asWikitext(note: string): string {
  return note.replace(MARKS, (_mark, block?: string, code?: string, signs?: string, title = '', name = '', to = '') => {
    const words = (block ?? code)?.replaceAll('&', '&amp;');
    if (words !== undefined) return block === undefined ? `<code>${words}</code>` : `<pre>\n${words}\n</pre>`;
    if (signs !== undefined) return `${signs.replaceAll('!', '=')}= ${title.trim()} =${signs.replaceAll('!', '=')}`;
    return to && (/^https?:/.test(to) ? `[${to} ${name}]` : `[[${to}|${name}]]`);
  });
}
