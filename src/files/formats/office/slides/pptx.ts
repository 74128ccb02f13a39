/** Parses PowerPoint files: a page per slide with its title as heading, texts in reading order, tables, diagrams, notes. */
import { badFile } from '../../../failure.ts';
import type { ParsedFile } from '../../../parsed.ts';
import { tableText } from '../../data/table-text.ts';
import { readingOrder } from '../../reading-order.ts';
import { TextBuilder } from '../../text-builder.ts';
import { attribute, childAt, childElements, findElements, readXml, type XmlElement } from '../../xml/tree.ts';
import { chartText } from '../chart-text.ts';
import { type Addresses, addressOf, diagramText, drawingTable, drawingText, shapeAltText } from '../drawing-text.ts';
import { embeddedFiles } from '../embedded-files.ts';
import { hiddenWarnings } from '../hidden.ts';
import { coreProperties, outsideTargets, relations } from '../office-xml.ts';
import { writeRunningTexts } from '../running-text.ts';
import { openPackage, type ZipPackage } from '../zip-package.ts';
import { commentAuthors, slideComments } from './comments.ts';
import { type PlaceOf, placesOf } from './places.ts';

/** Placeholders of numbers, dates and pictures that repeat on every slide. */
const REPEATED = new Set(['dt', 'hdr', 'sldNum', 'sldImg']);

/** Parses a presentation. @throws FileError for an archive that is damaged or over its limits. */
export function parsePptx(bytes: Uint8Array): ParsedFile {
  const parts = openPackage(bytes);
  const builder = new TextBuilder();
  const slides = slideParts(parts);
  if (slides.length === 0 && !parts.has('ppt/presentation.xml'))
    throw badFile('parse', 'Damaged presentation', 'The file has no presentation.');
  const file: PresentationFile = {
    parts,
    builder,
    layouts: new Map(),
    authors: commentAuthors(parts),
    footers: [],
  };
  const hidden: string[] = [];
  for (const [index, part] of slides.entries()) {
    if (!new SlideWriter(file, part, index + 1).write()) hidden.push(part);
  }
  writeRunningTexts(file.footers, builder);
  const properties = coreProperties(parts);
  const title = usefulTitle(properties['title']) ?? firstHeading(builder);
  return builder.file(
    'pptx',
    { ...properties, title },
    {
      warnings: slides.length === 0 ? ['The presentation has no slides.'] : hiddenWarnings(hidden.length, 'slide'),
      members: embeddedFiles(parts, hidden),
    },
  );
}

/** Returns the parts of the slides, in the order in which they are shown. */
function slideParts(parts: ZipPackage): string[] {
  const links = relations(parts, 'ppt/presentation.xml');
  const presentation = readXml(parts.text('ppt/presentation.xml'));
  return findElements(presentation, 'sldId').flatMap((slide) => {
    const part = links.get(attribute(slide, 'r:id'));
    return part !== undefined && parts.has(part) ? [part] : [];
  });
}

/** State that all slides of a file share. */
interface PresentationFile {
  parts: ZipPackage;
  builder: TextBuilder;
  layouts: Map<string, PlaceOf>;
  authors: ReadonlyMap<string, string>;
  footers: string[];
}

class SlideWriter {
  private readonly file: PresentationFile;
  private readonly parts: ZipPackage;
  private readonly part: string;
  private readonly page: number;
  private readonly builder: TextBuilder;
  private readonly layouts: Map<string, PlaceOf>;
  private readonly links: ReadonlyMap<string, string>;
  private readonly addresses: Addresses;
  private readonly authors: ReadonlyMap<string, string>;
  /** Empty until the slide has written its title. Then undefined: the heading block before is the slide's own. */
  private headingPath: string[] | undefined = [];

  constructor(file: PresentationFile, part: string, page: number) {
    const { parts, builder, layouts, authors } = file;
    this.file = file;
    this.parts = parts;
    this.part = part;
    this.page = page;
    this.builder = builder;
    this.layouts = layouts;
    this.authors = authors;
    this.links = relations(parts, part);
    this.addresses = outsideTargets(parts, part);
  }

  /** Returns false if the slide is hidden, and writes nothing then. */
  write(): boolean {
    const root = readXml(this.parts.text(this.part));
    const slide = childAt(root, 'sld');
    if (slide && /^(?:0|false)$/.test(attribute(slide, 'show'))) return false;
    const tree = findElements(root, 'spTree')[0];
    if (!tree) return true;
    const shapes = orderedShapes(tree, this.layoutPlaces());
    const title = shapes.find((shape) => /^(title|ctrTitle)$/.test(placeholderType(shape) ?? ''));
    if (title) this.title(title);
    for (const shape of shapes) if (shape !== title) this.shape(shape);
    this.notes();
    this.comments();
    return true;
  }

  private title(shape: XmlElement): void {
    const parts = drawingText(childAt(shape, 'txBody'), false, this.addresses);
    const text = parts
      .map((part) => part.text)
      .join(' ')
      .replace(/\s+/g, ' ');
    if (text.trim() === '') return;
    this.headingPath = undefined;
    const links = parts.flatMap((part) => part.links);
    this.add({ kind: 'heading', level: 2, links }, `## ${text.trim()}`);
  }

