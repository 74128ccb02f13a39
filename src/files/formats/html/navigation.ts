/**
 * Finds the navigation of a page: menus, breadcrumbs, bars that lead to other pages, tables of contents, search boxes, headers
 * and footers of the site. Everything else is content.
 *
 * Tags and roles of elements decide first, then the share of links and the place of an element. Class names only support.
 */
import type { DomElement, DomNode } from './dom.ts';
import { BLOCKS, ELEMENT, hasBlockInside } from './elements.ts';
import { type Measure, type Measures, proseOf } from './measure.ts';

export interface Navigation {
  /** Nodes to leave out, in page order. None is inside another. */
  leftOut: DomNode[];
  /** True if the page consists of links, which are then not left out. */
  onlyLinks: boolean;
}

const NAVIGATION_ROLES = new Set(['navigation', 'search', 'menu', 'menubar', 'toolbar', 'dialog', 'doc-toc']);
const FRAME_ROLES = new Set(['banner', 'contentinfo']);
const SECTIONS = new Set(['MAIN', 'ARTICLE', 'SECTION']);
const TEASERS = new Set(['DIV', 'ASIDE', 'SECTION', 'UL', 'OL']);
/** Parts of a list of links. They are left out only together with the whole list. */
const PARTS = new Set(['LI', 'DT', 'DD', 'TR', 'TD', 'TH', 'TBODY', 'THEAD', 'TFOOT', 'CAPTION', 'SUMMARY', 'PRE']);
const FRAME_NAME = new RegExp(
  '(?:^|\\s)(?:(?:page|site|main|global|nav|top|bottom)[-_]?)?' +
    '(?:footer|header|masthead|banner|navbar|sidebar|title-?area|copyright|colophon)(?:\\s|$)',
  'i',
);
const CONTENTS_NAME = /(?:^|\s)(?:toc(?:tree)?|table-of-contents|contents|breadcrumbs?)(?:[-_]\w+)?(?:\s|$)/i;

/** Maximum prose of a frame (header, footer) without headings: a copyright notice, the name of the site. */
const FRAME_UNITS_MAX = 300;
/** Maximum prose of a frame with headings. */
const SIDE_UNITS_MAX = 60;
/** Maximum units of a search form. */
const FORM_UNITS_MAX = 150;
/** Maximum units of a bar that leads to other pages. */
const BAR_UNITS_MAX = 500;
const INNER_BAR_LINKS_MIN = 2;
/** Maximum units of a text between the links of a bar, such as "Previous". */
const BAR_WORD_UNITS_MAX = 10;
/** An element with at most this much prose before or after it is at the edge of the page. */
const EDGE_UNITS_MAX = 250;
/** Maximum prose before the title. With more, the content has begun before the title. */
const TITLE_BEFORE_UNITS_MAX = 600;
/** Maximum prose before a table of contents, for an abstract. */
const CONTENTS_BEFORE_UNITS_MAX = 1500;
/** Minimum share of linked units in a list of links. */
const LINKED_SHARE_MIN = 0.8;
const LIST_LINKS_MIN = 3;
/** Minimum number of links in a list at the end of the content, where a short "see also" is content. */
const LAST_LINKS_MIN = 5;
/** Maximum units of a text between the links of a list. A longer text is a sentence. */
const LIST_TEXT_UNITS_MAX = 60;
/** Maximum units of a text between links in an element that consists of links. */
const LINK_GAP_UNITS_MAX = 5;
/** A page with less prose outside its navigation is a page of links. */
const PAGE_PROSE_MIN = 80;
/** A page with less prose is a page of links if its lists have `LISTS_SHARE_MIN` times as many units as its prose. */
const LIST_PAGE_PROSE_MAX = 1500;
const LISTS_SHARE_MIN = 2;

/**
 * Returns the navigation in the body of a page, or in its article. `title` is never left out.
 *
 * @param isArticle true for an article, in which boxes of links lead to other articles or to buttons for sharing.
 */
