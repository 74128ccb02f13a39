/** Charts of Office files: what they are called, and the numbers that they show. */
import { attribute, childAt, childElements, findElements, readXml, textOf, type XmlElement } from '../xml/tree.ts';

/** Points of a series, and series of a chart, that are read. */
const POINTS_MAX = 1000;
const SERIES_MAX = 50;
/** Levels of categories. */
const LEVELS_MAX = 8;

export interface ChartText {
  /** Kind and title. */
  caption: string;
  /** Series as columns beside their categories; empty without cached values. */
  rows: string[][];
}

export function chartText(xml: string): ChartText {
  const chart = findElements(readXml(xml), 'chart')[0];
  const plot = childAt(chart, 'plotArea');
  const kinds = plot ? childElements(plot).filter(({ name }) => name.endsWith('Chart')) : [];
  const series = kinds.flatMap((kind) => childElements(kind, 'ser')).slice(0, SERIES_MAX);
  const columns = series.map((ser) => ({
    name: points(childAt(ser, 'tx'))[0] ?? '',
    categories: categoriesOf(childAt(ser, 'cat') ?? childAt(ser, 'xVal')),
    values: points(childAt(ser, 'val') ?? childAt(ser, 'yVal')),
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

/** "Line chart: Sales". */
function captionOf(element: string | undefined, text: string): string {
  const kind = (element ?? 'chart').replace(/3?D?Chart$/, '').toLowerCase();
  const label = kind === '' || kind === 'chart' ? 'Chart' : `${kind[0]!.toUpperCase()}${kind.slice(1)} chart`;
  return text === '' ? label : `${label}: ${text}`;
}

/** " (in k€)": what the numbers are, where the title and the names of the series do not say it. */
function unitsText(plot: XmlElement | undefined, said: string): string {
  const titles = plot ? childElements(plot, 'valAx').map((axis) => titleText(childAt(axis, 'title'))) : [];
  const news = titles.filter((text) => !said.includes(text));
  return news.length === 0 ? '' : ` (in ${news.join('; ')})`;
}

function titleText(title: XmlElement | undefined): string {
  if (!title) return '';
  const paragraphs = findElements(title, 'p').map((part) => findElements(part, 't').map(textOf).join(''));
  return paragraphs.join(' ').trim() || (points(childAt(title, 'tx'))[0] ?? '');
}

/** Of several levels the outer first: `2024 / North`. An outer one is told once and counts until the next. */
function categoriesOf(reference: XmlElement | undefined): string[] {
  const levels = reference ? findElements(reference, 'lvl').slice(0, LEVELS_MAX).map(points) : [];
  const [inner, ...outer] = levels;
  if (!inner) return points(reference);
  const filled = outer.map((level) => {
    let last = '';
    return inner.map((_, index) => (last = level[index] || last));
  });
  return inner.map((name, index) =>
    [...filled.map((level) => level[index]!).reverse(), name].filter(Boolean).join(' / '),
  );
}

/** Cached values of a reference, each at its index. */
function points(reference: XmlElement | undefined): string[] {
  if (!reference) return [];
  const values: string[] = [];
  for (const point of findElements(reference, 'pt')) {
    const index = Number(attribute(point, 'idx') || values.length);
    if (index >= 0 && index < POINTS_MAX) values[index] = textOf(childAt(point, 'v')).trim();
  }
  return Array.from(values, (value) => value ?? '');
}
