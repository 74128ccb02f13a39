/** Writes the text of OpenDocument files as blocks: headings, paragraphs, lists, tables, notes. */

import type { Link } from '../../../../text/link-line.ts';
import { outsideLinks } from '../../../links.ts';
import { type SpanCell, spreadTable } from '../../data/spread-cells.ts';
import { tableText } from '../../data/table-text.ts';
import { usefulAltText } from '../../html/alt-text.ts';
import { CARRIER_UNITS, raisedText } from '../../raised-text.ts';
import { type BlockDraft, fenced } from '../../text-builder.ts';
import { attribute, childAt, childElements, findElements, textOf, type XmlElement } from '../../xml/tree.ts';
import { itemMark } from '../number-label.ts';
import { repeats, rowElements } from './table-rows.ts';

export interface OdfStyles {
  /** The parent of each style by `family name`. The parent of an automatic style is a style with a name for people. */
  parent: ReadonlyMap<string, string>;
  /** Whether a style, by `family name`, shows or hides its text, sheet or slide. Others do as their parents. */
  shows: ReadonlyMap<string, boolean>;
  /** Names of text styles that raise their text. */
  raised: ReadonlySet<string>;
}

type BlockSink = (draft: BlockDraft, text: string) => void;

/** Names of drawn shapes, which may have text inside. */
const SHAPES: ReadonlySet<string> = new Set(
  'custom-shape rect ellipse circle line polyline polygon regular-polygon path connector caption'.split(' '),
);
const LEVEL_MAX = 8;
/** Maximum number of links whose text is not written yet. Each of them is searched in every block that is written. */
const WAITING_LINKS_MAX = 100;
/** Elements whose content is not text of the file. */
const SKIPPED = new Set(
  (
    'tracked-changes sequence-decls variable-decls user-field-decls forms note-citation ruby-text bookmark-start ' +
    'alphabetical-index-mark table-of-content illustration-index table-index object-index user-index alphabetical-index ' +
    'bibliography named-expressions database-ranges shapes'
  ).split(' '),
);

/** Attributes that name the style of an element, by the family of the style. */
const STYLE_NAMES = {
  paragraph: 'text:style-name',
  text: 'text:style-name',
  table: 'table:style-name',
  'drawing-page': 'draw:style-name',
} as const;

/** Properties of a style that hide its text, sheet or slide with a value. */
const HIDING = [
  ['text-properties', 'text:display', 'none'],
  ['table-properties', 'table:display', 'false'],
  ['drawing-page-properties', 'presentation:visibility', 'hidden'],
] as const;

/** Matches the place of raised text: `super 58%`, `33% 58%`. */
const RAISED = /^(?:super|[1-9])/;

export function readStyles(...sources: readonly XmlElement[]): OdfStyles {
  const parent = new Map<string, string>();
  const shows = new Map<string, boolean>();
  const raised = new Set<string>();
  for (const source of sources) {
    for (const style of findElements(source, 'style')) {
      const name = `${attribute(style, 'style:family')} ${attribute(style, 'style:name')}`;
      parent.set(name, attribute(style, 'style:parent-style-name'));
      const position = attribute(childAt(style, 'text-properties') ?? style, 'style:text-position');
      if (RAISED.test(position)) raised.add(attribute(style, 'style:name'));
      for (const [properties, property, hiding] of HIDING) {
        const value = attribute(childAt(style, properties) ?? style, property);
        if (value !== '') shows.set(name, value !== hiding);
      }
    }
  }
  return { parent, shows, raised };
}

/** True if the element's style, or a parent of the style, hides the element. */
export function isHidden(element: XmlElement, family: keyof typeof STYLE_NAMES, { parent, shows }: OdfStyles): boolean {
  if (shows.size === 0) return false;
  let style = attribute(element, STYLE_NAMES[family]);
  for (let step = 0; step < LEVEL_MAX && style !== ''; step += 1) {
    const isShown = shows.get(`${family} ${style}`);
    if (isShown !== undefined) return !isShown;
    style = parent.get(`${family} ${style}`) ?? '';
  }
  return false;
}

export class OdfWriter {
  private readonly styles: OdfStyles;
  private readonly add: BlockSink;
  private items: string[] = [];
  private numbered = false;
  /** 1 below a title: headings are parts of what it names. */
  private titles = 0;
  private code: string[] = [];
  private notes: string[] = [];
  private noteCount = 0;
  private links: Link[] = [];
  /** Frames inside the current paragraph, whose blocks follow it. */
  private inside: XmlElement[] = [];

  constructor(styles: OdfStyles, add: BlockSink) {
    this.styles = styles;
    this.add = (draft, text) => {
      const [blockLinks, later] = [true, false].map((isIn) =>
        this.links.filter((link) => text.includes(link.text) === isIn),
      );
      this.links = later!.slice(-WAITING_LINKS_MAX);
      add({ ...draft, links: blockLinks! }, text);
    };
  }

