/** Reads charts of Office files: their captions, and their cached values as rows of a table. */
import { attribute, childAt, childElements, findElements, readXml, textOf, type XmlElement } from '../xml/tree.ts';
import { DAY0, DAY0_1904, type Day0, formatOf, numberText, shownNumber } from './sheets/cell-formats.ts';

/** Maximum number of points of a series, and of series of a chart. */
const POINTS_MAX = 1000;
const SERIES_MAX = 50;
/** Maximum number of levels of categories. */
const LEVELS_MAX = 8;

export interface ChartText {
  /** Kind and title of the chart. */
  caption: string;
  /** Rows with a category and the values of all series; empty if the file has no cached values. */
  rows: string[][];
}

export function chartText(xml: string): ChartText {
  const root = readXml(xml);
  const chart = findElements(root, 'chart')[0];
  const from1904 = findElements(root, 'date1904')[0];
  const day0 = from1904 && attribute(from1904, 'val') !== '0' ? DAY0_1904 : DAY0;
  const plot = childAt(chart, 'plotArea');
  const kinds = plot ? childElements(plot).filter(({ name }) => name.endsWith('Chart')) : [];
  const series = kinds.flatMap((kind) => childElements(kind, 'ser')).slice(0, SERIES_MAX);
  const columns = series.map((ser) => ({
    name: points(childAt(ser, 'tx'))[0] ?? '',
    categories: categoriesOf(childAt(ser, 'cat') ?? childAt(ser, 'xVal'), day0),
    values: points(childAt(ser, 'val') ?? childAt(ser, 'yVal'), day0),
  }));
  const categories = columns.find((column) => column.categories.length > 0)?.categories ?? [];
  const length = Math.max(categories.length, ...columns.map((column) => column.values.length), 0);
  const rows = Array.from({ length }, (_, index) => [
    categories[index] ?? '',
    ...columns.map((column) => column.values[index] ?? ''),
  ]);
  const caption = captionOf(kinds[0]?.name, titleText(childAt(chart, 'title')));
  const header = ['', ...columns.map((column) => column.name)];
  return {
    caption: caption + unitsText(plot, [caption, ...header].join('\n')),
    rows: rows.length > 0 ? [header, ...rows] : [],
  };
}

/** Returns a caption such as "Line chart: Sales". */
function captionOf(element: string | undefined, text: string): string {
  const kind = (element ?? 'chart').replace(/3?D?Chart$/, '').toLowerCase();
  const label = kind === '' || kind === 'chart' ? 'Chart' : `${kind[0]!.toUpperCase()}${kind.slice(1)} chart`;
  return text === '' ? label : `${label}: ${text}`;
}

/** Returns the titles of the value axes, such as " (in k€)", unless the caption or the header (`other`) contains them. */
function unitsText(plot: XmlElement | undefined, other: string): string {
  const titles = plot ? childElements(plot, 'valAx').map((axis) => titleText(childAt(axis, 'title'))) : [];
  const units = titles.filter((text) => !other.includes(text));
  return units.length === 0 ? '' : ` (in ${units.join('; ')})`;
}

function titleText(title: XmlElement | undefined): string {
  if (!title) return '';
  const paragraphs = findElements(title, 'p').map((part) => findElements(part, 't').map(textOf).join(''));
  return paragraphs.join(' ').trim() || (points(childAt(title, 'tx'))[0] ?? '');
}

/** Returns the categories, with the outer level first: `2024 / North`. An outer category holds until the next one. */
function categoriesOf(reference: XmlElement | undefined, day0: Day0): string[] {
  const levels = reference
    ? findElements(reference, 'lvl')
        .slice(0, LEVELS_MAX)
        .map((level) => points(level))
    : [];
  const [inner, ...outer] = levels;
  if (!inner) return points(reference, day0);
  const filled = outer.map((level) => {
    let last = '';
    return inner.map((_, index) => (last = level[index] || last));
  });
  return inner.map((name, index) =>
    [...filled.map((level) => level[index]!).reverse(), name].filter(Boolean).join(' / '),
  );
}

/** Returns the cached values of a reference, each at its index. Numbers are written in their format. */
function points(reference: XmlElement | undefined, day0: Day0 = DAY0): string[] {
  if (!reference) return [];
  const cache = findElements(reference, 'numCache')[0];
  const format = formatOf(textOf(childAt(cache, 'formatCode')));
  const shown = (text: string) => {
    const number = text === '' || !cache ? Number.NaN : Number(text);
    if (!Number.isFinite(number)) return text;
    return format === undefined ? numberText(number) : shownNumber(number, format, day0);
  };
  const values: string[] = [];
  for (const point of findElements(reference, 'pt')) {
    const index = Number(attribute(point, 'idx') || values.length);
    if (index >= 0 && index < POINTS_MAX) values[index] = shown(textOf(childAt(point, 'v')).trim());
  }
  return Array.from(values, (value) => value ?? '');
}
