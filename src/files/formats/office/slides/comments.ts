/** Comments on slides, as PowerPoint wrote them until 2021 and as it writes them since, with their answers. */

import { attribute, childAt, findElements, readXml, textOf, type XmlElement } from '../../xml/tree.ts';
import { drawingText } from '../drawing-text.ts';
import type { ZipPackage } from '../zip-package.ts';

/** Names of those who commented, by their ids. */
export function commentAuthors(parts: ZipPackage): Map<string, string> {
  const found = [
    ...findElements(readXml(parts.text('ppt/commentAuthors.xml')), 'cmAuthor'),
    ...findElements(readXml(parts.text('ppt/authors.xml')), 'author'),
  ];
  return new Map(found.map((author) => [attribute(author, 'id'), attribute(author, 'name')]));
}

/** `[comment by Ann] text` for each comment and answer of a part, in its order. */
export function slideComments(xml: string, authors: ReadonlyMap<string, string>): string[] {
  return findElements(readXml(xml), 'cm').flatMap((comment) => {
    const answers = findElements(comment, 'reply');
    return [comment, ...answers].flatMap((each) => {
      const text = commentText(each);
      const author = authors.get(attribute(each, 'authorId')) ?? '';
      return text === '' ? [] : [`[comment${author === '' ? '' : ` by ${author}`}] ${text}`];
    });
  });
}

function commentText(comment: XmlElement): string {
  const body = drawingText(childAt(comment, 'txBody'), false).map(({ text }) => text);
  return [textOf(childAt(comment, 'text')), ...body].join('\n').trim();
}
