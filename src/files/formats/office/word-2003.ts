/**
 * Converts Word 2003 XML to the parts of a Word file. Most elements are the same; some have other names or places. The work is
 * linear, because each closing tag is searched once.
 */

import { attribute, readXml, textOf } from '../xml/tree.ts';
import { replaceElements } from './word/source.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
/** The number format of bullets in Word 2003. */
const BULLETS = '23';

/** Returns the parts by name. `head` is the source of the root's attributes. */
export function word2003Parts(xml: string, head: string): Map<string, string> {
  const names = (head.match(/\sxmlns:\w{1,40}="[^"]{1,300}"/g) ?? []).filter((name) => !/xmlns:[wr]=/.test(name));
  const open = `xmlns:w="${WORD}" xmlns:r="${RELATIONSHIPS}"${names.join('')}`;
  const links: string[] = [];
  const link = (type: string, target: string, mode = ''): string => {
    links.push(`<Relationship Id="x${links.length}" Type="${RELATIONSHIPS}/${type}" Target="${target}"${mode}/>`);
    return `x${links.length - 1}`;
  };
  const parts = new Map<string, string>();
  const add = (name: string, tag: string, content: string): void => {
    parts.set(`word/${name}.xml`, `<w:${tag} ${open}>${content}</w:${tag}>`);
    link(name, `${name}.xml`);
  };
  const notes = new Map<string, string[]>();
  let body = replaceElements(contentOf(xml, 'w:body'), 'w:binData', () => '');
  body = body.replace(/<aml:annotation\s[^<>]*\/>/g, '');
  for (const kind of ['footnote', 'endnote'] as const) {
    const found: string[] = [];
    notes.set(kind, found);
    body = replaceElements(body, `w:${kind}`, (source) => {
      found.push(`<w:${kind} w:id="${found.length + 1}">${replaceComments(innerXml(source), commentText)}</w:${kind}>`);
      return `<w:${kind}Reference w:id="${found.length}"/>`;
    });
  }
  const comments: string[] = [];
  body = replaceComments(body, (author, content) => {
    comments.push(`<w:comment w:id="${comments.length + 1}" w:author="${author}">${content}</w:comment>`);
    return `<w:commentReference w:id="${comments.length}"/>`;
  });
  body = body
    .replace(/<w:hlink\s([^<>]*)>/g, (_tag, attributes: string) => {
      const url = /w:dest="([^"]*)"/.exec(attributes)?.[1];
      return url === undefined
        ? '<w:hyperlink>'
        : `<w:hyperlink r:id="${link('hyperlink', url, ' TargetMode="External"')}">`;
    })
    .replaceAll('</w:hlink>', '</w:hyperlink>');
  for (const [kind, found] of notes) if (found.length > 0) add(`${kind}s`, `${kind}s`, asWordElements(found.join('')));
  if (comments.length > 0) add('comments', 'comments', asWordElements(comments.join('')));
  // LibreOffice escapes blanks in names.
  const styles = contentOf(xml, 'w:styles');
  add(
    'styles',
    'styles',
    styles.replace(/<w:name w:val="[^"]*"/g, (name) => name.replaceAll('_20_', ' ')),
  );
  add('numbering', 'numbering', numbering(contentOf(xml, 'w:lists')));
  parts.set('word/document.xml', `<w:document ${open}><w:body>${asWordElements(body)}</w:body></w:document>`);
  const relations = (list: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list}</Relationships>`;
  parts.set('word/_rels/document.xml.rels', relations(links.join('')));
  parts.set(
    '_rels/.rels',
    relations(`<Relationship Id="d" Type="${RELATIONSHIPS}/officeDocument" Target="word/document.xml"/>`),
  );
  parts.set('docProps/core.xml', properties(xml));
  return parts;
}

/** Replaces comments. Marks of changes are the same kind of element and may contain comments, so inner ones come first. */
function replaceComments(xml: string, replace: (author: string, content: string) => string): string {
  const parts: string[] = [];
  const open: { head: string; parts: number }[] = [];
  let from = 0;
  for (const tag of xml.matchAll(/<(\/?)aml:annotation(?:\s[^<>]*)?>/g)) {
    parts.push(xml.slice(from, tag.index));
    from = tag.index + tag[0].length;
    if (tag[1] === '') open.push({ head: tag[0], parts: parts.length });
    const last = tag[1] === '' ? undefined : open.pop();
    if (!last || attribute(last, 'w:type') !== 'Word.Comment') continue;
    const author = /\saml:author="([^"]*)"/.exec(last.head)?.[1] ?? '';
    const content = parts.splice(last.parts).join('');
    parts.push(replace(author, content));
  }
  return parts.join('') + xml.slice(from);
}

/** Returns a comment as text, for a comment inside a note: notes have no comments of their own. */
function commentText(author: string, content: string): string {
  const words = textOf(readXml(replaceElements(content, 'w:delText', () => ''))).trim();
  return `<w:t xml:space="preserve"> [comment by ${author}] ${words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</w:t>`;
}

/** Returns the source between the tags of the first element with this name. */
function contentOf(xml: string, name: string): string {
  const from = new RegExp(`<${name}(?:\\s[^<>]*)?>`).exec(xml);
  const to = xml.lastIndexOf(`</${name}>`);
  return from && to > from.index ? xml.slice(from.index + from[0].length, to) : '';
}

/** Returns the content of an element, without its tags. */
function innerXml(source: string): string {
  return source.slice(source.indexOf('>') + 1, source.lastIndexOf('</'));
}

/** Removes the tags of sections and of marks of changes around paragraphs and runs, and renames elements of lists. */
function asWordElements(body: string): string {
  return body
    .replace(/<\/?(?:wx:(?:sect|sub-section)|aml:(?:annotation|content))(?:\s[^<>]*)?>/g, '')
    .replace(/<(\/?)w:listPr(?=[\s>])/g, '<$1w:numPr')
    .replaceAll('<w:ilfo ', '<w:numId ')
    .replaceAll('<w:vmerge', '<w:vMerge');
}

function numbering(lists: string): string {
  return lists
    .replace(/<(\/?)w:listDef(?=[\s>])/g, '<$1w:abstractNum')
    .replaceAll('w:listDefId=', 'w:abstractNumId=')
    .replace(
      /<w:nfc w:val="(\d+)"\/>/g,
      (_tag, kind: string) => `<w:numFmt w:val="${kind === BULLETS ? 'bullet' : 'decimal'}"/>`,
    )
    .replace(/<(\/?)w:list(?=[\s>])/g, '<$1w:num')
    .replaceAll('w:ilfo=', 'w:numId=')
    .replaceAll('<w:ilst ', '<w:abstractNumId ');
}

function properties(xml: string): string {
  const head = contentOf(xml, 'o:DocumentProperties');
  const fields = { Title: 'dc:title', Author: 'dc:creator', Created: 'dcterms:created', LastSaved: 'dcterms:modified' };
  return Object.entries(fields)
    .map(([name, field]) => `<${field}>${contentOf(head, `o:${name}`)}</${field}>`)
    .join('');
}
