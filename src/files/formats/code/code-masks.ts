/** Replaces by blanks what the grammar of a language does not know. The places of the rest stay the same. */

/** A script of a component. Values in quotes may have a `>`: `generic="T extends Record<string, number>"`. */
const SCRIPT = /^[ \t]*<script\b(?:[^>"'\n]|"[^"\n]{0,500}"|'[^'\n]{0,500}'){0,500}>/gm;

/** Returns the text with blanks for all that is outside of scripts. The places of the scripts stay the same. */
export function scriptsAlone(text: string): string {
  let from = 0;
  let masked = '';
  for (const { index, 0: opening } of text.matchAll(SCRIPT)) {
    if (index < from) continue;
    const end = text.indexOf('</script>', index);
    if (end === -1) break;
    const start = index + opening.length;
    masked += blank(text.slice(from, start)) + text.slice(start, end);
    from = end;
  }
  return masked + blank(text.slice(from));
}

/** Macros at the start of a line before the type and the name of a function: `CURL_EXTERN int f(`, also on a line of their own. */
const MACROS = /^(?:[A-Z][A-Z0-9_]{2,}\s+){1,3}(?=(?:[A-Za-z_]\w*[ \t*]+){1,4}[A-Za-z_]\w*[ \t]*\()/gm;

/** Returns a text in C without macros before functions: the grammar would not see the function. */
export function withoutMacros(text: string): string {
  return text.replace(MACROS, blank);
}

function blank(part: string): string {
  return part.replace(/[^\n]/g, ' ');
}