  /** Links whose text is not written yet. */
  get waitingLinks(): readonly Link[] {
    return this.links;
  }

  /** Writes the blocks under an element, in order. */
  blocks(parent: XmlElement): void {
    for (const child of childElements(parent)) this.block(child);
  }

  /** Writes the open list, code and notes. */
  end(): void {
    this.endList();
    this.endCode();
    this.writeNotes();
  }

  private block(element: XmlElement): void {
    if (SKIPPED.has(element.name) || attribute(element, 'text:display') === 'none') return;
    if (element.name === 'h') this.heading(element, Number(attribute(element, 'text:outline-level')) || 1);
    else if (element.name === 'p') this.paragraph(element);
    else if (element.name === 'list') this.list(element);
    else if (element.name === 'table') this.table(element);
    else this.blocks(element);
  }

  /** Writes a heading. The outline level of a title is 0. */
  private heading(element: XmlElement, outline: number): void {
    const text = this.inline(element).replace(/\s+/g, ' ').trim();
    if (text === '') return;
    if (outline === 0) this.titles = 1;
    const level = outline === 0 ? 1 : Math.min(Math.max(outline + this.titles, 1), 6);
    this.write({ kind: 'heading', level }, `${'#'.repeat(level)} ${text}`);
  }

  private paragraph(element: XmlElement): void {
    const style = this.namedStyle(attribute(element, 'text:style-name'));
    if (style === 'Title') {
      this.heading(element, 0);
      return;
    }
    const text = this.inline(element);
    if (/^(preformatted|source.?code|code)/i.test(style)) {
      this.endList();
      this.code.push(text);
      return;
    }
    const quote = /^quot|^block.?quot/i.test(style);
    const body = quote ? tidy(text).replace(/^/gm, '> ') : tidy(text);
    if (tidy(text) !== '') this.write({ kind: quote ? 'quote' : 'paragraph' }, body);
    else this.writeInside();
  }

  /** Returns the name of the style that a person chose, not of the automatic style derived from it. */
  private namedStyle(name: string): string {
    let style = name;
    for (let step = 0; step < LEVEL_MAX && /^P\d+$/.test(style); step += 1)
      style = this.styles.parent.get(`paragraph ${style}`) ?? '';
    return style.replaceAll('_20_', ' ').replaceAll('_', ' ');
  }

  private list(element: XmlElement): void {
    // Numbered chapters are lists of headings.
    if (findElements(element, 'h').length > 0 || findElements(element, 'table').length > 0) {
      this.blocks(element);
      return;
    }
    this.endCode();
    this.listItems(element, 0);
  }

  private listItems(list: XmlElement, depth: number): void {
    for (const item of childElements(list)) {
      if (item.name !== 'list-item' && item.name !== 'list-header') continue;
      const [label] = item.children;
      const numbered = typeof label === 'string' && label.trim() !== '';
      const parts = childElements(item).filter((child) => child.name !== 'list');
      const text = tidy(parts.map((part) => this.inline(part)).join('\n'));
      if (text !== '') {
        if (depth === 0 && this.items.length > 0 && this.numbered !== numbered) this.writeItems();
        if (depth === 0) this.numbered = numbered;
        const mark = numbered ? itemMark(label) : '-';
        const lead = '  '.repeat(Math.min(depth, LEVEL_MAX));
        this.items.push(`${lead}${mark} ${text.replaceAll('\n', `\n${lead}  `)}`);
      }
      for (const inner of childElements(item, 'list')) this.listItems(inner, depth + 1);
    }
  }

  private table(element: XmlElement): void {
    const sources = rowElements(element);
    const heads = new Set(childElements(element, 'table-header-rows').flatMap(rowElements));
    const { titles, rows, signs } = spreadTable(
      sources.map((row) => this.cells(row)),
      sources.map((row) => (heads.has(row) ? 'head' : undefined)),
    );
    for (const title of titles) this.write({ kind: 'paragraph' }, title);
    const table = tableText(rows, signs);
    if (table) this.write(table.draft, table.text);
  }

  private cells(row: XmlElement): SpanCell[] {
    return childElements(row, 'table-cell').flatMap((cell) => {
      const columns = repeats(cell, 'table:number-columns-spanned');
      const own = { text: this.cellText(cell), columns, rows: repeats(cell, 'table:number-rows-spanned') };
      return Array.from({ length: repeats(cell, 'table:number-columns-repeated') }, () => own);
    });
  }

  private cellText(cell: XmlElement): string {
    return childElements(cell)
      .map((child) => (child.name === 'p' || child.name === 'h' ? this.inline(child) : this.deepText(child)))
      .join(' ');
  }

