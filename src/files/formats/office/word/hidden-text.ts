/**
 * Removes hidden text from the source of a Word file, which the converter would show. A run, its character style or the style of its
 * paragraph hides text with `w:vanish`. The work is linear.
 */

/** Text, pictures and references to notes, which a hidden run loses. */
const CONTENT = 't|delText|drawing|pict|object|footnoteReference|endnoteReference';
const TOKEN = new RegExp(`<(/?)w:(p|r|rPrChange|pPrChange|vanish|pStyle|rStyle|${CONTENT})((?:\\s[^<>]*)?/?)>`, 'g');
const IS_CONTENT = new RegExp(`^(?:${CONTENT})$`);
/** Maximum number of styles between a style and the one that hides its text. */
const BASES_MAX = 8;

/** Returns the ids of styles that hide their text. `xml` is `word/styles.xml`. */
export function hiddenStyles(xml: string): Set<string> {
  const hidden = new Set<string>();
  if (!xml.includes('<w:vanish')) return hidden;
  const styles = xml
    .split(/<w:style(?=\s)/)
    .slice(1)
    .map((source) => ({
      id: /\sw:styleId="([^"<>]*)"/.exec(source.slice(0, source.indexOf('>')))?.[1] ?? '',
      base: /<w:basedOn\sw:val="([^"<>]*)"/.exec(source)?.[1],
      vanish: /<w:vanish((?:\s[^<>]*)?\/?)>/.exec(source)?.[1],
    }));
  for (let step = 0; step < BASES_MAX; step += 1) {
    for (const { id, base, vanish } of styles) {
      if (vanish === undefined ? base !== undefined && hidden.has(base) : isOn(vanish)) hidden.add(id);
    }
  }
  return hidden;
}

interface Open {
  name: string;
  /** Whether the element hides its text. An element hides what is inside unless it says otherwise. */
  hides: boolean;
}

/** Returns the source without hidden text. `styles` are the ids of styles that hide their text. */
export function withoutHiddenText(xml: string, styles: ReadonlySet<string>): string {
  if (styles.size === 0 && !xml.includes('<w:vanish')) return xml;
  const kept: string[] = [];
  /** Open paragraphs and runs. Text boxes are paragraphs inside runs. */
  const open: Open[] = [];
  let from = 0;
  /** The element that is left out, and the number of such elements inside that are open. */
  let skipped = '';
  let depth = 0;
  /** Properties as they were before a change. */
  let before = '';
  for (const { 0: tag, 1: slash, 2: name = '', 3: attributes = '', index } of xml.matchAll(TOKEN)) {
    const isClosing = slash !== '';
    const isEmpty = attributes.endsWith('/');
    if (skipped !== '') {
      if (name !== skipped || isEmpty) continue;
      depth += isClosing ? -1 : 1;
      if (depth > 0) continue;
      skipped = '';
      from = index + tag.length;
    } else if (before !== '') {
      if (isClosing && name === before) before = '';
    } else if (name === 'rPrChange' || name === 'pPrChange') {
      if (!isClosing && !isEmpty) before = name;
    } else if (name === 'p' || name === 'r') {
      if (isClosing)
        open.length = Math.max(
          open.findLastIndex((each) => each.name === name),
          0,
        );
      else if (!isEmpty) open.push({ name, hides: open.at(-1)?.hides ?? false });
    } else if (!isClosing) {
      const last = open.at(-1);
      if (!last) continue;
      const style = /\sw:val="([^"<>]*)"/.exec(attributes)?.[1] ?? '';
      // The properties of a paragraph may hide its mark, which has no text.
      if (name === 'vanish' && last.name === 'r') last.hides = isOn(attributes);
      else if ((name === 'rStyle' && last.name === 'r') || name === 'pStyle') last.hides ||= styles.has(style);
      else if (last.hides && IS_CONTENT.test(name)) {
        kept.push(xml.slice(from, index));
        from = index + tag.length;
        if (isEmpty) continue;
        skipped = name;
        depth = 1;
      }
    }
  }
  if (skipped === '') kept.push(xml.slice(from));
  return kept.join('');
}

function isOn(attributes: string): boolean {
  return !/\sw:val="(?:0|false|off)"/.test(attributes);
}
