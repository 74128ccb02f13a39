/** Counts text, links and input fields of each element of a page, in one pass. */
import type { DomElement, DomNode } from './dom.ts';
import { ELEMENT, HEADING_TAG, hasBlockInside, isSkipped, TEXT } from './elements.ts';

/** The counts of an element before its descendants are added. Units are letters and digits (UTF-16). */
const NOTHING = {
  units: 0,
  /** Units inside links. */
  linked: 0,
  links: 0,
  /** Links within the page. */
  fragments: 0,
  /** Links to other sites. */
  outside: 0,
  /** Links to the previous, next, upper or first page. */
  turning: 0,
  /** Those that say so in an attribute. The text of another link may be "next" by chance. */
  marked: 0,
  headings: 0,
  /** Units in headings. They are not prose. */
  headed: 0,
  fields: 0,
  /** Tables with columns. */
  tables: 0,
};
const COUNTS = Object.keys(NOTHING) as (keyof typeof NOTHING)[];

export type Measure = typeof NOTHING & {
  /** Units of the longest text without a link. */
  longest: number;
  /** Units of prose before the element. */
  before: number;
};

export type Measures = ReadonlyMap<DomNode, Measure>;

/** Returns the units that are neither in links nor in headings. */
export function proseOf({ units, linked, headed }: Measure): number {
  return Math.max(0, units - linked - headed);
}

const TABLE = new Set(['TABLE']);
const ROW_GROUPS = new Set(['TBODY', 'THEAD', 'TFOOT']);
const FIELDS = new Set(['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON']);
const TURNING_KEYS = new Set(['p', 'n', 'u', 'h']);
const TURNING_RELS = new Set('prev previous next up start home contents index first last'.split(' '));
const TURNING_TEXT = /^\W*(?:prev(?:ious)?|next|up|home|top|contents|index|back)\W*$|^\s*[«»‹›←→↑<>]+\s*$/i;
/** A longer link text does not count as the name of a direction. */
const TURNING_UNITS_MAX = 30;

/** Returns the measures of `root` and of every visible element in `root`. `host` is the host of the page's address. */
export function measurePage(root: DomElement, host: string | undefined): Measures {
  const measures = new Map<DomNode, Measure>();
  let prose = 0;
  const visit = (element: DomElement, insideLink: boolean, insideHeading: boolean): Measure => {
    const tag = element.tagName.toUpperCase();
    const measure: Measure = { ...NOTHING, longest: 0, before: prose };
    measures.set(element, measure);
    const href = tag === 'A' ? hrefOf(element) : null;
    const linked = insideLink || href !== null;
    const headed = insideHeading || HEADING_TAG.test(tag);
    for (let node = element.firstChild; node; node = node.nextSibling) {
      if (node.nodeType === TEXT) {
        const units = wordUnits(node.nodeValue ?? '');
        measure.units += units;
        if (linked) measure.linked += units;
        else if (headed) measure.headed += units;
        else {
          prose += units;
          measure.longest = Math.max(measure.longest, units);
        }
      } else if (node.nodeType === ELEMENT) {
        const child = node as DomElement;
        if (FIELDS.has(child.tagName.toUpperCase())) measure.fields += 1;
        if (!isSkipped(child)) addTo(measure, visit(child, linked, headed));
      }
    }
    if (href !== null) countLink(measure, element, href, host);
    if (HEADING_TAG.test(tag)) measure.headings += 1;
    if (tag === 'TABLE' && hasColumns(element)) measure.tables += 1;
    return measure;
  };
  visit(root, false, false);
  return measures;
}

/** Returns the address of a link: "" for a button (no address, no name), null for the target of links. */
function hrefOf(link: DomElement): string | null {
  const named = link.hasAttribute('name') || link.hasAttribute('id');
  return link.getAttribute('href') ?? (named ? null : '');
}

function addTo(sum: Measure, part: Measure): void {
  for (const name of COUNTS) sum[name] += part[name];
  sum.longest = Math.max(sum.longest, part.longest);
}

function countLink(measure: Measure, link: DomElement, href: string, host: string | undefined): void {
  measure.links += 1;
  if (href.startsWith('#')) measure.fragments += 1;
  else if (/^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(href) && URL.parse(href, 'http://x')?.host !== host) {
    measure.outside += 1;
  }
  const marked = isMarked(link);
  if (marked) measure.marked += 1;
  if (marked || (measure.units <= TURNING_UNITS_MAX && TURNING_TEXT.test(link.textContent ?? ''))) measure.turning += 1;
}

function isMarked(link: DomElement): boolean {
  const key = link.getAttribute('accesskey')?.toLowerCase() ?? '';
  const rels = link.getAttribute('rel')?.toLowerCase().split(/\s+/) ?? [];
  return TURNING_KEYS.has(key) || rels.some((rel) => TURNING_RELS.has(rel));
}

/** True for a table with at least two rows of several cells, and without a table inside. */
function hasColumns(table: DomElement): boolean {
  return wideRows(table, 2) > 1 && !hasBlockInside(table, TABLE);
}

/** Counts rows of several cells, up to `enough`. */
function wideRows(part: DomElement, enough: number): number {
  let rows = 0;
  for (let node = part.firstChild; node && rows < enough; node = node.nextSibling) {
    if (node.nodeType !== ELEMENT) continue;
    const tag = (node as DomElement).tagName.toUpperCase();
    if (tag === 'TR' && (node as DomElement).children.length > 1) rows += 1;
    else if (ROW_GROUPS.has(tag)) rows += wideRows(node as DomElement, enough - rows);
  }
  return rows;
}

/** Counts letters and digits of any script. Signs, as between links, do not count. */
function wordUnits(text: string): number {
  let units = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      const letter = code | 0x20;
      if ((letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39)) units += 1;
    } else if (code >= 0xc0 && (code < 0x2000 || code >= 0x2c00)) units += 1;
  }
  return units;
}
