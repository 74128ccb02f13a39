/** Parses RTF: control words and groups, in one pass over the bytes. */
import { Buffer } from 'node:buffer';
import type { Link } from '../../../../text/link-line.ts';
import { codePageEncoding } from '../../../detect/code-pages.ts';
import { overLimit } from '../../../failure.ts';
import { outsideLinks } from '../../../links.ts';
import type { ParsedFile } from '../../../parsed.ts';
import { TextBuilder } from '../../text-builder.ts';
import { PAGE_MARK, writeRunningTexts } from '../running-text.ts';
import { ParagraphBlocks, type ParagraphStyle } from './blocks.ts';
import { charsetEncoding, decodeBytes } from './encodings.ts';

/** Maximum size of a file. Pictures are most of a large file. */
const RTF_BYTES_MAX = 128 * 1024 * 1024;
/** Maximum depth of groups. */
const DEPTH_MAX = 2000;

/** The use of a group's text. */
type Target =
  | 'body'
  | 'running'
  | 'skip'
  | 'fonts'
  | 'styles'
  | 'mark'
  | 'note'
  | 'comment'
  | 'property'
  | 'date'
  | 'instruction';

interface Group {
  target: Target;
  /** Name of the property, for the targets `property` and `date`. */
  name: string;
  hidden: boolean;
  encoding: string | undefined;
  /** Number of fallback characters after `\u`. */
  fallback: number;
  paragraph: ParagraphStyle;
  /** True if the next control word names an optional destination. */
  optional: boolean;
  /** The field around the group. */
  field?: Field;
}

interface Field {
  instruction: string;
  /** Index of the part of the paragraph's text at which the result begins. */
  from?: number;
  /** True if the field contains a link. */
  holdsLink?: boolean;
}

/** Destinations whose text is not text of the file. */
const SKIPPED = new Set(
  (
    'colortbl pict nonshppict listtable listoverridetable rsidtbl generator ' +
    'bkmkstart bkmkend themedata datastore latentstyles xmlnstbl nonesttables sp filetbl revtbl xe tc ' +
    'objdata objclass atnid atnauthor atndate atnref pn ftnsep ftnsepc aftnsep aftnsepc template docvar userprops xmlopen'
  ).split(' '),
);
/** Matches headers and footers of all, left, right and first pages. */
const RUNNING = /^(?:header|footer)[lrf]?$/;
const PAGE_FIELD = /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i;
const PROPERTIES = new Set(['title', 'author', 'subject', 'keywords', 'doccomm', 'creatim', 'revtim']);
const CHARACTERS: Record<string, string> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
  '~': ' ',
  _: '-',
  '{': '{',
  '}': '}',
  '\\': '\\',
};

/** Parses a file. @throws FileError if the file exceeds a limit. */
export function parseRtf(bytes: Uint8Array): ParsedFile {
  if (bytes.length > RTF_BYTES_MAX) throw overLimit(`RTF files are read up to ${RTF_BYTES_MAX / 1024 / 1024} MiB.`);
  const builder = new TextBuilder();
  const reader = new RtfReader(builder);
  reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
  const value = (name: string) => reader.properties.get(name)?.trim() || undefined;
  const title = value('title');
  return builder.file('rtf', {
    title,
    author: value('author'),
    created: value('creatim'),
    modified: value('revtim'),
    description: value('subject'),
    keywords: value('keywords'),
  });
}

const TOKEN = /[{}]|\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|[\r\n]+|[^\\{}\r\n]+|\\/giy;

class RtfReader {
  readonly properties = new Map<string, string>();
  private readonly blocks: ParagraphBlocks;
  private readonly stack: Group[] = [];
  private group: Group = {
    target: 'body',
    name: '',
    hidden: false,
    encoding: undefined,
    fallback: 1,
    paragraph: { indent: 0, inTable: false },
    optional: false,
  };
  private encoding = 'windows-1252';
  private readonly fonts = new Map<number, string | undefined>();
  private font = 0;
  private readonly headings = new Map<number, number>();
  private style = 0;
  /** Bytes of the current run, which are decoded at its end. */
  private bytes: number[] = [];
  private text: string[] = [];
  private links: Link[] = [];
  private mark = '';
  private notes: string[] = [];
  /** The texts of headers and footers. */
  private readonly running: string[] = [];
  private readonly builder: TextBuilder;
  private noteCount = 0;
  private skip = 0;

  constructor(builder: TextBuilder) {
    this.builder = builder;
    this.blocks = new ParagraphBlocks(builder);
  }