export function findNavigation(
  body: DomElement,
  title: DomElement | undefined,
  measures: Measures,
  isArticle = false,
): Navigation {
  const frame = new Finder(body, title, measures, new Set());
  frame.look(body, (element, place) => frame.isFrame(element, place));
  const all = new Finder(body, title, measures, new Set(frame.leftOut));
  all.look(body, (element, place) => all.isLinks(element, place) || (isArticle && all.isTeaser(element)));
  const prose = all.remainingProse();
  const lists = all.unitsLeftOut() - frame.unitsLeftOut();
  const onlyLinks =
    lists > 0 && (prose < PAGE_PROSE_MIN || (prose < LIST_PAGE_PROSE_MAX && lists > prose * LISTS_SHARE_MIN));
  return { leftOut: onlyLinks ? all.withoutLists(frame.leftOut) : all.leftOut, onlyLinks };
}

interface Place {
  /** True inside `<main>`, `<article>` or `<section>`. */
  inSection: boolean;
  /** True inside the element that the page marks as its content. */
  inMain: boolean;
  beforeTitle: boolean;
}

type Test = (element: DomElement, place: Place) => boolean;

class Finder {
  readonly leftOut: DomNode[] = [];
  private readonly measures: Measures;
  private readonly alreadyLeftOut: ReadonlySet<DomNode>;
  private readonly title: DomElement | undefined;
  /** Left-out elements before the title. */
  private readonly beforeTitle = new Set<DomNode>();
  private readonly aroundTitle = new Set<DomNode>();
  private readonly prose: number;
  private readonly titleInMain: boolean;
  private titleSeen: boolean;

  constructor(
    body: DomElement,
    title: DomElement | undefined,
    measures: Measures,
    alreadyLeftOut: ReadonlySet<DomNode>,
  ) {
    this.measures = measures;
    this.alreadyLeftOut = alreadyLeftOut;
    this.title = title;
    for (let above = title ?? null; above; above = above.parentElement) this.aroundTitle.add(above);
    this.titleInMain = [...this.aroundTitle].some((node) => node !== title && isMain(node as DomElement));
    this.titleSeen = title === undefined || measures.get(title)!.before > TITLE_BEFORE_UNITS_MAX;
    this.prose = proseOf(measures.get(body)!);
  }

