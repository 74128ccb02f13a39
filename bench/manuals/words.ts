/** Counts the words of a page and the words that a text has kept, independently of the parsers of the service. Pure. */
import { parseHTML } from 'linkedom';

/** Words of one block of a page: a paragraph, a heading, a cell. */
export type Block = readonly string[];

export interface PageWords {
  /** Blocks of this page alone. */
  content: Block[];
  /** Blocks that repeat over the pages of the manual. */
  template: Block[];
}

/** Maps the text of a block (bar, sidebar, footer) that repeats over the pages of a manual to its expected count on a page. */
export type Template = ReadonlyMap<string, number>;

const INLINE = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);
const UNREAD = new Set(['script', 'style', 'template', 'noscript', 'svg']);
/** Tooltips of Doxygen: style sheets hide them until the mouse is over them. */
const HIDDEN_CLASS = 'ttc';
const TEMPLATE_PAGES_SHARE_MIN = 0.5;
/** With fewer pages, no block counts as repeated. */
const TEMPLATE_PAGES_MIN = 3;

interface DomNode {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  childNodes: Iterable<DomNode>;
  className?: string;
}
const [ELEMENT, TEXT] = [1, 3];

/** Returns words in lower case, without punctuation, symbols and invisible characters. */
export function wordsOf(text: string): string[] {
  const visible = text.normalize('NFKC').replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/gu, '');
  return visible.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** Returns the blocks of the body in page order. Text on both sides of inline markup is one word. */
export function blocksOf(html: string): Block[] {
  const { document } = parseHTML(html);
  const texts = [''];
  const visit = (node: DomNode): void => {
    if (node.nodeType === TEXT) texts.push(texts.pop()! + (node.nodeValue ?? ''));
    if (node.nodeType !== ELEMENT) return;
    const name = node.nodeName.toLowerCase();
    if (UNREAD.has(name) || node.className === HIDDEN_CLASS) return;
    if (!INLINE.has(name)) texts.push('');
    for (const child of node.childNodes) visit(child);
    if (!INLINE.has(name)) texts.push('');
  };
  visit((document.querySelector('body') ?? document.documentElement) as unknown as DomNode);
  return texts.map(wordsOf).filter((words) => words.length > 0);
}

/** Returns the blocks that are on at least half of the pages. A block that stands n times on half of the pages is expected n times. */
export function templateOf(pages: readonly (readonly Block[])[]): Template {
  if (pages.length < TEMPLATE_PAGES_MIN) return new Map();
  // Index n - 1 counts the pages that have the block at least n times.
  const pagesWith = new Map<string, number[]>();
  for (const page of pages) {
    for (const [key, count] of countAll(page.map(keyOf))) {
      const counts = pagesWith.get(key) ?? [];
      for (let n = 0; n < count; n += 1) counts[n] = (counts[n] ?? 0) + 1;
      pagesWith.set(key, counts);
    }
  }
  const expected = [...pagesWith].map(([key, counts]): [string, number] => {
    return [key, counts.filter((count) => count >= pages.length * TEMPLATE_PAGES_SHARE_MIN).length];
  });
  return new Map(expected.filter(([, count]) => count > 0));
}

/** Splits blocks into page and template. The last of equal blocks belongs to the page, because bars and sidebars usually come first. */
export function splitPage(blocks: readonly Block[], template: Template): PageWords {
  const left = new Map(template);
  const page: PageWords = { content: [], template: [] };
  for (const block of blocks) {
    const key = keyOf(block);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    (count > 0 ? page.template : page.content).push(block);
  }
  return page;
}

/** Counts the words that the text holds; each word counts at most as often as it occurs there. */
export function countKept(words: readonly string[], text: ReadonlyMap<string, number>): number {
  let kept = 0;
  for (const [word, count] of countAll(words)) kept += Math.min(count, text.get(word) ?? 0);
  return kept;
}

export function countAll(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** Returns the blocks with words that the text lacks, most missing words first. */
export function lostBlocks(blocks: readonly Block[], text: ReadonlyMap<string, number>): Block[] {
  const left = new Map(text);
  const lost: { block: Block; missing: number }[] = [];
  for (const block of blocks) {
    let missing = 0;
    for (const word of block) {
      const count = left.get(word) ?? 0;
      if (count === 0) missing += 1;
      else left.set(word, count - 1);
    }
    if (missing > 0) lost.push({ block, missing });
  }
  return lost.sort((a, b) => b.missing - a.missing).map(({ block }) => block);
}

/**
 * Returns true when the text of a chunk consists only of blocks of the template. A block that is also content of the page, such as
 * its title in a sidebar, does not count.
 */
export function isTemplate(text: string, page: PageWords): boolean {
  const words = wordsOf(text);
  const template = new Set(page.template.map(keyOf)).difference(new Set(page.content.map(keyOf)));
  const lengths = new Set([...template].map((key) => key.split(' ').length));
  // True at a place when the words before it are whole blocks.
  const isReached = [true];
  for (let end = 1; end <= words.length; end += 1) {
    isReached[end] = [...lengths].some(
      (length) =>
        length <= end && isReached[end - length] === true && template.has(keyOf(words.slice(end - length, end))),
    );
  }
  return words.length > 0 && isReached[words.length] === true;
}

function keyOf(block: Block): string {
  return block.join(' ');
}
