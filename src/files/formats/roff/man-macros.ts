/** Reads the macros of man(7) and of programs that write manual pages (pod2man, DocBook, Asciidoctor, Tcl). */

import { ownValue } from '../../../util/own-value.ts';
import { readWordPairs } from '../../../util/package-files.ts';
import type { Flow } from './flow.ts';
import type { RoffLine, RoffReader } from './reader.ts';
import { readTable } from './tbl.ts';
import { JOIN } from './text.ts';

/** A longer paragraph before an indented block is not a term. */
const TERM_UNITS_MAX = 240;

const MACROS = readWordPairs('roff/man-macros.txt');

export function isManMacro(name: string): boolean {
  return Object.hasOwn(MACROS, name);
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
    switch (ownValue(MACROS, line.name)) {
      case 'title':
        this.begin(args);
        break;
      case 'section':
        if (args.length > 0) this.heading(2, args.join(' '));
        else this.expected = 'heading2';
        break;
      case 'subsection':
        if (args.length > 0) this.heading(3, args.join(' '));
        else this.expected = 'heading3';
        break;
      case 'paragraph':
        if (flow.isCode) flow.line('');
        else this.startParagraph();
        break;
      case 'item':
        flow.endCode();
        if (args[0]) this.open(args[0]);
        else flow.end();
        break;
      case 'term':
        flow.close();
        this.expected = 'entry';
        break;
      case 'more':
        flow.end();
        this.expected = 'more';
        break;
      case 'indent':
        this.indent();
        break;
      case 'outdent':
        flow.close();
        if (this.levels.length > 1) flow.writer.closeTo(this.levels.pop()!);
        break;
      case 'code':
        flow.beginCode();
        break;
      case 'end-code':
        flow.endCode();
        break;
      case 'break':
        flow.break();
        break;
      case 'blank':
        flow.end();
        break;
      case 'synopsis':
        flow.close();
        flow.line(args.join(' '));
        break;
      case 'end-synopsis':
        flow.close();
        break;
      case 'table':
        flow.close();
        flow.writer.table(readTable(reader));
        break;
      case 'option':
        this.textLine(`[${args.join(' ')}]`);
        break;
      case 'reference':
        this.textLine(`${args[0] ?? ''}(${args[1] ?? ''})${args[2] ?? ''}`);
        break;
      case 'address':
        this.address = args[0] ?? '';
        break;
      case 'end-address':
        this.endAddress(args[0] ?? '');
        break;
      case 'link':
        this.textLine(`${args[1] ? `${args[1]} <${args[0]}>` : (args[0] ?? '')}${args[2] ?? ''}`);
        break;
      case 'include':
        flow.close();
        flow.line(`See ${args[0] ?? ''}.`);
        break;
      case 'argument':
        this.open(args.length > 1 ? `${args[0]} ${args[1]}${args[2] ? ` (${args[2]})` : ''}` : args.join(' '));
        break;
      case 'quoted':
        this.textLine(`"${args[0] ?? ''}"${args.slice(1).join('')}`);
        break;
      case 'in-brackets':
        this.textLine(`("${args[0] ?? ''}")${args.slice(1).join('')}`);
        break;
      case 'joined':
        this.textLine(args.join(''));
        break;
      case 'none':
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
