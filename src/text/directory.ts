/** Recognizes text that says where things are, not what they are: tables of contents, the index of a book and the mails of a mailbox. */

/** Dots that lead to a page number. The number of dots is limited, so that a long run is not scanned from each dot. */
const LEADER = /(?<!\.\s?)(?:\.\s?){4,200}\s?\p{N}+/gu;
const LEADERS_MIN = 3;
/** The number of a section or an appendix before a title. */
const NUMBERED = String.raw`(?:\p{L}\.)?[\p{N}\p{P}\s]*(?:(?:chapter|appendix|annex)\s[\p{L}\p{N}.]{1,8}[\s\p{P}]+)?`;
/** The kinds of indexes. Other titles with the word are about indexes of databases, arrays and web servers. */
const INDEXED = [
  'alphabetical|author|command|concept|function|general|keyword|keystroke|name|option|operator|subject|symbol|term',
  'topic|type|variable',
].join('|');
const INDEX_TITLE = new RegExp(
  `^${NUMBERED}(?:(?:${INDEXED})s?\\s)?index$|^(?:stichwort|sach|personen)(?:verzeichnis|register)$|^索引$`,
  'iu',
);
/** An item of a Markdown list that is only a link to a section of the page. */
const LINKS_TO_SECTION = /^\s*(?:[-*+]|\p{N}{1,3}[.)])\s+\[[^\n]{1,200}\]\(#[^\s()]{1,200}\)\s*$/u;
/** An item that is only the name of a mail, as in the list of the mails of a mailbox. */
const MAIL_NAME = /^- \S[^\n]{0,300}\.eml$/i;
const SENTENCE_END = /[.!?。！？]["'”’)]*\s*$/u;
const FENCE = /^\s*(?:```|~~~)/;
const LINES_MIN = 8;
const LINES_SHARE = 0.7;

/** Returns true for the content of a table of contents, of an index or of a list of mails. `headings` are the headings above. */
export function isDirectory(content: string, headings: readonly string[]): boolean {
  if ((content.match(LEADER)?.length ?? 0) >= LEADERS_MIN) return true;
  const lines = linesOutsideCode(content).filter((line) => line.trim() !== '');
  if (lines.length < LINES_MIN) return false;
  const most = (matches: (line: string) => boolean): boolean =>
    lines.filter(matches).length >= lines.length * LINES_SHARE;
  if (most((line) => LINKS_TO_SECTION.test(line)) || most((line) => MAIL_NAME.test(line))) return true;
  // An index has sections, one for each letter.
  return headings.slice(-2).some((title) => INDEX_TITLE.test(title)) && most((line) => !SENTENCE_END.test(line));
}

/** Returns the lines without code in fences. Code below the title "Index" often creates an index of a database. */
function linesOutsideCode(content: string): string[] {
  let isCode = false;
  return content.split('\n').filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    return !isCode && !isFence;
  });
}
