/** Reads the notes (tiddlers) of a TiddlyWiki, which is one HTML file: https://tiddlywiki.com/dev/#Data-Storage */

import { isObject } from '../../../util/is-object.ts';
import { decodeHtml } from '../references.ts';
import { attribute } from '../xml/tree.ts';

const STORE = /<script class="tiddlywiki-tiddler-store"[^<>]{0,200}>([^<]*)<\/script>/g;
/** Matches a note in a file of an older version. */
const ELEMENT = /<div( [^<>]*)>\s*<pre>([^<]*)<\/pre>\s*<\/div>/g;
/** Matches the types of notes that people write. */
const WRITTEN = /^(?:|text\/(?:vnd\.tiddlywiki|plain|(?:x-)?markdown))$/;
/** Matches code, headings and links, and then what is no text: macros, widgets, other notes, marks of quotations, definitions. */
const MARKS = new RegExp(
  '```[^`\\n]*\\n((?:(?!```)[^])*?)\\n```|`([^`\\n]+)`|^(!{1,6})(?!!)([^\\n]+)$|\\[\\[([^[\\]|\\n]*)\\|([^[\\]|\\n]*)\\]\\]|' +
    '<<[^<>\\s][^<>\\n]*>>|</?\\$[^<>]*>|\\{{2,3}[^{}\\n]*\\}+\\}|^<<<+|' +
    '^\\\\[a-z]+ [^\\n]*\\n(?:[^\\\\\\n][^\\n]*\\n|\\n)*\\\\end[^\\n]*$|^\\\\[a-z]+\\b[^\\n]*$',
  'gm',
);

/** Yields the notes that people wrote, without drafts, as wikitext or Markdown. Titles of the program begin with `$:/`. */
export function* tiddlersOf(html: string): Iterable<{ title: string; text: string; isMarkdown: boolean }> {
  const stored = [...html.matchAll(STORE)].flatMap(([, json = '']) => readStore(json));
  const elements = [...html.matchAll(ELEMENT)].map(([, head = '', text = '']) => {
    const [title, type, draft] = ['title', 'type', 'draft\\.of'].map((name) => attribute({ head }, name));
    return { title, type, 'draft.of': draft, text: decodeHtml(text) };
  });
  for (const note of [...stored, ...elements].filter(isObject)) {
    const { title, text, type = '' } = note;
    if (typeof title !== 'string' || typeof text !== 'string' || title === '' || title.startsWith('$:/')) continue;
    if (note['draft.of'] || !WRITTEN.test(String(type))) continue;
    const isMarkdown = String(type).endsWith('markdown');
    yield { title, text: isMarkdown ? withLowerHeadings(text) : asWikitext(text), isMarkdown };
  }
}

/** Returns the notes of a store. A damaged store has none. */
function readStore(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return [];
  }
}

/** Returns Markdown whose headings are lower than the title of the note. */
function withLowerHeadings(note: string): string {
  return note.replace(/^(?:```[\s\S]*?\n```|#{1,5}(?= ))/gm, (mark) => (mark.startsWith('#') ? `#${mark}` : mark));
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
