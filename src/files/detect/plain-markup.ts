/** Recognizes AsciiDoc and reStructuredText in files named as plain text, such as the sources of many manuals. Pure. */

/** Constructs that only AsciiDoc has. Each counts once: prose may hold one of them by chance. */
const ASCIIDOC_SIGNS = [
  /^\[(?:source|verse|quote|horizontal|synopsis|listing|NOTE|TIP|IMPORTANT|WARNING|CAUTION|cols|options|role|id|appendix|glossary)\b.*\]$/m,
  /^\[\[[\w:.-]+\]\]$/m,
  /^(?:include|ifn?def|ifeval|endif|image|xref)::\S*\[.*\]$/m,
  /^:!?[a-z][\w-]*!?:(?: .*)?$/m,
  /^\S.{0,200}[^:\s]::(?: .*)?$/m,
  /^\+$/m,
  /^\|={3,}$/m,
  /\b(?:link|xref|linkgit|footnote|kbd|menu|btn|mailto):[^\s[\]]{0,200}\[[^\]\n]{0,200}\]/,
  /<<[\w-]+(?:,[^<>\n]{1,100})?>>/,
  // The title of a manual page.
  /^[\w.-]+\(\d\w?\)\n={4,}$/m,
];
const ASCIIDOC_SIGNS_MIN = 2;
/** Parts that other files include often have no title. */
const UNTITLED_SIGNS_MIN = 3;
const ASCIIDOC_TITLE = /^={1,4} \S.*$/m;
/** A directive, a target or a comment with a name, as only reStructuredText has them. */
const RST_SIGNS =
  /^[ ]{0,8}\.\. (?:[a-z][\w:+-]*::(?: |$)|_[^\n:]{1,100}:(?: |$)|\|[^|\n]{1,60}\| [a-z]+::|\[\S{1,30}\] )/m;
/** A title and the line of signs of about equal length below it. */
const UNDERLINED = /^(\S.*)\n(([=\-~^"'`*+#:._])\3{2,})[ \t]*$/gm;
const UNDERLINE_DIFFERENCE_MAX = 2;

/** Headings of two levels between empty lines, as in a README without an extension. A comment of settings has no `##` that stands alone. */
const MARKDOWN_HEADINGS = [/^# \S.*\n\n/, /\n\n##{1,2} \S.*\n\n/];

/** True if the beginning of a text without an extension is Markdown. */
export function isPlainMarkdown(head: string): boolean {
  const text = head.replace(/\r\n?/g, '\n').trimStart();
  return MARKDOWN_HEADINGS.every((sign) => sign.test(text));
}

/** Returns the markup language of the beginning of a text; undefined if it is plain text. */
export function plainMarkup(head: string): 'asciidoc' | 'rst' | undefined {
  const text = head.replace(/\r\n?/g, '\n');
  const isUnderlined = [...text.matchAll(UNDERLINED)].some(isHeading);
  if (isUnderlined && RST_SIGNS.test(text)) return 'rst';
  const signs = ASCIIDOC_SIGNS.filter((sign) => sign.test(text)).length;
  const isTitled = isUnderlined || ASCIIDOC_TITLE.test(text);
  return signs >= (isTitled ? ASCIIDOC_SIGNS_MIN : UNTITLED_SIGNS_MIN) ? 'asciidoc' : undefined;
}

function isHeading([, title = '', line = '']: RegExpMatchArray): boolean {
  return /[\p{L}\p{N}]/u.test(title) && Math.abs(title.trimEnd().length - line.length) <= UNDERLINE_DIFFERENCE_MAX;
}
