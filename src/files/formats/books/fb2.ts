/** Parses FictionBook: sections with titles as headings, poems, citations and tables. Notes follow their paragraphs. */
import { oneLine } from '../../../util/code-points.ts';
import { badFile } from '../../failure.ts';
import type { ParsedFile } from '../../parsed.ts';
import { tableText } from '../data/table-text.ts';
import { TextBuilder } from '../text-builder.ts';
import { attribute, childAt, childElements, findElements, readXml, textOf, type XmlElement } from '../xml/tree.ts';

/** Parses a book. @throws FileError if the text is not a FictionBook or exceeds a limit. */
export function parseFb2(source: string): ParsedFile {
  const book = findElements(readXml(source), 'FictionBook')[0];
  if (!book) throw badFile('parse', 'Damaged book', 'The file is no FictionBook.');
  const info = childAt(book, 'description', 'title-info');
  const value = (name: string) => oneLine(textOf(childAt(info, name))) || undefined;
  const title = value('book-title');
  const builder = new TextBuilder();
  const bodies = childElements(book, 'body');
  const notes = new Map(
    bodies
      .filter((body) => /^(notes|comments)$/.test(attribute(body, 'name')))
      .flatMap((body) => childElements(body, 'section'))
      .map((section) => [attribute(section, 'id'), section]),
  );
  const writer = new BookWriter(builder, notes);
  for (const body of bodies) if (!/^(notes|comments)$/.test(attribute(body, 'name'))) writer.children(body, 1);
  writer.writeUnusedNotes();
  const authors = (info ? childElements(info, 'author') : []).map((author) => {
    const names = ['first-name', 'middle-name', 'last-name'].map((name) => oneLine(textOf(childAt(author, name))));
    return names.filter(Boolean).join(' ') || oneLine(textOf(childAt(author, 'nickname')));
  });
  return builder.file('xml', {
    title,
    author: authors.filter(Boolean).join(', '),
    created: value('date'),
    language: value('lang'),
    description: value('annotation'),
    keywords: value('keywords'),
  });
}

class BookWriter {
  private readonly builder: TextBuilder;
  private readonly notes: Map<string, XmlElement>;
  private pending: string[] = [];
  private count = 0;

  constructor(builder: TextBuilder, notes: Map<string, XmlElement>) {
    this.builder = builder;
    this.notes = notes;
  }

  children(parent: XmlElement, level: number): void {
    for (const child of childElements(parent)) this.block(child, level);
  }

  /** Writes the notes that nothing refers to. */
  writeUnusedNotes(): void {
    for (const note of this.notes.values()) this.children(note, 6);
  }

  private block(element: XmlElement, level: number): void {
    switch (element.name) {
      case 'title':
      case 'subtitle':
        this.heading(element, level);
        break;
      case 'p':
      case 'text-author':
      case 'date':
        this.write('paragraph', this.inline(element));
        break;
      case 'section':
        this.children(element, level + 1);
        break;
      case 'stanza':
        for (const part of childElements(element)) if (part.name !== 'v') this.block(part, level);
        this.write(
          'paragraph',
          childElements(element, 'v')
            .map((verse) => this.inline(verse))
            .join('\n'),
        );
        break;
      case 'cite':
      case 'epigraph': {
        const lines = findElements(element, 'p').concat(
          findElements(element, 'v'),
          findElements(element, 'text-author'),
        );
        this.write('quote', lines.map((line) => `> ${this.inline(line)}`).join('\n>\n'));
        break;
      }
      case 'table':
        this.table(element);
        break;
      case 'image':
      case 'empty-line':
        break;
      default:
        this.children(element, level);
    }
  }

  private heading(element: XmlElement, level: number): void {
    const lines = element.name === 'title' ? findElements(element, 'p') : [element];
    const text = oneLine(lines.map((line) => this.inline(line)).join(' '));
    const depth = Math.min(element.name === 'title' ? level : level + 1, 6);
    if (text !== '') this.builder.add({ kind: 'heading', level: depth }, `${'#'.repeat(depth)} ${text}`);
    this.writeNotes();
  }

  private table(element: XmlElement): void {
    const rows = findElements(element, 'tr').map((row) => childElements(row).map((cell) => oneLine(this.inline(cell))));
    const table = tableText(rows);
    if (table) this.builder.add(table.draft, table.text);
    this.writeNotes();
  }

  private write(kind: 'paragraph' | 'quote', text: string): void {
    this.builder.add({ kind }, text);
    this.writeNotes();
  }

  private writeNotes(): void {
    for (const note of this.pending) this.builder.add({ kind: 'paragraph' }, note);
    this.pending = [];
  }

  /** Returns the text of an element, with new numbers for its notes. The XML reader limits the depth of the recursion. */
  private inline(element: XmlElement): string {
    const parts = element.children.map((child) => {
      if (typeof child === 'string') return child;
      return child.name === 'a' ? (this.noteMark(child) ?? this.inline(child)) : this.inline(child);
    });
    return parts.join('').replace(/\s+/g, ' ');
  }

  private noteMark(link: XmlElement): string | undefined {
    const target = /\s(?:\w+:)?href\s*=\s*"#([^"]*)"/.exec(link.head)?.[1] ?? '';
    const note = this.notes.get(target);
    if (!note) return undefined;
    this.notes.delete(target);
    this.count += 1;
    const text = childElements(note)
      .filter((child) => child.name !== 'title')
      .map((child) => oneLine(textOf(child)));
    this.pending.push(`[^${this.count}]: ${text.filter(Boolean).join(' ')}`);
    return `[^${this.count}]`;
  }
}
