/** Words and macros within a line of mdoc(7) as text, with the blanks that the macros ask for. */
import { JOIN } from './text.ts';

/** A word of a line; `isText` when it was quoted, so that it names no macro. */
export interface MdocWord {
  text: string;
  isText: boolean;
}

/** Marks that stand around what a macro encloses up to the end of its line. */
const ENCLOSING: Record<string, readonly [string, string]> = {
  Op: ['[', ']'],
  Dq: ['“', '”'],
  Sq: ['‘', '’'],
  Ql: ['‘', '’'],
  Qq: ['"', '"'],
  Pq: ['(', ')'],
  Bq: ['[', ']'],
  Brq: ['{', '}'],
  Aq: ['<', '>'],
  En: ['', ''],
};

/** Macros that open or close what may go over several lines. */
const OPENING: Record<string, string> = {
  Oo: '[',
  Do: '“',
  So: '‘',
  Qo: '"',
  Po: '(',
  Bo: '[',
  Bro: '{',
  Ao: '<',
  Xo: '',
  Eo: '',
};
const CLOSING: Record<string, string> = {
  Oc: ']',
  Dc: '”',
  Sc: '’',
  Qc: '"',
  Pc: ')',
  Bc: ']',
  Brc: '}',
  Ac: '>',
  Xc: '',
  Ec: '',
};

/** Macros that only change the type of their words. */
const PLAIN = new Set(
  'Ar Cm Ic Pa Em Sy Li No Ev Dv Er Va Vt Fa Ft Tn Sx Ad An Ms Cd Fr Hf Ot Lb Mt Nm Fl Xr Fn In Lk Ns Ap Pf St Ta Tg Ud Bt Db'.split(
    ' ',
  ),
);

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
  return PLAIN.has(name) || [ENCLOSING, OPENING, CLOSING, SYSTEMS].some((macros) => Object.hasOwn(macros, name));
}

const OPENS = /^[([]$/;
const CLOSES = /^[.,:;)\]?!]$/;

function isClosing({ text, isText }: MdocWord): boolean {
  return !isText && CLOSES.test(text);
}

/** Collects the text of a paragraph, term or heading. */
export class MdocText {
  /** What `.Nm` stands for. */
  name = '';
  /** Column mark of tables. */
  static readonly COLUMN = '\t';
  private parts: string[] = [];
  private glue = '';
  /** Blanks are left out (`.Sm off`). */
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
    this.glue = '';
    return text;
  }

  setTight(isTight: boolean): void {
    this.isTight = isTight;
    if (!isTight) this.glue = ' ';
  }

  break(): void {
    if (this.parts.length > 0) this.glue = '\n';
  }

  /** Adds a line of running text. */
  plain(text: string): void {
    if (/^[ \t]/.test(text) && this.parts.length > 0) this.glue = '\n';
    this.put(text.trim());
  }

  private put(text: string): void {
    const isJoined = text.endsWith(JOIN);
    if (this.parts.length > 0) this.parts.push(this.glue);
    this.parts.push(text);
    this.glue = isJoined || this.isTight ? '' : ' ';
  }

  private close(mark: string): void {
    if (mark === '') return;
    this.parts.push(mark);
    this.glue = this.isTight ? '' : ' ';
  }

  private open(mark: string): void {
    if (mark === '') return;
    this.put(mark);
    this.glue = '';
  }

  /** A word that is no macro, with the rules of single punctuation marks. */
  private word(text: string): void {
    if (CLOSES.test(text)) this.close(text);
    else if (OPENS.test(text)) this.open(text);
    else this.put(text);
  }

  /** Adds the words of a line of macros. */
  words(words: readonly MdocWord[]): void {
    /** Closing marks of what is enclosed to the end of the line. */
    const pending: string[] = [];
    let end = words.length;
    // Punctuation at the end of a line stands outside of what encloses it.
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

  /** Reads the words of one macro; returns the index of the word behind them. */
  private macro(name: string, words: readonly MdocWord[], from: number, end: number): number {
    let to = from;
    while (to < end && (words[to]!.isText || !isInlineMacro(words[to]!.text))) to += 1;
    const own = words.slice(from, to).map(({ text }) => text);
    switch (name) {
      case 'Ns':
        this.glue = '';
        break;
      case 'Ap':
        this.close("'");
        this.glue = '';
        break;
      case 'Ta':
        this.parts.push(MdocText.COLUMN);
        this.glue = '';
        break;
      case 'Tg':
        return to;
      case 'Pf':
        this.put(own.shift() ?? '');
        this.glue = '';
        break;
      case 'Fl':
        return this.flags(own, words[to], to);
      case 'Nm':
        this.nameOf(own);
        return to;
      case 'Xr':
      case 'Fn': {
        const called = own.shift() ?? '';
        const args: string[] = [];
        while (own.length > 0 && !CLOSES.test(own[0]!) && (name === 'Fn' || args.length === 0)) args.push(own.shift()!);
        this.put(name === 'Xr' && args.length === 0 ? called : `${called}(${args.join(', ')})`);
        break;
      }
      case 'In':
        this.put(`#include <${own.shift() ?? ''}>`);
        break;
      case 'Lk': {
        const address = own.shift() ?? '';
        const shown = own.filter((word) => !CLOSES.test(word)).join(' ');
        this.put(shown === '' ? address : `${shown} <${address}>`);
        for (const mark of own.filter((word) => CLOSES.test(word))) this.close(mark);
        return to;
      }
      case 'St':
        this.put((own.shift() ?? '').replace(/^-/, '').replace(/^p1003/, 'POSIX 1003'));
        break;
      default:
        if (SYSTEMS[name]) {
          const version = own[0] && !CLOSES.test(own[0]) ? own.shift()! : '';
          this.put(name === 'Bx' && version !== '' ? `${version}BSD` : `${SYSTEMS[name]}${version && ` ${version}`}`);
        } else if (own.length === 0 && (name === 'Ar' || name === 'Pa')) this.put(name === 'Ar' ? 'file ...' : '~');
    }
    for (const text of own) this.word(text);
    return to;
  }

  private flags(own: readonly string[], next: MdocWord | undefined, to: number): number {
    if (own.length === 0) {
      this.put('-');
      if (next && !next.isText && isInlineMacro(next.text)) this.glue = '';
      return to;
    }
    for (const text of own) {
      if (CLOSES.test(text)) this.close(text);
      else if (OPENS.test(text)) this.open(text);
      else this.put(text === '|' ? text : `-${text}`);
    }
    return to;
  }

  private nameOf(own: string[]): void {
    const first = own[0];
    if (first !== undefined && !CLOSES.test(first)) {
      if (this.wantsName) this.name = first;
      this.wantsName = false;
    } else if (this.name !== '') this.put(this.name);
    for (const text of own) this.word(text);
  }
}