  read(source: string): void {
    TOKEN.lastIndex = 0;
    for (let token = TOKEN.exec(source); token; token = TOKEN.exec(source)) {
      const [whole, word, number, hex, symbol] = token;
      if (word !== undefined) {
        const value = number === undefined ? undefined : Number(number);
        if (word === 'bin' && value !== undefined && value > 0) TOKEN.lastIndex += value;
        else this.word(word, value);
      } else if (hex !== undefined) this.byte(Number.parseInt(hex, 16));
      else if (symbol !== undefined) this.symbol(symbol);
      else if (whole === '{') this.open();
      else if (whole === '}') this.close();
      else if (whole[0] !== '\r' && whole[0] !== '\n' && whole !== '\\') this.plain(whole);
    }
    this.endParagraph();
    this.blocks.end();
    writeRunningTexts(this.running.join('').split('\n'), this.builder);
  }

  private open(): void {
    this.flush();
    if (this.stack.length >= DEPTH_MAX) throw overLimit('The groups of the RTF file are nested too deeply.');
    this.stack.push(this.group);
    this.group = { ...this.group, paragraph: { ...this.group.paragraph }, optional: false };
  }

  private close(): void {
    this.flush();
    const closed = this.group;
    const outer = this.stack.pop();
    if (!outer) return;
    this.group = outer;
    if (closed.field && closed.field !== outer.field && closed.target !== 'running') {
      const isLink = this.endField(closed.field);
      if (isLink && outer.field) outer.field.holdsLink = true;
    }
    if (closed.target === outer.target) return;
    if (closed.target === 'note' || closed.target === 'comment') this.endNote(closed.target);
  }

  private symbol(symbol: string): void {
    if (symbol === '*') this.group.optional = true;
    else if (symbol === '\n' || symbol === '\r') this.word('par', undefined);
    else if (symbol in CHARACTERS) this.put(CHARACTERS[symbol]!);
  }

  private word(word: string, value: number | undefined): void {
    const { optional } = this.group;
    this.group.optional = false;
    if (this.destination(word, optional)) return;
    if (word === 'u' && value !== undefined) {
      this.put(String.fromCharCode(value < 0 ? value + 0x10000 : value));
      this.skip = this.group.fallback;
      return;
    }
    if (word !== 'uc') this.skip = 0;
    const character = CHARACTERS[word];
    if (character !== undefined) this.put(character);
    else this.property(word, value ?? 1, value);
  }

  /** Opens a destination. Returns false if the word is not a destination. */
  private destination(word: string, optional: boolean): boolean {
    const { group } = this;
    const outer = this.stack.at(-1);
    if (group.target === 'skip') return true;
    if (SKIPPED.has(word)) group.target = 'skip';
    else if (RUNNING.test(word)) group.target = group.target === 'body' ? 'running' : 'skip';
    else if (word === 'fonttbl') group.target = 'fonts';
    else if (word === 'stylesheet') group.target = 'styles';
    else if (word === 'footnote') this.openNote('note');
    else if (word === 'annotation') this.openNote('comment');
    else if (word === 'field') group.field = { instruction: '' };
    else if (word === 'fldinst')
      group.target = group.field && /^(?:body|running)$/.test(group.target) ? 'instruction' : 'skip';
    else if (word === 'fldrslt' && group.field) {
      group.field.from = this.text.length;
      if (group.target === 'running' && PAGE_FIELD.test(group.field.instruction)) {
        this.running.push(PAGE_MARK);
        group.target = 'skip';
      }
    } else if (word === 'listtext' || word === 'pntext') {
      // The mark of a paragraph elsewhere is not that of the body's paragraph.
      if (group.target === 'body') this.mark = '';
      group.target = group.target === 'body' ? 'mark' : 'skip';
    } else if (word === 'info' && outer) [group.target, group.name] = ['property', ''];
    else if (group.target === 'property' && PROPERTIES.has(word)) {
      group.name = word;
      if (word.endsWith('tim')) group.target = 'date';
    } else if (optional && !/^(shpinst|shptxt|shppict|nesttableprops|cs|ud|upr)$/.test(word)) group.target = 'skip';
    else return false;
    return true;
  }

  private property(word: string, value: number, explicitValue: number | undefined): void {
    const { group } = this;
    const { paragraph } = group;
    const on = explicitValue !== 0;
    if (group.target === 'date') {
      const sign = { yr: '', mo: '-', dy: '-', hr: 'T', min: ':' }[word];
      const before = this.properties.get(group.name) ?? '';
      if (sign !== undefined) this.properties.set(group.name, `${before}${sign}${String(value).padStart(2, '0')}`);
    } else if (group.target === 'fonts') {
      if (word === 'f') this.font = value;
      else if (word === 'fcharset') this.fonts.set(this.font, charsetEncoding(value));
    } else if (group.target === 'styles') {
      if (word === 's') this.style = value;
      else if (word === 'outlinelevel' && value < 9) this.headings.set(this.style, Math.min(value + 1, 6));
    } else if (word === 'ansicpg') this.encoding = codePageEncoding(value) ?? 'windows-1252';
    else if (word === 'mac') this.encoding = 'macintosh';
    else if (word === 'uc') group.fallback = value;
    else if (word === 'f') {
      this.flush();
      group.encoding = this.fonts.get(value);
    } else if (word === 'plain') {
      this.flush();
      group.encoding = undefined;
      group.hidden = false;
    } else if (word === 'v' || word === 'deleted') {
      this.flush();
      group.hidden = on;
    } else if (word === 'pard') group.paragraph = { indent: 0, inTable: false };
    else if (word === 's') setHeading(paragraph, this.headings.get(value));
    else if (word === 'outlinelevel') setHeading(paragraph, value < 9 ? Math.min(value + 1, 6) : undefined);
    else if (word === 'ls') {
      if (value > 0) paragraph.list = value;
      else delete paragraph.list;
    } else if (word === 'ilvl') paragraph.level = value;
    else if (word === 'li') paragraph.indent = value;
    else if (word === 'intbl') paragraph.inTable = on;
    else this.breakAt(word);
  }

