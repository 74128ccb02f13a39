/**
 * What of a page is navigation: menus, breadcrumbs, bars that lead to other pages, tables of contents, search boxes,
 * headers and footers of the site. Everything else is content.
 *
 * Elements and roles decide, then how much of an element is links, and where it stands. Names of classes only support.
 */
import type { DomElement, DomNode } from './dom.ts';
import { BLOCKS, ELEMENT } from './elements.ts';
import { type Measure, type Measures, proseOf } from './measure.ts';

/** Elements of a page that are left out, in page order; none is inside another. */
export interface Navigation {
  leftOut: DomNode[];
  /** The page holds nothing but links: these were kept. */
  onlyLinks: boolean;
}

const NAVIGATION_ROLES = new Set(['navigation', 'search', 'menu', 'menubar', 'toolbar', 'dialog', 'doc-toc']);
const FRAME_ROLES = new Set(['banner', 'contentinfo']);
const SECTIONS = new Set(['MAIN', 'ARTICLE', 'SECTION']);
const BOXES = new Set(['DIV', 'TABLE', 'CENTER']);
const TEASERS = new Set(['DIV', 'ASIDE', 'SECTION', 'UL', 'OL']);
/** Parts of a link list. They are left out only together with it. */
const PARTS = new Set(['LI', 'DT', 'DD', 'TR', 'TD', 'TH', 'TBODY', 'THEAD', 'TFOOT', 'CAPTION', 'SUMMARY', 'PRE']);
const FRAME_NAME =
  /(?:^|\s)(?:(?:page|site|main|global|nav|top|bottom)[-_]?)?(?:footer|header|masthead|banner|navbar|sidebar|title-?area|copyright|colophon)(?:\s|$)/i;
const CONTENTS_NAME = /(?:^|\s)(?:toc(?:tree)?|table-of-contents|contents|breadcrumbs?)(?:[-_]\w+)?(?:\s|$)/i;

/** Units of prose that the frame of a page may hold: a copyright notice, the name of the site. */
const FRAME_UNITS_MAX = 300;
/** … and that a part of the frame with headings may hold. */
const SIDE_UNITS_MAX = 60;
/** Units of a search form. */
const FORM_UNITS_MAX = 150;
/** Units of a bar that leads to other pages. */
const BAR_UNITS_MAX = 500;
/** Units of prose that may stand between an element and the beginning or the end of the page. */
const EDGE_UNITS_MAX = 250;
/** Units of prose in front of the title; behind more, the page has begun before it. */
const TITLE_BEFORE_UNITS_MAX = 600;
/** Units of prose in front of a table of contents: an abstract. */
const CONTENTS_BEFORE_UNITS_MAX = 1500;
/** The share of links from which on an element is a list of links. */
const LINKED_SHARE_MIN = 0.8;
/** Links that make a list in the midst of content. */
const LIST_LINKS_MIN = 3;
/** Links that make a list at the end of content, where "see also" stands, too. */
const LAST_LINKS_MIN = 5;
/** Units of a text between links; a longer one is a sentence. */
const LIST_TEXT_UNITS_MAX = 60;
/** Units between links that are nothing but links. */
const LINK_GAP_UNITS_MAX = 5;
/** A page whose rest has fewer units of prose is a page of links. */
const PAGE_PROSE_MIN = 80;
/** … and so is one with a little more prose, and this many times as much in lists of links. */
const LIST_PAGE_PROSE_MAX = 300;
const LISTS_SHARE_MIN = 4;

/**
 * The navigation in the body of a page, or in its article. `title` is never left out.
 *
 * @param isArticle In an article of the web, boxes of links lead to other articles, or to where it can be shared.
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
  const kept = all.proseLeft();
  const lists = all.unitsLeftOut() - frame.unitsLeftOut();
  const onlyLinks =
    lists > 0 && (kept < PAGE_PROSE_MIN || (kept < LIST_PAGE_PROSE_MAX && lists > kept * LISTS_SHARE_MIN));
  return { leftOut: onlyLinks ? all.withoutLists(frame.leftOut) : all.leftOut, onlyLinks };
}

interface Place {
  /** Inside `<main>`, `<article>` or `<section>`. */
  inSection: boolean;
  /** Inside what the page marks as its content. */
  inMain: boolean;
  beforeTitle: boolean;
}