  /** Collects the outermost elements below `parent` that pass the test. */
  look(parent: DomElement, test: Test, place: Place = { inSection: false, inMain: false, beforeTitle: true }): void {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      const measure = node.nodeType === ELEMENT ? this.measures.get(node) : undefined;
      if (!measure || (measure.units === 0 && measure.fields === 0)) continue;
      const element = node as DomElement;
      if (this.alreadyLeftOut.has(element)) {
        this.leftOut.push(element);
        continue;
      }
      const here = { ...place, beforeTitle: !this.titleSeen };
      if (element === this.title) this.titleSeen = true;
      else if (!this.aroundTitle.has(element) && test(element, here)) this.leaveOut(element);
      else if (
        measure.links + measure.fields > 0 ||
        this.aroundTitle.has(element) ||
        !TEXT_TAGS.has(element.tagName.toUpperCase())
      ) {
        this.look(element, test, placeInside(element, here));
      }
    }
  }

  private leaveOut(element: DomElement): void {
    for (const part of withoutTags(element)) {
      this.leftOut.push(part);
      if (this.title && !this.titleSeen) this.beforeTitle.add(part);
    }
  }

  /** Returns the nodes to leave out if the lists after the title stay. */
  withoutLists(frame: readonly DomNode[]): DomNode[] {
    const inFrame = new Set(frame);
    return this.leftOut.filter((node) => inFrame.has(node) || this.beforeTitle.has(node));
  }

  /** True for a part that surrounds the content on every page of a site. */
  isFrame(element: DomElement, place: Place): boolean {
    const measure = this.measures.get(element)!;
    const tag = element.tagName.toUpperCase();
    const role = roleOf(element);
    const prose = proseOf(measure);
    const mostlyLinks = measure.linked * 2 >= measure.units;
    if (tag === 'NAV' || NAVIGATION_ROLES.has(role)) return prose <= FRAME_UNITS_MAX || mostlyLinks;
    if (tag === 'FORM' || tag === 'SEARCH') return measure.fields > 0 && measure.units <= FORM_UNITS_MAX;
    if (this.isBar(element, measure)) return true;
    if (place.beforeTitle && this.title && (tag === 'H1' || this.titleInMain) && !place.inMain) {
      if (prose <= FRAME_UNITS_MAX) return true;
    }
    if (place.inSection) return false;
    if (tag === 'HEADER' || tag === 'FOOTER' || FRAME_ROLES.has(role)) return prose <= FRAME_UNITS_MAX || mostlyLinks;
    if (tag === 'ASIDE' || role === 'complementary') return mostlyLinks;
    const named = tag === 'ADDRESS' || FRAME_NAME.test(namesOf(element));
    const outer = place.beforeTitle || (!this.title && measure.before <= EDGE_UNITS_MAX) || this.isAtEnd(measure);
    if (!named || !outer || !BLOCKS.has(tag) || PARTS.has(tag) || HEADING.test(tag)) return false;
    return (
      prose <= (measure.headings === 0 ? FRAME_UNITS_MAX : SIDE_UNITS_MAX) || (measure.headings < 2 && mostlyLinks)
    );
  }

  /** True for a list of links that is not part of the text. */
  isLinks(element: DomElement, place: Place): boolean {
    const measure = this.measures.get(element)!;
    const tag = element.tagName.toUpperCase();
    if (measure.links === 0 || measure.tables > 0) return false;
    const named = CONTENTS_NAME.test(namesOf(element));
    const linked = measure.linked >= measure.units * (named ? LINKED_SHARE_MIN / 2 : LINKED_SHARE_MIN);
    // A paragraph with other words is a sentence.
    if (HEADING.test(tag) || (tag === 'P' && measure.linked < measure.units)) return false;
    if (place.beforeTitle && this.title) return measure.linked * 2 >= measure.units && measure.units <= BAR_UNITS_MAX;
    if (this.isLinkSection(tag, measure)) return true;
    if (measure.outside * 2 > measure.links || measure.longest > LIST_TEXT_UNITS_MAX) return false;
    if (!linked || !BLOCKS.has(tag) || PARTS.has(tag)) return false;
    const early = measure.before <= CONTENTS_BEFORE_UNITS_MAX;
    const contents = (early && measure.fragments * 2 >= measure.links) || named;
    if (contents && measure.links > 1) return true;
    if (place.inMain) return false;
    if (measure.links < LIST_LINKS_MIN) return !place.inMain && this.isAtEnd(measure) && measure.headings === 0;
    return measure.before <= EDGE_UNITS_MAX || (measure.links >= LAST_LINKS_MIN && this.isAtEnd(measure));
  }

  /** True for a section that consists of a heading and links. */
  private isLinkSection(tag: string, { links, headings, longest, linked, units, headed }: Measure): boolean {
    const bare = longest <= LINK_GAP_UNITS_MAX && linked >= (units - headed) * LINKED_SHARE_MIN;
    return bare && headings === 1 && links >= LAST_LINKS_MIN && (tag === 'DIV' || tag === 'SECTION');
  }

  /** True for a box that consists of a heading and links, or of links at the edge of the page. */
  isTeaser(element: DomElement): boolean {
    const measure = this.measures.get(element)!;
    const { links, headings, tables, longest, linked, units, headed } = measure;
    if (!TEASERS.has(element.tagName.toUpperCase()) || links === 0 || tables > 0) return false;
    const onlyLinks = longest <= LIST_TEXT_UNITS_MAX && linked >= (units - headed) * LINKED_SHARE_MIN;
    return onlyLinks && (headings > 0 || (links >= LIST_LINKS_MIN && this.isAtEdge(measure)));
  }

  /** Returns the units of prose outside the left-out nodes. */
  remainingProse(): number {
    return this.measured().reduce((prose, measure) => prose - proseOf(measure), this.prose);
  }

  unitsLeftOut(): number {
    return this.measured().reduce((sum, { units }) => sum + units, 0);
  }

  /** Returns the measures of the left-out elements. Text between tags and other parts has none. */
  private measured(): Measure[] {
    return this.leftOut.flatMap((node) => this.measures.get(node) ?? []);
  }

  /**
   * True for a short element, if half of its links or more lead to neighbouring pages. It must be at the edge of the page, or consist of
   * several links whose attributes say this: a page that is a whole manual has such a bar above each section.
   */
  private isBar(element: DomElement, measure: Measure): boolean {
    const tag = element.tagName.toUpperCase();
    if (measure.turning === 0 || measure.turning * 2 < measure.links) return false;
    if (!BLOCKS.has(tag) && !(tag === 'A' && isAlone(element))) return false;
    const short = measure.units <= BAR_UNITS_MAX && proseOf(measure) <= FRAME_UNITS_MAX;
    // A paragraph with other words is a sentence.
    const isText = measure.longest > (tag === 'P' ? BAR_WORD_UNITS_MAX : LIST_TEXT_UNITS_MAX);
    return short && !isText && measure.headings === 0 && (isInnerBar(measure) || this.isAtEdge(measure));
  }

  private isAtEdge(measure: Measure): boolean {
    return measure.before <= EDGE_UNITS_MAX || this.isAtEnd(measure);
  }

  private isAtEnd(measure: Measure): boolean {
    return this.prose - measure.before - proseOf(measure) <= EDGE_UNITS_MAX;
  }
}

