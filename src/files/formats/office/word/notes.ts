/** Moves the notes and comments of a converted Word file after the blocks that they belong to. */
import type { DomDocument, DomElement, DomNode } from '../../html/dom.ts';

/** The members of the DOM that are needed to move elements. */
interface MovableElement extends DomElement {
  parentNode: MovableElement | null;
  childNodes: ArrayLike<DomNode>;
  insertBefore(node: DomNode, before: DomNode | null): void;
  remove(): void;
}

/** Marks the end of the author's name in the label of a comment. */
export const AUTHOR_END = '\ue0c2';

/** Moves all notes. The converter writes them at the end of the file, each with a link back. */
export function placeNotes(document: DomDocument): void {
  const create = document as unknown as { createElement(name: string): MovableElement };
  const notes = new Map(movable(document, 'li[id], dt[id]').map((note) => [note.getAttribute('id')!, note]));
  const last = new Map<DomNode, DomNode>();
  let number = 0;
  for (const link of movable(document, 'sup > a[id]')) {
    const note = notes.get((link.getAttribute('href') ?? '').slice(1));
    const block = blockOf(link);
    if (!note || !block.parentNode) continue;
    number += 1;
    const comment = note.tagName.toUpperCase() === 'DT';
    const body = comment ? (note.nextSibling as MovableElement | null) : note;
    const text = textOf(body)
      .replace(/\s*↑\s*$/, '')
      .trim();
    const paragraph = create.createElement('p');
    paragraph.textContent = `[^${number}]: ${comment ? `[comment${authorOf(note)}] ` : ''}${text}`;
    block.parentNode.insertBefore(paragraph, (last.get(block) ?? block).nextSibling);
    last.set(block, paragraph);
    link.textContent = `[^${number}]`;
    note.remove();
    if (comment) body?.remove();
  }
}

/** Returns the text of a note, with blanks between its paragraphs. */
function textOf(body: MovableElement | null): string {
  const parts = Array.from(body?.childNodes ?? [], (node) => node.textContent ?? '');
  return parts.join(' ');
}

/** Returns the author in the label of a comment (`Comment [Ann1]`), as ` by Ann`. */
function authorOf(label: MovableElement): string {
  const text = label.textContent ?? '';
  const end = text.lastIndexOf(AUTHOR_END);
  return end === -1 ? '' : ` by ${text.slice(text.indexOf('[') + 1, end)}`;
}

/** Returns the outermost block around an element. */
function blockOf(element: MovableElement): MovableElement {
  let block = element;
  while (block.parentNode?.parentNode && !/^(BODY|HTML)$/i.test(block.parentNode.tagName)) block = block.parentNode;
  return block;
}

function movable(document: DomDocument, selector: string): MovableElement[] {
  return Array.from(document.querySelectorAll(selector)) as MovableElement[];
}
