/** Reads the macros of man(7) and of programs that write manual pages (pod2man, DocBook, Asciidoctor, Tcl). */

import { readWordList } from '../../../util/package-files.ts';
import type { Flow } from './flow.ts';
import type { RoffLine, RoffReader } from './reader.ts';
import { readTable } from './tbl.ts';
import { JOIN } from './text.ts';

/** A longer paragraph before an indented block is not a term. */
const TERM_UNITS_MAX = 240;

const MACROS = new Set(readWordList('roff/man-macros.txt'));

export function isManMacro(name: string): boolean {
  return MACROS.has(name);
}

const BULLET = /^(?:[•◦▪‣∙·o*+–—-]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\[\d{1,3}\])$/;

/** Reads the lines of a page in man(7). */
export class ManPage {
  /** The page's own name, as `name(section)`. */
  title = '';
  private readonly reader: RoffReader;
  private readonly flow: Flow;
  /** For each level of indentation, the depth of frames around its content. */
  private levels: number[] = [0];
  /** The address whose text is being read. */
  private address: string | undefined;
  /** What the next line of text is: a term or a heading. */
  private expected: 'entry' | 'more' | 'heading2' | 'heading3' | undefined;

  constructor(reader: RoffReader, flow: Flow) {
    this.reader = reader;
    this.flow = flow;
  }

  line(line: RoffLine): void {
    if (line.name === '') this.textLine(this.reader.text(line.raw));
    else this.macro(line);
  }

  private textLine(text: string): void {
    if (this.expected && text.trim() !== '') this.expectedText(text);
    else this.flow.line(text);
  }

  private expectedText(raw: string): void {
    const expected = this.expected;
    this.expected = undefined;
    const text = raw.replaceAll(JOIN, '').trim();
    if (expected === 'heading2') this.heading(2, text);
    else if (expected === 'heading3') this.heading(3, text);
    else this.open(text);
  }

  private macro(line: RoffLine): void {
    const { flow, reader } = this;
    const args = line.args.map((arg) => reader.text(arg));
    switch (line.name) {
      case 'TH':
        this.begin(args);
        break;
      case 'SH':
      case 'SS': {
        const level = line.name === 'SH' ? 2 : 3;
        if (args.length === 0) this.expected = level === 2 ? 'heading2' : 'heading3';
        else this.heading(level, args.join(' '));
        break;
      }
      case 'PP':
      case 'P':
      case 'LP':
      case 'HP':
        if (flow.isCode) flow.line('');
        else this.startParagraph();
        break;
      case 'IP':
        flow.endCode();
        if (args[0] === undefined || args[0] === '') flow.end();
        else this.open(args[0]);
        break;
      case 'TP':
        flow.close();
        this.expected = 'entry';
        break;
      case 'TQ':
        flow.end();
        this.expected = 'more';
        break;
      case 'AP':
        this.open(args.length > 1 ? `${args[0]} ${args[1]}${args[2] ? ` (${args[2]})` : ''}` : args.join(' '));
        break;
      case 'RS':
        this.indent();
        break;
      case 'RE':
        flow.endCode();
        flow.end();
        if (this.levels.length > 1) flow.writer.closeTo(this.levels.pop()!);
        break;
      case 'nf':
      case 'EX':
      case 'Vb':
      case 'CS':
      case 'DS':
        flow.beginCode();
        break;
      case 'fi':
      case 'EE':
      case 'Ve':
      case 'CE':
      case 'DE':
        flow.endCode();
        break;
      case 'br':
        flow.break();
        break;
      case 'sp':
      case 'Sp':
        flow.end();
        break;
      case 'SY':
        flow.close();
        flow.line(args.join(' '));
        break;
      case 'YS':
        flow.close();
        break;
      case 'TS':
        flow.close();
        flow.writer.table(readTable(reader));
        break;
      case 'OP':
        this.textLine(`[${args.join(' ')}]`);
        break;
      case 'MR':
        this.textLine(`${args[0] ?? ''}(${args[1] ?? ''})${args[2] ?? ''}`);
        break;
      case 'UR':
      case 'MT':
        this.address = args[0] ?? '';
        break;
      case 'UE':
      case 'ME':
        this.endAddress(args[0] ?? '');
        break;
      case 'URL':
      case 'MTO':
        this.textLine(`${args[1] ? `${args[1]} <${args[0]}>` : (args[0] ?? '')}${args[2] ?? ''}`);
        break;
      case 'QW':
        this.textLine(`"${args[0] ?? ''}"${args.slice(1).join('')}`);
        break;
      case 'PQ':
        this.textLine(`("${args[0] ?? ''}")${args.slice(1).join('')}`);
        break;
      case 'so':
        flow.close();
        flow.line(`See ${args[0] ?? ''}.`);
        break;
      case 'BR':
      case 'RB':
      case 'BI':
      case 'IB':
      case 'IR':
      case 'RI':
        this.textLine(args.join(''));
        break;
      case 'IX':
      case 'PD':
      case 'DT':
      case 'AT':
      case 'UC':
      case 'UN':
      case 'TE':
      case 'BS':
      case 'BE':
      case 'VS':
      case 'VE':
      case 'AS':
      case 'hy':
      case 'LINKSTYLE':
        break;
      default:
        if (args.length > 0) this.textLine(args.join(' '));
    }
  }

  private begin([name = '', section = '']: readonly string[]): void {
    if (this.title !== '' || name === '') return;
    this.title = section === '' ? name : `${isShouted(name) ? name.toLowerCase() : name}(${section})`;
    this.heading(1, this.title);
  }

  private heading(level: number, text: string): void {
    this.flow.close();
    this.flow.writer.heading(level, text);
    this.levels = [0];
  }

  /** Starts a paragraph at the margin of its level, and closes open frames there. */
  private startParagraph(): void {
    this.flow.close();
    this.flow.writer.closeTo(this.levels.at(-1)!);
  }

  /** Opens a term or an item. */
  private open(raw: string): void {
    const { writer } = this.flow;
    this.flow.close();
    const text = raw.replaceAll(JOIN, '').trim();
    const level = this.levels.at(-1)!;
    if (text === '') return;
    if (BULLET.test(text)) {
      writer.closeTo(level);
      writer.openItem(/\d|[a-z][.)]/.test(text) ? text : '-');
    } else writer.openTerm(level, text);
  }

  /** Opens an indented block. A short paragraph directly above the block is its term (DocBook writes such pages). */
  private indent(): void {
    const { flow } = this;
    const { writer } = flow;
    if (!flow.isCode && flow.isOpen) {
      const text = flow.take();
      const level = this.levels.at(-1)!;
      if (writer.depth > level && !writer.isUsed) writer.paragraph(text);
      else if (text.length <= TERM_UNITS_MAX && !/[.:!?]$/.test(text)) writer.openTerm(level, text);
      else writer.paragraph(text);
    } else flow.close();
    this.levels.push(writer.depth);
  }

  private endAddress(trailing: string): void {
    const address = this.address;
    this.address = undefined;
    if (address === undefined) return;
    this.textLine(this.flow.isOpen && address !== '' ? `<${address}>${trailing}` : `${address}${trailing}`);
  }
}

function isShouted(name: string): boolean {
  return name === name.toUpperCase();
}