type Test = (element: DomElement, place: Place) => boolean;

class Finder {
  readonly leftOut: DomNode[] = [];
  private readonly measures: Measures;
  private readonly known: ReadonlySet<DomNode>;
  private readonly title: DomElement | undefined;
  /** Elements in front of the title. */
  private readonly early = new Set<DomNode>();
  private readonly aroundTitle = new Set<DomNode>();
  private readonly prose: number;
  private readonly titleInMain: boolean;
  private titleSeen: boolean;

  /** `known` is left out already. */
  constructor(body: DomElement, title: DomElement | undefined, measures: Measures, known: ReadonlySet<DomNode>) {
    this.measures = measures;
    this.known = known;
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
      if (this.known.has(element)) {
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
        this.look(element, test, inside(element, here));
      }
    }
  }

  private leaveOut(element: DomElement): void {
    const before = element.previousElementSibling;
    const next = element.nextElementSibling;
    const heads = before && before !== this.title && HEADING.test(before.tagName.toUpperCase());
    // Nothing is left for the heading to head.
    if (heads && (!next || HEADING.test(next.tagName.toUpperCase()))) this.leftOut.push(before);
    this.leftOut.push(element);
    if (this.title && !this.titleSeen) this.early.add(element);
  }

  /** What is left out when the lists behind the title are kept. */
  withoutLists(frame: readonly DomNode[]): DomNode[] {
    const kept = new Set(frame);
    return this.leftOut.filter((node) => kept.has(node) || this.early.has(node));
  }

  /** Parts that are around the content on every page of a site. */
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
    if (this.titleInMain && !place.inMain && this.isLinks(element, place)) return true;
    if (place.inSection) return false;
    if (tag === 'HEADER' || tag === 'FOOTER' || FRAME_ROLES.has(role)) return prose <= FRAME_UNITS_MAX || mostlyLinks;
    if (tag === 'ASIDE' || role === 'complementary') return mostlyLinks;
    if (!this.title && BOXES.has(tag) && measure.before <= EDGE_UNITS_MAX && measure.links >= LIST_LINKS_MIN) {
      if (measure.headings === 0 && mostlyLinks && prose <= FRAME_UNITS_MAX) return true;
    }
    const named = tag === 'ADDRESS' || FRAME_NAME.test(namesOf(element));
    const outer = place.beforeTitle || (!this.title && measure.before <= EDGE_UNITS_MAX) || this.isAtEnd(measure);
    if (!named || !outer || !BLOCKS.has(tag) || PARTS.has(tag) || HEADING.test(tag)) return false;
    return (
      prose <= (measure.headings === 0 ? FRAME_UNITS_MAX : SIDE_UNITS_MAX) || (measure.headings < 2 && mostlyLinks)
    );
  }

  /** Lists of links, where they are not part of the text. */
  isLinks(element: DomElement, place: Place): boolean {
    const measure = this.measures.get(element)!;
    const tag = element.tagName.toUpperCase();
    if (measure.links === 0 || measure.tables > 0) return false;
    const named = CONTENTS_NAME.test(namesOf(element));
    const linked = measure.linked >= measure.units * (named ? LINKED_SHARE_MIN / 2 : LINKED_SHARE_MIN);
    if (HEADING.test(tag)) return false;
    if (place.beforeTitle && this.title) return measure.linked * 2 >= measure.units && measure.units <= BAR_UNITS_MAX;
    if (this.isLinkSection(tag, measure)) return true;
    if (measure.outside * 2 > measure.links || measure.longest > LIST_TEXT_UNITS_MAX) return false;
    if (!linked || !BLOCKS.has(tag) || PARTS.has(tag)) return false;
    if (tag === 'P' && measure.linked < measure.units) return false;
    const early = measure.before <= CONTENTS_BEFORE_UNITS_MAX;
    const contents = (early && measure.fragments * 2 >= measure.links) || named;
    if (contents && measure.links > 1) return true;
    if (measure.links < LIST_LINKS_MIN) return !place.inMain && this.isAtEnd(measure) && measure.headings === 0;
    return measure.before <= EDGE_UNITS_MAX || (measure.links >= LAST_LINKS_MIN && this.isAtEnd(measure));
  }

  /** A heading with nothing but links. */
  private isLinkSection(tag: string, { links, headings, longest, linked, units, headed }: Measure): boolean {
    const bare = longest <= LINK_GAP_UNITS_MAX && linked >= (units - headed) * LINKED_SHARE_MIN;
    return bare && headings === 1 && links >= LAST_LINKS_MIN && (tag === 'DIV' || tag === 'SECTION');
  }

  /** A box with a heading and links, or with links at the edge. */
  isTeaser(element: DomElement): boolean {
    const measure = this.measures.get(element)!;
    const { links, headings, tables, longest, linked, units, headed } = measure;
    if (!TEASERS.has(element.tagName.toUpperCase()) || links === 0 || tables > 0) return false;
    const onlyLinks = longest <= LIST_TEXT_UNITS_MAX && linked >= (units - headed) * LINKED_SHARE_MIN;
    return onlyLinks && (headings > 0 || (links >= LIST_LINKS_MIN && this.isAtEdge(measure)));
  }

  /** Prose that is not left out. */
  proseLeft(): number {
    return this.leftOut.reduce((left, node) => left - proseOf(this.measures.get(node)!), this.prose);
  }

  unitsLeftOut(): number {
    return this.leftOut.reduce((sum, node) => sum + this.measures.get(node)!.units, 0);
  }

  /** A short element at the edge of the page, half of whose links or more lead on or back. */
  private isBar(element: DomElement, measure: Measure): boolean {
    const tag = element.tagName.toUpperCase();
    if (measure.turning === 0 || measure.turning * 2 < measure.links) return false;
    if (!BLOCKS.has(tag) && !(tag === 'A' && isAlone(element))) return false;
    const short = measure.units <= BAR_UNITS_MAX && proseOf(measure) <= FRAME_UNITS_MAX;
    return short && measure.headings === 0 && this.isAtEdge(measure);
  }

  private isAtEdge(measure: Measure): boolean {
    return measure.before <= EDGE_UNITS_MAX || this.isAtEnd(measure);
  }

  private isAtEnd(measure: Measure): boolean {
    return this.prose - measure.before - proseOf(measure) <= EDGE_UNITS_MAX;
  }
}

/** Without links and fields, these hold no navigation. */
const TEXT_TAGS = new Set(['P', 'UL', 'OL', 'TABLE', 'PRE', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6']);
const HEADING = /^H[1-6]$/;

function inside(element: DomElement, place: Place): Place {
  const tag = element.tagName.toUpperCase();
  const inMain = place.inMain || isMain(element);
  return { ...place, inMain, inSection: inMain || place.inSection || SECTIONS.has(tag) };
}

/** Whether a link stands in no paragraph. */
function isAlone(link: DomElement): boolean {
  return /^(?:DIV|BODY|TD|CENTER)$/i.test(link.parentElement?.tagName ?? '');
}

function isMain(element: DomElement): boolean {
  return /^(?:MAIN|ARTICLE)$/i.test(element.tagName) || roleOf(element) === 'main';
}

function roleOf(element: DomElement): string {
  return element.getAttribute('role')?.trim().toLowerCase() ?? '';
}

/** Class and id. */
function namesOf(element: DomElement): string {
  return `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`;
}
