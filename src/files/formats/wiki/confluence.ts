/** Parses the XML export of a Confluence space: each page in its last version, with its title as heading, then its comments. */
import type { ParsedFile } from '../../parsed.ts';
import { writeHtml } from '../html/blocks.ts';
import { expandEmptyTags } from '../html/dom.ts';
import { TextBuilder } from '../text-builder.ts';

/** Settings of macros. The title of a panel is shown. */
const SETTINGS = /<ac:(parameter(?! ac:name="title")|task-id|task-uuid)\b[^<>]*>[^<>]*<\/ac:\1>/g;

/** Matches the begin of an object, and texts, which may contain one. A text without an end goes on to the end of the file. */
const TEXT_OR_OBJECT = /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<object class="/g;

/** Parses an export. Old versions, drafts, and lists of users and settings are left out. */
export function parseConfluence(source: string): ParsedFile {
  const marks = [...source.matchAll(TEXT_OR_OBJECT)].filter(([mark]) => mark.startsWith('<object'));
  const objects = marks.map(({ 0: mark, index }, i) => source.slice(index + mark.length, marks[i + 1]?.index));
  const kinds = Map.groupBy(objects, (object) => object.slice(0, object.indexOf('"')));
  const ofKind = (kind: string) => kinds.get(kind) ?? [];
  const bodies = new Map(ofKind('BodyContent').map((body) => [idIn(body, 'content'), textIn(body, 'body')]));
  const comments = Map.groupBy(ofKind('Comment').filter(isCurrent), (comment) => idIn(comment, 'containerContent'));
  const users = new Map(ofKind('ConfluenceUserImpl').map((user) => [ownId(user), textIn(user, 'name')]));
  const builder = new TextBuilder();
  for (const page of [...ofKind('Page'), ...ofKind('BlogPost')].filter(isCurrent)) {
    builder.add({ kind: 'heading', level: 1 }, `# ${textIn(page, 'title')}`);
    writeBody(bodies.get(ownId(page)) ?? '', builder);
    for (const comment of comments.get(ownId(page)) ?? []) {
      const creator = users.get(idIn(comment, 'creator') ?? '') || textIn(comment, 'creatorName');
      builder.add({ kind: 'paragraph' }, creator === '' ? 'Comment:' : `Comment: ${creator}`);
      writeBody(bodies.get(ownId(comment)) ?? '', builder);
    }
  }
  return builder.file('xml', { title: ofKind('Space').map((space) => textIn(space, 'name'))[0] });
}

function isCurrent(object: string): boolean {
  return idIn(object, 'originalVersion') === undefined && /^(?:current)?$/.test(textIn(object, 'contentStatus'));
}

/** Returns the id of an object, or the key of a user. */
function ownId(object: string): string | undefined {
  return /<id name="(?:id|key)">(?:<!\[CDATA\[)?(\w{1,100})[\]<]/.exec(object)?.[1];
}

function idIn(object: string, name: string): string | undefined {
  const start = object.indexOf(`<property name="${name}" `);
  return start === -1 ? undefined : ownId(object.slice(start, object.indexOf('</property>', start)));
}

/** Returns the text of a property. The end of a CDATA section inside it is written with a blank, or as two sections. */
function textIn(object: string, name: string): string {
  const head = `<property name="${name}"><![CDATA[`;
  const start = object.indexOf(head);
  const text = start === -1 ? '' : object.slice(start + head.length, object.indexOf(']]></property>', start));
  return text.replaceAll(']]]]><![CDATA[>', ']]>').replaceAll(']] >', ']]>');
}

/** Writes a body in the storage format: XHTML with elements for macros, links and tasks. Headings stand below the title. */
function writeBody(body: string, builder: TextBuilder): void {
  const html = body
    .replace(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, (_section, text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    )
    .replace(SETTINGS, '')
    .replace(/<ac:link\b[^<>]*>\s*<ri:page\b[^<>]*\sri:content-title="([^"]*)"[^<>]*>\s*<\/ac:link>/g, '$1')
    .replace(/<ac:task-status>(\w*)<\/ac:task-status>\s*<ac:task-body>/g, (_task, state: string) =>
      state === 'complete' ? '<ac:task-body>☒ ' : '<ac:task-body>☐ ',
    )
    .replace(/<\/?ac:task>/g, '')
    .replace(/<(\/?)ac:task-list/g, '<$1ul')
    .replace(/<(\/?)ac:task-body/g, '<$1li')
    .replace(/<(\/?)ac:plain-text-body/g, '<$1pre')
    .replace(/<(\/?)h([1-5])(?=[\s>])/g, (_tag, slash: string, level: string) => `<${slash}h${Number(level) + 1}`);
  writeHtml(expandEmptyTags(html), builder);
}