/** True for a bar that may stand anywhere. One marked link, or a text or table beside the links, may be content. */
function isInnerBar({ marked, links, longest, tables }: Measure): boolean {
  return marked >= INNER_BAR_LINKS_MIN && marked * 2 >= links && longest <= BAR_WORD_UNITS_MAX && tables === 0;
}

/** Elements that contain no navigation if they have no links and fields. */
const TEXT_TAGS = new Set(['P', 'UL', 'OL', 'TABLE', 'PRE', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6']);
const HEADING = /^H[1-6]$/;

function placeInside(element: DomElement, place: Place): Place {
  const tag = element.tagName.toUpperCase();
  const inMain = place.inMain || isMain(element);
  return { ...place, inMain, inSection: inMain || place.inSection || SECTIONS.has(tag) };
}

/** True if a link is outside of any paragraph. */
function isAlone(link: DomElement): boolean {
  return /^(?:DIV|BODY|TD|CENTER)$/i.test(link.parentElement?.tagName ?? '');
}

function isMain(element: DomElement): boolean {
  return /^(?:MAIN|ARTICLE)$/i.test(element.tagName) || roleOf(element) === 'main';
}

/** Tags of a page are links with `rel="tag"`. */
const TAG_LINK = 'a[rel~="tag"]';
/** An element with more tags is the list of all tags of the site. */
const TAGS_MAX = 20;

/** Returns the parts of left-out navigation around the tags of the page, or the whole element if it has no tags. */
function withoutTags(element: DomElement): DomNode[] {
  const tags = element.querySelectorAll(TAG_LINK).length;
  if (tags === 0 || tags > TAGS_MAX) return [element];
  if (!hasBlockInside(element)) return [];
  const parts: DomNode[] = [];
  for (let node = element.firstChild; node; node = node.nextSibling)
    parts.push(...(node.nodeType === ELEMENT ? withoutTags(node as DomElement) : [node]));
  return parts;
}

function roleOf(element: DomElement): string {
  return element.getAttribute('role')?.trim().toLowerCase() ?? '';
}

/** Returns class and id. */
function namesOf(element: DomElement): string {
  return `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;
}
