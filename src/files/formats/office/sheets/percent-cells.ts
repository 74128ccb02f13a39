/** Cells of an Excel sheet whose numbers people see as percents. Linear. */
import { attribute } from '../../xml/tree.ts';

/** Excel's own formats of percents: `0%` and `0.00%`. */
const OWN_FORMATS = new Set(['9', '10']);
/** Digits that a number keeps: those behind them are of its binary form. */
const DIGITS = 12;

/** Indices of the cell styles that show percents, from `xl/styles.xml`. */
export function percentStyles(xml: string): Set<string> {
  const formats = new Set(OWN_FORMATS);
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

/** References of the cells of a sheet that have one of the styles. */
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

/** 0.125 as `12.5%`. */
export function percentText(value: number): string {
  return `${Number((value * 100).toPrecision(DIGITS))}%`;
}

/** Quoted texts and escaped signs are shown as they are: their percent signs multiply nothing. */
function isPercent(code: string): boolean {
  return code.replace(/"[^"]*"|\\./g, '').includes('%');
}
