/** Reads the macros of mdoc(7): sections, lists, displays. */

import { readWordList } from '../../../util/package-files.ts';
import type { Flow } from './flow.ts';
import { MdocText, type MdocWord } from './mdoc-inline.ts';
import type { RoffLine, RoffReader } from './reader.ts';
import { readTable } from './tbl.ts';

type ListKind = 'entry' | 'item' | 'number' | 'table';

interface List {
  kind: ListKind;
  /** Number of frames around the list. */
  depth: number;
  count: number;
  rows: string[][];
}

const BLOCK_MACROS = new Set(readWordList('roff/mdoc-block-macros.txt'));

export function isMdocMacro(name: string): boolean {
  return BLOCK_MACROS.has(name) || /^[A-Z][a-z]{1,2}\d?$/.test(name);
}

/** Reads the lines of a page in mdoc(7). */
export class MdocPage {
  /** The page's own name, as `name(section)`. */
  title = '';
  private readonly reader: RoffReader;
  private readonly flow: Flow;
  private readonly text = new MdocText();
  private readonly lists: List[] = [];
  /** Number of open `Xo` in the current term, whose words continue over several lines. */
  private termDepth = 0;

  constructor(reader: RoffReader, flow: Flow) {
    this.reader = reader;
    this.flow = flow;
  }

  line(line: RoffLine): void {
    const { reader, flow, text } = this;
    if (line.name === '') {
      const plain = reader.text(line.raw);
      if (flow.isCode) flow.line(plain);
      else if (plain.trim() === '') this.paragraph();
      else text.plain(plain);
      return;
    }
    const words = line.args.map((arg, index) => this.wordOf(arg, line.quoted[index]!));
    if (!BLOCK_MACROS.has(line.name)) this.inline([{ text: line.name, isText: false }, ...words]);
    else this.block(line, words);
  }

  end(): void {
    this.paragraph();
    while (this.lists.length > 0) this.endList();
  }

  private wordOf(arg: string, isQuoted: boolean): MdocWord {
    return { text: this.reader.text(arg), isText: isQuoted || arg.startsWith('\\') };
  }

  private inline(words: readonly MdocWord[]): void {
    this.text.words(words);
    if (this.termDepth > 0) {
      this.termDepth += nesting(words);
      if (this.termDepth <= 0) this.openTerm();
    } else if (this.flow.isCode) this.flow.line(this.text.take());
  }

  private block({ name, raw }: RoffLine, words: readonly MdocWord[]): void {
    const { flow, text, reader } = this;
    const line = () => words.map((word) => word.text).join(' ');
    switch (name) {
      case 'Dt':
        this.begin(words.map((word) => word.text));
        break;
      case 'Sh':
      case 'Ss':
        this.heading(name === 'Sh' ? 2 : 3, words);
        break;
      case 'Pp':
      case 'Lp':
      case 'sp':
        this.paragraph();
        break;
      case 'br':
        text.break();
        break;
      case 'Nd':
        text.plain('—');
        text.words(words);
        break;
      case 'Bl':
        this.beginList(raw);
        break;
      case 'It':
        this.item(words);
        break;
      case 'El':
        this.paragraph();
        this.endList();
        break;
      case 'Bd':
        this.paragraph();
        if (/-(?:literal|unfilled)\b/.test(raw)) flow.beginCode();
        break;
      case 'nf':
        this.paragraph();
        flow.beginCode();
        break;
      case 'Ed':
      case 'fi':
        if (flow.isCode) flow.endCode();
        else this.paragraph();
        break;
      case 'D1':
      case 'Dl': {
        this.paragraph();
        text.words(words);
        flow.writer.code(text.take());
        break;
      }
      case 'Sm':
        text.setTight(line() === 'off');
        break;
      case 'Rs':
      case 'Re':
        this.paragraph();
        break;
      case 'Ex':
        text.plain(`The ${words[1]?.text ?? text.name} utility exits 0 on success, and >0 if an error occurs.`);
        break;
      case 'Rv':
        text.plain(`The ${words[1]?.text ?? text.name}() function returns the value 0 if successful; otherwise -1.`);
        break;
      case 'Fo':
        text.plain(`${line()}(`);
        break;
      case 'Fc':
        text.words([{ text: ')', isText: true }]);
        break;
      case 'TS':
        this.paragraph();
        flow.writer.table(readTable(reader));
        break;
      case 'Fd':
        text.plain(line());
        text.break();
        break;
      default:
        if (name.startsWith('%')) text.plain(`${line()}${words.at(-1)?.text === ',' ? '' : ','}`);
    }
  }

  private begin([name = '', section = '']: readonly string[]): void {
    if (this.title !== '' || name === '') return;
    this.title = section === '' ? name : `${name === name.toUpperCase() ? name.toLowerCase() : name}(${section})`;
    this.flow.writer.heading(1, this.title);
  }

  private heading(level: number, words: readonly MdocWord[]): void {
    this.paragraph();
    while (this.lists.length > 0) this.endList();
    this.text.words(words);
    this.flow.writer.heading(level, this.text.take());
  }

  /** Ends the paragraph. Inside code, adds an empty line. */
  private paragraph(): void {
    if (this.termDepth > 0) this.openTerm();
    if (this.lists.at(-1)?.kind === 'table') return;
    if (this.flow.isCode && this.text.isEmpty) {
      this.flow.line('');
      return;
    }
    this.flow.writer.paragraph(this.text.take());
  }

  private beginList(raw: string): void {
    this.paragraph();
    this.flow.endCode();
    const kind = /-column\b/.test(raw)
      ? 'table'
      : /-enum\b/.test(raw)
        ? 'number'
        : /-(?:bullet|dash|hyphen|item)\b/.test(raw)
          ? 'item'
          : 'entry';
    this.lists.push({ kind, depth: this.flow.writer.depth, count: 0, rows: [] });
  }

  private item(words: readonly MdocWord[]): void {
    const list = this.lists.at(-1);
    if (!list) {
      this.text.words(words);
      return;
    }
    const { writer } = this.flow;
    if (list.kind === 'table') {
      this.endRow(list);
      list.rows.push([]);
      this.text.words(words);
      return;
    }
    this.flow.endCode();
    this.paragraph();
    list.count += 1;
    if (list.kind !== 'entry') {
      writer.closeTo(list.depth);
      writer.openItem(list.kind === 'number' ? `${list.count}.` : '-');
      this.text.words(words);
      return;
    }
    this.text.words(words);
    this.termDepth = nesting(words);
    if (this.termDepth <= 0) this.openTerm();
  }

  private openTerm(): void {
    this.termDepth = 0;
    const { writer } = this.flow;
    const depth = this.lists.at(-1)?.depth ?? 0;
    const term = this.text.take();
    if (term !== '') writer.openTerm(depth, term);
  }

  private endRow(list: List): void {
    const row = this.text.take();
    const last = list.rows.at(-1);
    if (last && row !== '') last.push(...row.split(MdocText.COLUMN).map((cell) => cell.trim()));
  }

  private endList(): void {
    const list = this.lists.pop();
    if (!list) return;
    if (list.kind === 'table') {
      this.endRow(list);
      this.flow.writer.table(list.rows);
    }
    this.flow.writer.closeTo(list.depth);
  }
}

/** Returns the number of `Xo` in a line that are not closed in the same line. */
function nesting(words: readonly MdocWord[]): number {
  let depth = 0;
  for (const { text, isText } of words) {
    if (isText) continue;
    if (text === 'Xo') depth += 1;
    else if (text === 'Xc') depth -= 1;
  }
  return depth;
}
