/** Converts words and macros in a line of mdoc(7) to text, with blanks as the macros require. */

import { readWordList } from '../../../util/package-files.ts';
import { JOIN } from './text.ts';

/** A word of a line; `isText` if it was quoted and is therefore no macro. */
export interface MdocWord {
  text: string;
  isText: boolean;
}

/** Macros that enclose text: up to the end of their line, or from an opening to a closing macro. */
const MARKS: readonly (readonly [enclosing: string, opening: string, closing: string, left: string, right: string])[] =
  [
    ['Op', 'Oo', 'Oc', '[', ']'],
    ['Dq', 'Do', 'Dc', '“', '”'],
    ['Sq', 'So', 'Sc', '‘', '’'],
    ['Ql', 'So', 'Sc', '‘', '’'],
    ['Qq', 'Qo', 'Qc', '"', '"'],
    ['Pq', 'Po', 'Pc', '(', ')'],
    ['Bq', 'Bo', 'Bc', '[', ']'],
    ['Brq', 'Bro', 'Brc', '{', '}'],
    ['Aq', 'Ao', 'Ac', '<', '>'],
    ['En', 'Eo', 'Ec', '', ''],
    ['En', 'Xo', 'Xc', '', ''],
  ];
const ENCLOSING = Object.fromEntries(MARKS.map(([name, , , left, right]) => [name, [left, right] as const]));
const OPENING = Object.fromEntries(MARKS.map(([, name, , left]) => [name, left]));
const CLOSING = Object.fromEntries(MARKS.map(([, , name, , right]) => [name, right]));

/** Macros that only change the font of their words, or insert fixed words. */
const INLINE_MACROS = new Set(readWordList('roff/mdoc-inline-macros.txt'));

const SYSTEMS: Record<string, string> = {
  Ux: 'UNIX',
  Bx: 'BSD',
  Nx: 'NetBSD',
  Fx: 'FreeBSD',
  Ox: 'OpenBSD',
  Dx: 'DragonFly',
  Bsx: 'BSD/OS',
  At: 'AT&T UNIX',
};

function isInlineMacro(name: string): boolean {
  return (
    INLINE_MACROS.has(name) || [ENCLOSING, OPENING, CLOSING, SYSTEMS].some((macros) => Object.hasOwn(macros, name))
  );
}

const OPENS = /^[([]$/;
const CLOSES = /^[.,:;)\]?!]$/;

function isClosing({ text, isText }: MdocWord): boolean {
  return !isText && CLOSES.test(text);
}

/** Collects the text of a paragraph, term or heading. */
export class MdocText {
  /** The name that `.Nm` inserts. */
  name = '';
  /** The mark between columns of tables. */
  static readonly COLUMN = '\t';
  private parts: string[] = [];
  private separator = '';
  /** True after `.Sm off`: no blanks are inserted. */
  private isTight = false;
  private wantsName = true;

  get isEmpty(): boolean {
    return this.parts.length === 0;
  }

