/** What single elements of HTML say: the language of code, marks of notes, contacts behind links. */
import type { DomElement } from './dom.ts';

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
export const CODE_LANGUAGE = 'data-lang';

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
