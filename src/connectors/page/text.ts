/** Converts rich text to one line or paragraph of Markdown. Pure. */
import type { RichText } from './wire.ts';

/** Text at the start of a line that Markdown would read as the start of another block, or as an underline or rule. */
const BLOCK_START = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|```|~~~|=+$|-{2,}|_{3,}$|(?:\* ?){3,}$|\||\[[^\]]*\]:)/;
const NUMBER_START = /^(\d{1,9})([.)])(?=\s|$)/;
const TAG_START = /<(?=[a-z/?])/gi;

/**
 * Escapes text that Markdown would read as a block or as HTML. Other characters stay unchanged, because people search for them.
 */
export function escapeText(text: string): string {
  return escapeLines(escapeTags(text));
}

function escapeTags(text: string): string {
  return text.replace(TAG_START, '\\<').replaceAll('<!', '<\\!');
}

function escapeLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .map((line) => (BLOCK_START.test(line) ? `\\${line}` : line.replace(NUMBER_START, '$1\\$2')))
    .join('\n');
}

export function richTextOf(items: readonly RichText[] | undefined, style: { bold?: boolean } = {}): string {
  const text = merged(items ?? [])
    .map((item) => inline(item, style.bold === true))
    .join('');
  return escapeLines(text.trim());
}

/** Returns one line for a table cell or a label. */
export function cellOf(items: readonly RichText[] | undefined): string {
  return richTextOf(items).replaceAll('|', '\\|').replace(/\s+/g, ' ');
}

/** Returns `[label](address)`, the bare address without a label, or the label without an address. */
export function linkOf(label: string, address: string | null | undefined): string {
  const url = absolute(address);
  if (url === undefined) return label;
  const target = url.replace(/[\s()<>]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  if (label === '' || label === url) return target;
  return `[${label.replace(/(?<!\\)[[\]]/g, '\\$&')}](${target})`;
}

function absolute(address: string | null | undefined): string | undefined {
  if (!address) return undefined;
  const url = /^[/#]/.test(address) ? `https://www.notion.so${address}` : address;
  return URL.canParse(url) ? url : undefined;
}

function inline(item: RichText, bold: boolean): string {
  const { annotations = {} } = item;
  if (item.type === 'equation') return `$${item.equation?.expression ?? item.plain_text ?? ''}$`;
  // The plain text of a mentioned link is only its address.
  const raw = inOneLine(item.mention?.link_mention?.title ?? '') || item.plain_text || dateText(item);
  const text = raw.trim();
  if (text === '') return raw;
  let marked = annotations.code ? codeSpan(text) : escapeTags(text);
  if (annotations.strikethrough) marked = `~~${marked}~~`;
  if (annotations.italic) marked = `*${marked}*`;
  if (annotations.bold || bold) marked = `**${marked}**`;
  const start = raw.indexOf(text);
  const whole = item.href ? linkOf(marked, item.href) : marked;
  return `${raw.slice(0, start)}${whole}${raw.slice(start + text.length)}`;
}

function dateText(item: RichText): string {
  const date = item.mention?.date;
  return [date?.start, date?.end].filter(Boolean).join(' → ');
}

function codeSpan(text: string): string {
  const line = inOneLine(text);
  const ticks = '`'.repeat(longestTicks(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Joins lines into one. */
export function inOneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}

/** Returns the length of the longest run of backticks: a fence needs more. */
export function longestTicks(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

/** Merges neighbours with equal formatting: `**a****b**` would not be bold. */
function merged(items: readonly RichText[]): RichText[] {
  const runs: RichText[] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last && last.type === 'text' && item.type === 'text' && formatOf(last) === formatOf(item)) {
      runs[runs.length - 1] = { ...last, plain_text: `${last.plain_text ?? ''}${item.plain_text ?? ''}` };
    } else runs.push(item);
  }
  return runs;
}

function formatOf({ annotations = {}, href }: RichText): string {
  const { bold, italic, strikethrough, code } = annotations;
  return JSON.stringify([bold === true, italic === true, strikethrough === true, code === true, href ?? null]);
}
