/** Reads AsciiDoc by way of HTML, which Asciidoctor writes. */

import { LoggerManager, load, NullLogger } from '@asciidoctor/core';
import { usefulAltText } from '../html/alt-text.ts';
import { writeHtml } from '../html/blocks.ts';
import { decodeHtml } from '../references.ts';
import type { TextBuilder } from '../text-builder.ts';
import { asciidocPaths, attributeOf, selectedLines } from './asciidoc-include.ts';
import { boundReferences, repeatsTitles } from './asciidoc-limits.ts';
import type { IncludedFiles } from './included-files.ts';

/** UTF-16 units of the value of an attribute. */
const ATTRIBUTE_UNITS_MAX = 1000;
/** Numbers and captions that the source does not have are left out. Keys, buttons and menus are read. */
const ATTRIBUTES = {
  experimental: '',
  showtitle: '',
  'sectnums!': '',
  'toc!': '',
  ...Object.fromEntries(['table', 'figure', 'example', 'listing'].map((kind) => [`${kind}-caption!`, ''])),
};

/** Writes the blocks of a source and of the files that it includes. Returns the authors of the source. */
export async function writeAsciidoc(source: string, builder: TextBuilder, files: IncludedFiles): Promise<string> {
  LoggerManager.logger = new NullLogger();
  const text = boundReferences(withIncludes(source.split('\n'), files, new Map()).join('\n'));
  const attributes = repeatsTitles(text) ? { ...ATTRIBUTES, 'sectids!': '' } : ATTRIBUTES;
  // In the mode `secure` the library opens no files.
  const document = await load(withFootnotes(text), { safe: 'secure', attributes });
  // The library writes a horizontal list as a table without a header.
  for (const list of document.findBy({ context: 'dlist', style: 'horizontal', traverseDocuments: true }))
    list.setStyle(null);
  // The library writes a break of no width after dots and dashes, which would part a word.
  const html = withDescriptions(String(await document.convert({ standalone: false })).replaceAll('&#8203;', ''));
  writeHtml(html, builder);
  return document
    .getAuthors()
    .map(({ name }) => decodeHtml(name ?? ''))
    .join('; ');
}

/** Returns the page with the descriptions of pictures in their place. A description that the library makes of a file name is left out. */
function withDescriptions(html: string): string {
  return html.replace(/<img src="([^"]*)" alt="([^"]*)"[^<>]*>/g, (_image, path: string, description: string) => {
    const isName = path.replaceAll(/[_-]|%20/g, ' ').includes(`${description}.`);
    return isName ? '' : usefulAltText(description);
  });
}

/** Returns the lines with those of included files. Text that depends on an attribute is kept. */
function withIncludes(lines: readonly string[], files: IncludedFiles, attributes: Map<string, string>): string[] {
  return lines.flatMap((line) => {
    const [, name, value = ''] = /^:([\w-]{1,60}):[ \t]+(.*)$/.exec(line) ?? [];
    if (name !== undefined) attributes.set(name, filled(value, attributes).slice(0, ATTRIBUTE_UNITS_MAX));
    if (/^(?:ifn?def|ifeval|endif)::/.test(line)) return /^ifn?def::[^[\]]{0,200}\[(.+)\]$/.exec(line)?.[1] ?? [];
    const [, target, options = ''] = /^include::([^[\]]{1,500})\[([^\]]{0,500})\]$/.exec(line.trimEnd()) ?? [];
    if (target === undefined) return [line];
    const file = files.find(filled(target, attributes), asciidocPaths);
    if (!file) return [];
    files.enter(file);
    const included = withIncludes(selectedLines(file.text, options), files, attributes);
    files.leave();
    const offset = /^[+-]\d$/.exec(attributeOf(options, 'leveloffset') ?? '')?.[0];
    if (offset === undefined) return included;
    const back = offset.startsWith('-') ? `+${offset[1]}` : `-${offset[1]}`;
    return [`:leveloffset: ${offset}`, '', ...included, '', `:leveloffset: ${back}`];
  });
}

function filled(text: string, attributes: ReadonlyMap<string, string>): string {
  return text.replace(/\{([\w-]{1,60})\}/g, (whole, name: string) => attributes.get(name) ?? whole);
}

/** Returns the source with its footnotes in brackets. */
function withFootnotes(source: string): string {
  return source.replace(
    /footnote:[\w-]{0,60}\[([^[\]]{1,2000})\]/g,
    (_note, text: string) => ` (${text.replace(/\s+/g, ' ')})`,
  );
}