  private breakAt(word: string): void {
    if (word === 'par' || word === 'sect' || word === 'page') this.endParagraph();
    else if (this.group.target === 'running' && /^(?:cell|row)$/.test(word)) this.endParagraph();
    else if (word === 'chpgn' && this.group.target === 'running') this.put(PAGE_MARK);
    else if (word === 'nestcell' || word === 'nestrow') this.endParagraph();
    else if (word === 'cell') {
      this.group.paragraph.inTable = true;
      this.endParagraph();
      this.blocks.endCell();
    } else if (word === 'row') {
      this.flush();
      this.blocks.endRow();
    }
  }

  private byte(byte: number): void {
    if (this.skip > 0) this.skip -= 1;
    else this.bytes.push(byte);
  }

  private plain(text: string): void {
    const rest = this.skip > 0 ? text.slice(this.skip) : text;
    this.skip = Math.max(0, this.skip - text.length);
    if (rest === '') return;
    // ASCII may be the second half of a character whose first half is in `bytes`.
    if (this.bytes.length === 0 && !/[\x80-\xff]/.test(rest)) this.put(rest);
    else for (let i = 0; i < rest.length; i += 1) this.bytes.push(rest.charCodeAt(i));
  }

  private flush(): void {
    if (this.bytes.length === 0) return;
    const { bytes } = this;
    this.bytes = [];
    this.put(decodeBytes(bytes, this.group.encoding ?? this.encoding));
  }

  private put(text: string): void {
    this.flush();
    const { target, hidden, name } = this.group;
    if (hidden) return;
    if (target === 'body') this.text.push(text);
    else if (target === 'running') this.running.push(text);
    else if (target === 'mark') this.mark += text;
    else if (target === 'instruction' && this.group.field) this.group.field.instruction += text;
    else if (target === 'note' || target === 'comment') this.notes.push(text);
    else if (target === 'property' && name !== '') {
      this.properties.set(name, (this.properties.get(name) ?? '') + text);
    } else if (target === 'styles') this.styleName(text);
  }

  /** Reads the name of a style. In files of old programs, only the name says that a style is a heading. */
  private styleName(text: string): void {
    const [name, level = 0] = /^(?:heading ([1-9])|title);?$/i.exec(text.trim()) ?? [];
    if (name && !this.headings.has(this.style)) this.headings.set(this.style, Math.min(Number(level), 6));
  }

  private endParagraph(): void {
    this.flush();
    const { target, paragraph } = this.group;
    if (target === 'note' || target === 'comment') this.notes.push(' ');
    if (target === 'running') this.running.push('\n');
    if (target !== 'body') return;
    this.blocks.paragraph(this.text.join(''), paragraph, this.mark.trim(), this.links);
    this.text = [];
    this.links = [];
    this.mark = '';
  }

  /** Ends a field. Returns true if the field is a link or contains one. Only the innermost of nested links is recorded. */
  private endField({ instruction, from = this.text.length, holdsLink = false }: Field): boolean {
    if (holdsLink) return true;
    const address = /^\s*HYPERLINK\s+(?:\\[a-z]\s+(?:"[^"]*"\s+)?)*"?([^"\s]+)/i.exec(instruction)?.[1] ?? '';
    const url = outsideLinks(address);
    // If the paragraph has ended within the field, the text of the link is empty or incomplete.
    if (url !== undefined) this.links.push({ text: this.text.slice(from).join('').replace(/\s+/g, ' ').trim(), url });
    return url !== undefined;
  }

  private openNote(target: 'note' | 'comment'): void {
    if (this.group.target !== 'body') {
      this.group.target = 'skip';
      return;
    }
    this.group.target = target;
    this.noteCount += 1;
    this.text.push(`[^${this.noteCount}]`);
  }

  private endNote(target: 'note' | 'comment'): void {
    const text = this.notes.join('');
    this.notes = [];
    this.blocks.note(this.noteCount, target === 'comment' ? `[comment] ${text}` : text);
  }
}

function setHeading(paragraph: ParagraphStyle, level: number | undefined): void {
  if (level === undefined) delete paragraph.heading;
  else paragraph.heading = level;
}
