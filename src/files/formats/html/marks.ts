/** What single elements of HTML say: the language of code, marks of notes, contacts behind links. */
import type { DomElement } from './dom.ts';
import { countInside, HEADINGS } from './elements.ts';

/** Names of languages as pages and highlighters write them: `language-js`, `lang-js`, `highlight-source-js`, `brush: js`. */
const LANGUAGE_CLASS = /(?:^|\s)(?:language-|lang-|highlight-source-|sourceCode |brush:\s?)([\w+#.-]{1,30})/;
/** Highlighters wrap the code. */
const LANGUAGE_STEPS = 3;

/** The language of a `<pre>`, "" when the page does not say. */
export function codeLanguage(pre: DomElement): string {
  const known = pre.getAttribute(CODE_LANGUAGE) ?? pre.querySelector('code')?.getAttribute(CODE_LANGUAGE);
  if (known) return /^[\w+#.-]{1,30}$/.test(known) ? known : '';
  const around: (DomElement | null)[] = [pre.querySelector('code')];
  for (
    let element: DomElement | null = pre;
    element && around.length <= LANGUAGE_STEPS;
    element = element.parentElement
  )
    around.push(element);
  for (const element of around) {
    const found = LANGUAGE_CLASS.exec(element?.getAttribute('class') ?? '')?.[1];
    if (found && !/^(?:none|plaintext|text)$/.test(found)) return found;
  }
  return '';
}

/** Where a page names the language of its code, too. */
const CODE_LANGUAGE = 'data-lang';

/** The mark of a footnote, which would stand at the end of the word before it. */
export function noteMark(link: DomElement): string {
  if (!(link.getAttribute('href') ?? '').includes('#')) return '';
  const number = /^\s*\[?(\d{1,3})\]?\s*$/.exec(link.textContent ?? '')?.[1];
  if (number === undefined) return '';
  const raised = /^SUP$/i.test(link.parentElement?.tagName ?? '') || link.querySelector('sup') !== null;
  const named = link.getAttribute('epub:type') === 'noteref' || link.getAttribute('role') === 'doc-noteref';
  return raised || named ? `[^${number}]` : '';
}

const NO_CONTACT = /[^\p{L}\p{N}@.]/gu;

/** The mail address or telephone number that a link does not show. Addresses of pages stand beside the text (links.ts). */
export function contactOf(link: DomElement): string {
  const [, contact = ''] = /^\s*(?:mailto|tel):([^?\s]{3,100})/i.exec(link.getAttribute('href') ?? '') ?? [];
  if (contact === '') return '';
  const [shown, wanted] = [link.textContent ?? '', contact].map((text) => text.replace(NO_CONTACT, '').toLowerCase());
  return shown!.includes(wanted!) ? '' : ` (${contact})`;
}

/** Signs that pages put beside a heading, as a link to it. */
const PERMALINK_SIGN = /^(?:[\s¶#§◆⚓🔗∞☍¤⁋🔖\u200b]|\ufe0f)*$/u;
const PERMALINK_WORDS = /^\s*(?:permanent link|permalink|(?:direct )?link|anchor)(?: to this (?:\w+ ?){1,3})?\W*$/i;
const PERMALINK_UNITS_MAX = 40;

/** Whether a link leads only to the place where it stands: `¶`, or any sign without letters in a heading. */
export function isPermalink(link: DomElement, inHeading: boolean): boolean {
  const href = link.getAttribute('href') ?? '';
  if (!href.includes('#') && !/action=edit|\/edit\//.test(href)) return false;
  const text = link.textContent ?? '';
  if (text.length > PERMALINK_UNITS_MAX || (link.querySelector('img') && text.trim() === '')) return false;
  if (!href.includes('#')) return inHeading;
  return PERMALINK_SIGN.test(text) || (inHeading && (PERMALINK_WORDS.test(text) || !/[\p{L}\p{N}]/u.test(text)));
}

const NOTE_NAME =
  /(?:^|\s)(?:admonition(?:block)?|note|warning|tip|caution|important|danger|hint|attention|callout|sidebar(?:block)?|infobox|example(?:block)?|alert)(?:[-_][\w-]+)?(?:\s|$)/i;
/** Elements with more headings are sections. */
const NOTE_HEADINGS_MAX = 2;

/** Whether an element stands beside the text: a note, a warning, a box at the side. */
export function isNote(element: DomElement): boolean {
  const named = NOTE_NAME.test(element.getAttribute('class') ?? '') || element.getAttribute('role') === 'note';
  if (!named && !/^ASIDE$/i.test(element.tagName)) return false;
  return countInside(element, HEADINGS, NOTE_HEADINGS_MAX + 1) <= NOTE_HEADINGS_MAX;
}
