/** Reads comments on slides with their answers, in the format of PowerPoint until 2021 and in the later one. */

import { attribute, childAt, findElements, readXml, textOf, type XmlElement } from '../../xml/tree.ts';
import { drawingText } from '../drawing-text.ts';
import type { ZipPackage } from '../zip-package.ts';

/** Returns the names of authors of comments, by id. */
export function commentAuthors(parts: ZipPackage): Map<string, string> {
  const found = [
    ...findElements(readXml(parts.text('ppt/commentAuthors.xml')), 'cmAuthor'),
    ...findElements(readXml(parts.text('ppt/authors.xml')), 'author'),
  ];
  return new Map(found.map((author) => [attribute(author, 'id'), attribute(author, 'name')]));
}

/** Returns `[comment by Ann] text` for each comment and answer of a part, in order. */
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
