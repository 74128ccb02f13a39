/**
 * The output policy for text that a model wrote. A hidden instruction in a source can make a model write an image whose address
 * carries what the model read; a client that shows the image sends it away. So images, links and HTML lead nowhere, unless their
 * address is the address of a retrieved source. A link may also lead to an address that stands in a retrieved text, because the model
 * added nothing to it. The text stays readable.
 */
import { codePointLength } from '../util/code-points.ts';

/** A replaced part of the text. Offsets are code points of the text as it was given, half-open. */
export interface Defanged {
  start: number;
  end: number;
  replacement: string;
}

export interface OutputPolicy {
  /** Returns the text up to the last place that more text could turn into an address. */
  push(delta: string): string;
  /** Returns the rest of the text. */
  end(): string;
  /** What was replaced until now, in order. */
  readonly matches: readonly Defanged[];
}

/** Longer addresses are never those of a source. */
const ADDRESS_LENGTH_MAX = 2_048;
/** Addresses of one answer that are compared with those of the sources. Further ones lead nowhere: reading each takes up to 0.1 ms. */
const ADDRESSES_MAX = 500;
/** Where Markdown or HTML may begin to lead to an address: `](`, `]:`, a tag, a URL, a host that clients turn into a link. */
const OPENING = /!\[|\]\(|\]:|<(?=[a-z/!?])|\bhttps?:|\bwww\./gi;
/** The end of a text that may become an opening. */
const PARTIAL = /(?:!|\]|<|\bh|\bht|\bhtt|\bhttps?|\bw{1,3})$/i;
/** Tags that load something, lead somewhere or change how a page works. */
const TAGS = [
  'a|area|audio|base|body|button|embed|form|frame|frameset|iframe|image|img|input|link|math|meta|object|picture|portal|',
  'script|source|style|svg|table|td|th|track|video',
].join('');
const TAG = new RegExp(`^<[/!?]?(?:${TAGS})(?![a-z0-9-])`, 'i');
/** The start of a tag, or of an address in angle brackets. `::` is code. */
const TAG_NAME = /^<[/!?]?[a-z0-9+.-]*:{0,2}/i;
const TAG_NAME_LENGTH_MAX = 36;
const SCHEME = /^<[a-z][a-z0-9+.-]*:$/i;
/** An address as it stands in text, and in parentheses or behind a label. */
const IN_TEXT = /^[^\s<>"'`|]*/;
const IN_LINK = /^\s{0,9}(?:<[^>\n]*>?|[^\s)]*)/;
const PUNCTUATION = /(?<![.,;:!?'"*_~)\]}])[.,;:!?'"*_~)\]}]+$/;

/** @param retrieved the addresses of the retrieved sources, and the retrieved texts. */
export function openOutputPolicy(retrieved: { addresses: Iterable<string>; texts: Iterable<string> }): OutputPolicy {
  const sources = new Set([...retrieved.addresses].map(addressOf));
  const named = new Set([...retrieved.texts].flatMap(addressesIn));
  let compared = 0;
  const isAllowed = (text: string, isImage: boolean): boolean => {
    compared += 1;
    if (compared > ADDRESSES_MAX) return false;
    const address = addressOf(text.trim().replace(/^<|>$/g, ''));
    return address !== undefined && (sources.has(address) || (!isImage && named.has(address)));
  };
  const matches: Defanged[] = [];
  let held = '';
  /** Code points before `held`. */
  let points = 0;
  /** True from the beginning of an image up to its address. */
  let isImage = false;

  const read = (text: string, isEnd: boolean): string => {
    const parts: string[] = [];
    let at = 0;
    const pass = (part: string): void => {
      parts.push(part);
      points += codePointLength(part);
    };
    const hold = (from: number): string => {
      held = text.slice(from);
      return parts.join('');
    };
    OPENING.lastIndex = 0;
    for (let match = OPENING.exec(text); match; match = OPENING.exec(text)) {
      const { index } = match;
      pass(text.slice(at, index));
      at = index;
      const opening = match[0];
      const behind = index + opening.length;
      const isLink = opening.startsWith(']');
      const isTag = opening === '<';
      const from = isTag ? index : behind;
      const rest = text.slice(from, from + (isTag ? TAG_NAME_LENGTH_MAX : ADDRESS_LENGTH_MAX));
      const found = opening === '![' ? '' : (isTag ? TAG_NAME : isLink ? IN_LINK : IN_TEXT).exec(rest)![0];
      const end = from + found.length;
      if (end === text.length && !isEnd && found.length < ADDRESS_LENGTH_MAX) return hold(index);
      const whole = isLink ? found : (opening.toLowerCase() === 'www.' ? 'https://' : '') + opening + found;
      // The definition of a reference may belong to an image.
      const mayShow = (isImage && opening === '](') || opening === ']:';
      isImage = opening === '![' || (isImage && opening !== '](');
      if (!isTag && [whole, whole.replace(PUNCTUATION, '')].some((one) => isAllowed(one, mayShow))) {
        pass(text.slice(index, end));
        at = end;
      } else {
        const replacement = defanged(opening, found);
        if (replacement !== opening) matches.push({ start: points, end: points + opening.length, replacement });
        parts.push(replacement);
        points += opening.length;
        at = behind;
      }
      OPENING.lastIndex = at;
    }
    const partial = isEnd ? null : PARTIAL.exec(text.slice(at));
    const until = partial ? at + partial.index : text.length;
    pass(text.slice(at, until));
    return hold(until);
  };

  return {
    push: (delta) => read(held + delta, false),
    end: () => read(held, true),
    matches,
  };
}

/** Returns the opening so that no client takes it for one. */
function defanged(opening: string, found: string): string {
  switch (opening.toLowerCase()) {
    case '](':
      // A word in parentheses is no address: code such as `a[0](b)` stays as it is.
      return /^[\w-]*$/.test(found) ? '](' : '] (';
    case ']:':
      // A citation marker before a colon stays as it is.
      return /[:&\\]|\/\//.test(found) ? '] :' : ']:';
    case '![':
      return opening;
    case '<':
      return TAG.test(found) || (SCHEME.test(found) && !/^<https?:$/i.test(found)) ? '&lt;' : '<';
    case 'www.':
      return `${opening.slice(0, -1)}[.]`;
    default:
      return `${opening[0]}xx${opening.slice(3)}`;
  }
}

/** Returns the web addresses that stand in a text. */
function addressesIn(text: string): string[] {
  const found = [...text.matchAll(/https?:\/\/[^\s<>"'`|]{1,2000}/gi)].flatMap(([one]) => [
    one,
    one.replace(PUNCTUATION, ''),
  ]);
  return found.flatMap((one) => addressOf(one) ?? []);
}

/** Returns the address in a form that can be compared, without its fragment; undefined if it is not a web address. */
function addressOf(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