  /** Returns the text of lists and tables inside a cell. */
  private deepText(element: XmlElement): string {
    return [...findElements(element, 'p'), ...findElements(element, 'h')].map((part) => this.inline(part)).join(' ');
  }

  private write(draft: BlockDraft, text: string): void {
    this.endList();
    this.endCode();
    this.add(draft, text);
    this.writeNotes();
    this.writeInside();
  }

  private endList(): void {
    this.writeItems();
  }

  private writeItems(): void {
    if (this.items.length === 0) return;
    this.add({ kind: 'list' }, this.items.join('\n'));
    this.items = [];
    this.writeNotes();
    this.writeInside();
  }

  private endCode(): void {
    if (this.code.length === 0) return;
    this.add({ kind: 'code' }, fenced(this.code.join('\n')));
    this.code = [];
  }

  private writeNotes(): void {
    for (const note of this.notes) this.add({ kind: 'paragraph' }, note);
    this.notes = [];
  }

  private writeInside(): void {
    const inside = this.inside;
    this.inside = [];
    for (const box of inside) this.blocks(box);
  }

  /** Returns the text of a paragraph with its line breaks. The XML reader limits the depth of the recursion. */
  inline(element: XmlElement): string {
    const family = element.name === 'span' ? 'text' : 'paragraph';
    if (/^(?:p|h|span)$/.test(element.name) && isHidden(element, family, this.styles)) return '';
    let text = '';
    for (const [index, child] of element.children.entries()) {
      if (typeof child === 'string') text += child.replace(/\s+/g, ' ');
      else if (child.name === 'span' && this.styles.raised.has(attribute(child, 'text:style-name'))) {
        const [raised, next] = [this.inline(child), element.children[index + 1]];
        const after = typeof next === 'string' ? next.slice(0, CARRIER_UNITS) : '';
        const low = element.children[index + 2];
        const lowered = low && typeof low !== 'string' && low.name === 'span' ? textOf(low) : '';
        text += raisedText(text.slice(-CARRIER_UNITS), raised, after, lowered) ?? raised;
      } else text += this.inlineElement(child);
    }
    return text;
  }

  private inlineElement(element: XmlElement): string {
    switch (element.name) {
      case 's':
        return ' '.repeat(repeats(element, 'text:c'));
      case 'tab':
        return '\t';
      case 'line-break':
        return '\n';
      case 'note':
      case 'annotation':
        return this.note(element);
      case 'frame':
        return this.frame(element);
      case 'g':
        return this.group(element);
      case 'annotation-end':
        return '';
      case 'a':
        return this.link(element);
      default:
        if (SHAPES.has(element.name)) return this.frame(element);
        return SKIPPED.has(element.name) ? '' : this.inline(element);
    }
  }

  private link(element: XmlElement): string {
    const text = this.inline(element);
    const url = outsideLinks(attribute(element, 'xlink:href'));
    if (url !== undefined) this.links.push({ text: tidy(text), url });
    return text;
  }

  private note(element: XmlElement): string {
    const body = childAt(element, 'note-body') ?? element;
    const author = childAt(element, 'creator');
    const text = findElements(body, 'p')
      .map((part) => this.inline(part))
      .join(' ');
    if (text.trim() === '') return '';
    this.noteCount += 1;
    const label = element.name === 'annotation' ? `[comment${author ? ` by ${this.inline(author)}` : ''}] ` : '';
    this.notes.push(`[^${this.noteCount}]: ${label}${tidy(text)}`);
    return `[^${this.noteCount}]`;
  }

  /** Returns the description of a picture, or a formula. A text box or an object with content is written after its paragraph. */
  private frame(element: XmlElement): string {
    const box = childAt(element, 'text-box') ?? (SHAPES.has(element.name) ? element : undefined);
    if (box) {
      this.inside.push(box);
      return '';
    }
    const object = childAt(element, 'object');
    const formula = childAt(object, 'formula');
    if (formula) return ` ${this.inline(formula)} `;
    if (object && object.children.length > 0) {
      this.inside.push(object);
      return '';
    }
    return this.description(element);
  }

  /** Returns the description of a group and of its pictures. The texts of its shapes are written after its paragraph. */
  private group(element: XmlElement): string {
    const shapes = childElements(element).filter(({ name }) => name === 'frame' || name === 'g' || SHAPES.has(name));
    return this.description(element) + shapes.map((shape) => this.inlineElement(shape)).join('');
  }

  private description(element: XmlElement): string {
    const described = childAt(element, 'desc') ?? childAt(element, 'title');
    const alt = described ? usefulAltText(this.inline(described)) : '';
    return alt === '' ? '' : ` ![${alt}] `;
  }
}

function tidy(raw: string): string {
  return raw
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/[\u00ad\u200b]/g, '')
    .replace(/ ?\n ?/g, '\n')
    .trim();
}
