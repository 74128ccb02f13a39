/** Reads slides of OpenDocument presentations: a page per slide with its title as heading. */

import type { Link } from '../../../../text/link-line.ts';
import { oneLine } from '../../../../util/code-points.ts';
import { type Place, readingOrder } from '../../reading-order.ts';
import type { BlockDraft, TextBuilder } from '../../text-builder.ts';
import { attribute, childAt, childElements, findElements, type XmlElement } from '../../xml/tree.ts';
import { isHidden, type OdfStyles, OdfWriter } from './text.ts';

/** Matches frames that repeat on every slide. */
const REPEATED = /^(header|footer|page-number|date-time|page|notes)$/;

/** Writes all visible slides, and returns the number of hidden slides. */
export function writeOdfSlides(body: XmlElement, builder: TextBuilder, styles: OdfStyles): number {
  let hidden = 0;
  for (const [index, slide] of findElements(body, 'page').entries()) {
    if (isHidden(slide, 'drawing-page', styles)) hidden += 1;
    else writeSlide(slide, index + 1, builder, styles);
  }
  return hidden;
}

function writeSlide(slide: XmlElement, page: number, builder: TextBuilder, styles: OdfStyles): void {
  let headingPath: string[] | undefined = [];
  const add = (draft: BlockDraft, text: string) => {
    builder.add({ ...draft, ...(headingPath === undefined ? {} : { headingPath }), pages: [page, page] }, text);
  };
  const write = (element: XmlElement, sink = add) => {
    const writer = new OdfWriter(styles, sink);
    writer.blocks(element);
    writer.end();
  };
  const shapes = readingOrder(shapesOf(slide), placeOf);
  const title = shapes.find((shape) => classOf(shape) === 'title');
  const { text: heading, links } = title ? plainText(title, styles) : { text: '', links: [] };
  if (heading !== '') {
    headingPath = undefined;
    add({ kind: 'heading', level: 2, links }, `## ${heading}`);
  }
  for (const shape of shapes) if (shape !== title && !REPEATED.test(classOf(shape))) write(shape);
  const notes = childAt(slide, 'notes');
  const frames = notes ? childElements(notes).filter((frame) => classOf(frame) === 'notes') : [];
  const lines: string[] = [];
  const noted: Link[] = [];
  for (const frame of frames) {
    write(frame, (draft, text) => {
      lines.push(text);
      noted.push(...(draft.links ?? []));
    });
  }
  if (lines.length > 0) add({ kind: 'quote', links: noted }, `Notes: ${lines.join('\n')}`.replace(/^/gm, '> '));
}

function plainText(element: XmlElement, styles: OdfStyles): { text: string; links: readonly Link[] } {
  const writer = new OdfWriter(styles, () => undefined);
  const paragraphs = [...findElements(element, 'p'), ...findElements(element, 'h')];
  const text = oneLine(paragraphs.map((paragraph) => writer.inline(paragraph)).join(' '));
  return { text, links: writer.waitingLinks };
}

/** Returns frames and shapes, also inside groups. */
function shapesOf(slide: XmlElement): XmlElement[] {
  return childElements(slide).flatMap((child) => {
    if (child.name === 'notes') return [];
    return child.name === 'g' ? shapesOf(child) : [child];
  });
}

function classOf(shape: XmlElement): string {
  return attribute(shape, 'presentation:class');
}

/** Returns the place of a shape. Units are ignored, because a file uses the same unit everywhere. */
function placeOf(shape: XmlElement): Place | undefined {
  const length = (name: string) => Number.parseFloat(attribute(shape, name));
  const [top, left, height] = [length('svg:y'), length('svg:x'), length('svg:height')];
  return Number.isNaN(top) || Number.isNaN(left) ? undefined : { top, left, height: Number.isNaN(height) ? 0 : height };
}
