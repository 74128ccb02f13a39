/** Parses the XML export of a Confluence space: each page in its last version, with its title as heading, then its comments. */

import { ownValue } from '../../../util/own-value.ts';
import type { ParsedFile } from '../../parsed.ts';
import { writeHtmlBlocks } from '../html/blocks.ts';
import { expandEmptyTags, fitsTree, parseTree, rootOf, stripTags } from '../html/dom.ts';
import { decodeXml } from '../references.ts';
import { TextBuilder } from '../text-builder.ts';

const OBJECT = /<object class="(Page|BlogPost|Comment|BodyContent|Space)"/g;
const LEVEL_MAX = 6;
const HEAD_UNITS = 1_000;

/** Parts of the storage format that are elements of HTML, under another name. */
const AS_HTML: Record<string, string> = {
  'plain-text-body': 'pre',
  'task-list': 'ul',
  'task-body': 'li',
  'rich-text-body': 'div',
};
/** A task: its state stands before its words. */
const TASK_STATE = /<ac:task-status>(\w*)<\/ac:task-status>\s*<ac:task-body>/g;
/** Settings of macros. The title of a panel is shown. */
const SETTINGS = /<ac:(parameter(?! ac:name="title")|task-id|task-uuid)\b[^<>]*>[^<>]*<\/ac:\1>/g;

export function isConfluence(source: string): boolean {
  return source.slice(0, HEAD_UNITS).includes('<hibernate-generic');
}

/** Parses an export. Old versions, drafts, and lists of users and settings are left out. */
export function parseConfluence(source: string): ParsedFile {
  const bodies = new Map<string, string>();
  const pages: { id: string; title: string }[] = [];
  const comments = new Map<string, string[]>();
  let space: string | undefined;
  for (const { index, 1: kind } of source.matchAll(OBJECT)) {
    const close = source.indexOf('</object>', index);
    const object = source.slice(index, close === -1 ? source.length : close);
    const id = /<id name="id">(\d{1,20})<\/id>/.exec(object)?.[1];
    const status = propertyOf(object, 'contentStatus') ?? 'current';
    if (kind === 'Space') space = propertyOf(object, 'name');
    else if (kind === 'BodyContent') bodies.set(idIn(object, 'content') ?? '', propertyOf(object, 'body') ?? '');
    else if (id !== undefined && status === 'current' && idIn(object, 'originalVersion') === undefined) {
      const page = idIn(object, 'containerContent') ?? '';
      if (kind === 'Comment') comments.set(page, [...(comments.get(page) ?? []), id]);
      else pages.push({ id, title: propertyOf(object, 'title') ?? '' });
    }
  }
  const builder = new TextBuilder();
  for (const { id, title } of pages) {
    builder.add({ kind: 'heading', level: 1 }, title === '' ? '' : `# ${title}`);
    for (const part of [id, ...(comments.get(id) ?? [])]) writeBody(bodies.get(part) ?? '', builder);
  }
  return builder.file('xml', { title: space });
}

/** Returns the text of a property. The export writes the end of an inner CDATA section with a blank, or as two sections. */
function propertyOf(object: string, name: string): string | undefined {
  const start = object.indexOf(`<property name="${name}">`);
  if (start === -1) return undefined;
  const end = object.indexOf('</property>', start);
  const value = object.slice(object.indexOf('>', start) + 1, end === -1 ? object.length : end).trim();
  if (!value.startsWith('<![CDATA[')) return decodeXml(value);
  return value
    .slice(9, value.endsWith(']]>') ? -3 : undefined)
    .replaceAll(']]]]><![CDATA[>', ']]>')
    .replaceAll(']] >', ']]>');
}

function idIn(object: string, name: string): string | undefined {
  const start = object.indexOf(`<property name="${name}" `);
  return start === -1
    ? undefined
    : /^[^>]*>\s*<id name="id">(\d{1,20})<\/id>/.exec(object.slice(start, start + 1000))?.[1];
}

/** Writes a body in the storage format: XHTML with elements for macros, links and tasks. Headings stand below the title. */
function writeBody(body: string, builder: TextBuilder): void {
  const html = expandEmptyTags(
    body
      .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_section, text: string) => escapeHtml(text))
      .replace(SETTINGS, '')
      .replace(/<\/?ac:task>/g, '')
      .replace(TASK_STATE, (_task, state: string) => `<ac:task-body>${state === 'complete' ? '☒' : '☐'} `)
      .replace(/<ac:link\b[^<>]*>\s*<ri:page\b[^<>]*\sri:content-title="([^"]*)"[^<>]*>\s*<\/ac:link>/g, '$1')
      .replace(/<(\/?)ac:([a-z-]+)/g, (tag, slash: string, name: string) => {
        const known = ownValue(AS_HTML, name);
        return known === undefined ? tag : `<${slash}${known}`;
      })
      .replace(/<(\/?)h([1-6])(?=[\s>])/g, (_tag, slash: string, level: string) => {
        return `<${slash}h${Math.min(Number(level) + 1, LEVEL_MAX)}`;
      }),
  );
  if (fitsTree(html)) writeHtmlBlocks(rootOf(parseTree(html)), builder);
  else builder.add({ kind: 'paragraph' }, stripTags(html));
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
