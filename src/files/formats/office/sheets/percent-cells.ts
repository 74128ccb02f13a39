/** Finds the cells of an Excel sheet whose numbers are shown as percents. Linear. */
import { attribute } from '../../xml/tree.ts';

/** Ids of the built-in percent formats `0%` and `0.00%`. */
const BUILT_IN_FORMATS = new Set(['9', '10']);
/** Significant digits of a number. Further digits come from its binary form. */
const DIGITS = 12;

/** Returns the indices of the cell styles that show percents. `xml` is `xl/styles.xml`. */
export function percentStyles(xml: string): Set<string> {
  const formats = new Set(BUILT_IN_FORMATS);
  for (const [, head = ''] of xml.matchAll(/<(?:\w{1,40}:)?numFmt\s([^<>]*)>/g)) {
    if (isPercent(attribute({ head: ` ${head}` }, 'formatCode')))
      formats.add(attribute({ head: ` ${head}` }, 'numFmtId'));
  }
  const cells = /<(?:\w{1,40}:)?cellXfs[\s>]/.exec(xml);
  const end = xml.search(/<\/(?:\w{1,40}:)?cellXfs>/);
  const styles = new Set<string>();
  if (!cells || end === -1) return styles;
  const formatted = xml.slice(cells.index, end).matchAll(/<(?:\w{1,40}:)?xf\s([^<>]*)>/g);
  for (const [index, [, head = '']] of [...formatted].entries()) {
    if (formats.has(attribute({ head: ` ${head}` }, 'numFmtId'))) styles.add(String(index));
  }
  return styles;
}

/** Returns the references of the cells of a sheet that have one of the styles. */
export function percentCells(xml: string, styles: ReadonlySet<string>): Set<string> {
  const refs = new Set<string>();
  if (styles.size === 0) return refs;
  for (const [, head = ''] of xml.matchAll(/<(?:\w{1,40}:)?c\s([^<>]*)>/g)) {
    const style = /(?:^|\s)s="(\d+)"/.exec(head)?.[1];
    const ref =
      style !== undefined && styles.has(style) ? /(?:^|\s)r="([A-Z]{1,3}\d{1,7})"/.exec(head)?.[1] : undefined;
    if (ref !== undefined) refs.add(ref);
  }
  return refs;
}

/** Returns a number as percents: 0.125 gives `12.5%`. */
export function percentText(value: number): string {
  return `${Number((value * 100).toPrecision(DIGITS))}%`;
}

/** True if a format code shows percents. A percent sign that is quoted or escaped is only text. */
function isPercent(code: string): boolean {
  return code.replace(/"[^"]*"|\\./g, '').includes('%');
}