  private shape(shape: XmlElement): void {
    const type = placeholderType(shape);
    if (REPEATED.has(type ?? '')) return;
    if (type === 'ftr') {
      for (const { text } of drawingText(childAt(shape, 'txBody'), false)) this.file.footers.push(text);
      return;
    }
    if (shape.name === 'graphicFrame') {
      this.graphic(shape);
      return;
    }
    // Texts in the body of a layout have bullets by default, other texts do not.
    const bullets = type === 'body' || type === '' || type === 'obj';
    const texts = drawingText(childAt(shape, 'txBody'), bullets, this.addresses);
    const alt = shape.name === 'pic' ? shapeAltText(shape) : '';
    if (alt !== '') texts.push({ kind: 'paragraph', text: `![${alt}]`, links: [] });
    const url = addressOf(findElements(shape, 'cNvPr')[0], this.addresses);
    if (url !== undefined && texts[0]) texts[0].links.unshift({ text: texts[0].text, url });
    for (const { kind, text, links } of texts) this.add({ kind, links }, text);
  }

  private graphic(frame: XmlElement): void {
    for (const table of findElements(frame, 'tbl')) {
      const { rows, links, signs } = drawingTable(table, this.addresses);
      const written = tableText(rows, signs);
      if (written) this.add({ ...written.draft, links }, written.text);
    }
    for (const part of this.linked(frame, 'relIds', 'r:dm')) this.add({ kind: 'list' }, diagramText(readXml(part)));
    for (const xml of this.linked(frame, 'chart', 'r:id')) {
      const { caption, rows } = chartText(xml);
      this.add({ kind: 'paragraph' }, caption);
      const table = tableText(rows);
      if (table) this.add(table.draft, table.text);
    }
  }

  /** Returns the texts of the parts that elements with this name refer to. */
  private linked(frame: XmlElement, name: string, key: string): string[] {
    return findElements(frame, name).flatMap((reference) => {
      const part = this.links.get(attribute(reference, key));
      return part !== undefined && this.parts.has(part) ? [this.parts.text(part)] : [];
    });
  }

  private notes(): void {
    const part = [...this.links.values()].find((link) => /notesSlide\d*\.xml$/.test(link));
    if (part === undefined) return;
    const shapes = findElements(readXml(this.parts.text(part)), 'sp').filter((sp) => placeholderType(sp) === 'body');
    const addresses = outsideTargets(this.parts, part);
    const texts = shapes.flatMap((shape) => drawingText(childAt(shape, 'txBody'), false, addresses));
    const lines = texts.map(({ text }) => text);
    const links = texts.flatMap((text) => text.links);
    if (lines.length > 0) this.add({ kind: 'quote', links }, `Notes: ${lines.join('\n')}`.replace(/^/gm, '> '));
  }

  private comments(): void {
    for (const part of this.links.values()) {
      if (!/^ppt\/comments\/[^/]+\.xml$/.test(part)) continue;
      for (const text of slideComments(this.parts.text(part), this.authors)) this.add({ kind: 'paragraph' }, text);
    }
  }

  private add(draft: Parameters<TextBuilder['add']>[0], text: string): void {
    const path = this.headingPath === undefined ? {} : { headingPath: this.headingPath };
    this.builder.add({ ...draft, ...path, pages: [this.page, this.page] }, text);
  }

  private layoutPlaces(): PlaceOf {
    const part = [...this.links.values()].find((link) => /slideLayout\d*\.xml$/.test(link)) ?? '';
    const cached = this.layouts.get(part);
    if (cached) return cached;
    const master = [...relations(this.parts, part).values()].find((link) => /slideMaster\d*\.xml$/.test(link)) ?? '';
    const places = placesOf([readXml(this.parts.text(part)), readXml(this.parts.text(master))]);
    this.layouts.set(part, places);
    return places;
  }
}

/** Returns shapes, pictures and frames in reading order. What is in a group stays together, because its places count from the group. */
function orderedShapes(tree: XmlElement, placeOf: PlaceOf): XmlElement[] {
  return readingOrder(shapesOf(tree), placeOf).flatMap((shape) =>
    shape.name === 'grpSp' ? orderedShapes(shape, placeOf) : [shape],
  );
}

/** Returns shapes, pictures, frames and groups in the order of the file. Of alternatives, the first with shapes counts. */
function shapesOf(tree: XmlElement): XmlElement[] {
  return childElements(tree).flatMap((child) => {
    if (child.name === 'AlternateContent') {
      const choices = childElements(child).map(shapesOf);
      return choices.find((shapes) => shapes.length > 0) ?? [];
    }
    return ['sp', 'pic', 'graphicFrame', 'cxnSp', 'grpSp'].includes(child.name) ? [child] : [];
  });
}

/** Returns the type of a placeholder, "" for one without a type, and undefined for other shapes. */
function placeholderType(shape: XmlElement): string | undefined {
  const place = findElements(childElements(shape)[0] ?? shape, 'ph')[0];
  return place && attribute(place, 'type');
}

/** Returns the title of the first slide with a title, which becomes the title of the presentation. */
function firstHeading(builder: TextBuilder): string | undefined {
  const block = builder.blocks.find(({ kind }) => kind === 'heading');
  return block && builder.text().slice(block.start, block.end).replace(/^#+ /, '');
}

function usefulTitle(title: string | undefined): string | undefined {
  return title === undefined || /^(powerpoint presentation|presentation|slide \d+|title)$/i.test(title)
    ? undefined
    : title;
}
