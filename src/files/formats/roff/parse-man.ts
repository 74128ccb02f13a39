/** Parses manual pages in roff, with the macros of man(7) or mdoc(7). */
import type { ParsedFile } from '../../parsed.ts';
import { OutlineWriter } from '../outline-writer.ts';
import { TextBuilder } from '../text-builder.ts';
import { Flow } from './flow.ts';
import { isManMacro, ManPage } from './man-macros.ts';
import { isMdocMacro, MdocPage } from './mdoc-macros.ts';
import { RoffReader } from './reader.ts';

/** Parses a page; never fails for bad markup. A page with only `.so other` names the other page. */
export function parseMan(source: string): ParsedFile {
  const isMdoc = /^[.'][ \t]*(?:Dd|Dt|Sh)\b/m.test(source.slice(0, HEAD_UNITS));
  const builder = new TextBuilder();
  const writer = new OutlineWriter(builder);
  const flow = new Flow(writer);
  const reader = new RoffReader(source, isMdoc ? isMdocMacro : isManMacro);
  const page = isMdoc ? new MdocPage(reader, flow) : new ManPage(reader, flow);
  const warnings: string[] = [];
  for (let line = reader.next(); line; line = reader.next()) {
    if (line.name === 'so')
      warnings.push(`The page includes ${line.args[0] ?? 'another file'}, which is read separately.`);
    page.line(line);
  }
  if (page instanceof MdocPage) page.end();
  flow.close();
  writer.end();
  const title = page.title === '' ? undefined : page.title;
  return builder.file('txt', { title }, { warnings });
}

/** UTF-16 units in which the macros of a page are detected, after its licence. */
const HEAD_UNITS = 20_000;