  take(): string {
    const text = this.parts
      .join('')
      .replaceAll(JOIN, '')
      .replace(/[ ]{2,}/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim();
    this.parts = [];
    this.separator = '';
    return text;
  }

  setTight(isTight: boolean): void {
    this.isTight = isTight;
    if (!isTight) this.separator = ' ';
  }

  break(): void {
    if (this.parts.length > 0) this.separator = '\n';
  }

  /** Adds a line of running text. */
  plain(text: string): void {
    if (/^[ \t]/.test(text) && this.parts.length > 0) this.separator = '\n';
    this.put(text.trim());
  }

  private put(text: string): void {
    const isJoined = text.endsWith(JOIN);
    if (this.parts.length > 0) this.parts.push(this.separator);
    this.parts.push(text);
    this.separator = isJoined || this.isTight ? '' : ' ';
  }

  private close(mark: string): void {
    if (mark === '') return;
    this.parts.push(mark);
    this.separator = this.isTight ? '' : ' ';
  }

  private open(mark: string): void {
    if (mark === '') return;
    this.put(mark);
    this.separator = '';
  }

  /** Adds a word that is no macro, with the rules for single punctuation marks. */
  private word(text: string): void {
    if (CLOSES.test(text)) this.close(text);
    else if (OPENS.test(text)) this.open(text);
    else this.put(text);
  }

  /** Adds the words of a line of macros. */
  words(words: readonly MdocWord[]): void {
    /** Closing marks of text that is enclosed up to the end of the line. */
    const pending: string[] = [];
    let end = words.length;
    // Punctuation at the end of a line follows the closing mark.
    const last = words.findLastIndex(({ text, isText }) => !isText && Object.hasOwn(ENCLOSING, text));
    if (last !== -1) while (end > last + 1 && isClosing(words[end - 1]!)) end -= 1;
    for (let at = 0; at < end; ) {
      const { text, isText } = words[at]!;
      if (isText) this.put(text);
      else if (!isInlineMacro(text)) this.word(text);
      if (isText || !isInlineMacro(text)) {
        at += 1;
      } else if (ENCLOSING[text]) {
        this.open(ENCLOSING[text][0]);
        pending.push(ENCLOSING[text][1]);
        at += 1;
      } else if (OPENING[text] !== undefined) {
        this.open(OPENING[text]);
        at += 1;
      } else if (CLOSING[text] !== undefined) {
        this.close(CLOSING[text]);
        at += 1;
      } else at = this.macro(text, words, at + 1, end);
    }
    for (const mark of pending.reverse()) this.close(mark);
    for (const { text } of words.slice(end)) this.close(text);
  }

  /** Reads the words of one macro. Returns the index of the word after them. */
  private macro(name: string, words: readonly MdocWord[], from: number, end: number): number {
    let to = from;
    while (to < end && (words[to]!.isText || !isInlineMacro(words[to]!.text))) to += 1;
    const macroWords = words.slice(from, to).map(({ text }) => text);
    switch (name) {
      case 'Ns':
        this.separator = '';
        break;
      case 'Ap':
        this.close("'");
        this.separator = '';
        break;
      case 'Ta':
        this.parts.push(MdocText.COLUMN);
        this.separator = '';
        break;
      case 'Tg':
        return to;
      case 'Pf':
        this.put(macroWords.shift() ?? '');
        this.separator = '';
        break;
      case 'Fl':
        return this.flags(macroWords, words[to], to);
      case 'Nm':
        this.nameOf(macroWords);
        return to;
      case 'Xr':
      case 'Fn': {
        const called = macroWords.shift() ?? '';
        const args: string[] = [];
        while (macroWords.length > 0 && !CLOSES.test(macroWords[0]!) && (name === 'Fn' || args.length === 0))
          args.push(macroWords.shift()!);
        this.put(name === 'Xr' && args.length === 0 ? called : `${called}(${args.join(', ')})`);
        break;
      }
      case 'In':
        this.put(`#include <${macroWords.shift() ?? ''}>`);
        break;
      case 'Lk': {
        const address = macroWords.shift() ?? '';
        const label = macroWords.filter((word) => !CLOSES.test(word)).join(' ');
        this.put(label === '' ? address : `${label} <${address}>`);
        for (const mark of macroWords.filter((word) => CLOSES.test(word))) this.close(mark);
        return to;
      }
      case 'St':
        this.put((macroWords.shift() ?? '').replace(/^-/, '').replace(/^p1003/, 'POSIX 1003'));
        break;
      default:
        if (SYSTEMS[name]) {
          const version = macroWords[0] && !CLOSES.test(macroWords[0]) ? macroWords.shift()! : '';
          this.put(name === 'Bx' && version !== '' ? `${version}BSD` : `${SYSTEMS[name]}${version && ` ${version}`}`);
        } else if (macroWords.length === 0 && (name === 'Ar' || name === 'Pa'))
          this.put(name === 'Ar' ? 'file ...' : '~');
    }
    for (const text of macroWords) this.word(text);
    return to;
  }

  private flags(macroWords: readonly string[], next: MdocWord | undefined, to: number): number {
    if (macroWords.length === 0) {
      this.put('-');
      if (next && !next.isText && isInlineMacro(next.text)) this.separator = '';
      return to;
    }
    for (const text of macroWords) {
      if (CLOSES.test(text)) this.close(text);
      else if (OPENS.test(text)) this.open(text);
      else this.put(text === '|' ? text : `-${text}`);
    }
    return to;
  }

  private nameOf(macroWords: string[]): void {
    const first = macroWords[0];
    if (first !== undefined && !CLOSES.test(first)) {
      if (this.wantsName) this.name = first;
      this.wantsName = false;
    } else if (this.name !== '') this.put(this.name);
    for (const text of macroWords) this.word(text);
  }
}
