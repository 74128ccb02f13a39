/** Reads the styles of a Word file, and properties of paragraphs and runs. */
import { childAt, findElements, localAttribute, type XmlElement } from '../../xml/tree.ts';
import { isOn } from '../hidden.ts';

export interface WordStyle {
  id: string;
  name: string;
  /** The id of the style that this one is based on. */
  base: string;
  paragraph: XmlElement | undefined;
  run: XmlElement | undefined;
}

export type WordStyles = ReadonlyMap<string, WordStyle>;

/** Maximum number of styles between a style and the one that has a property. */
const BASES_MAX = 8;
const TAGS = new Map([
  ['title', 'title'],
  ['heading', 'h1'],
  ['quote', 'blockquote'],
  ['intense quote', 'blockquote'],
  ['code', 'pre'],
  ['source code', 'pre'],
  ['html preformatted', 'pre'],
]);

/** Returns the styles by their ids. `root` is `word/styles.xml`. */
export function readStyles(root: XmlElement): WordStyles {
  const styles = new Map<string, WordStyle>();
  for (const style of findElements(root, 'style')) {
    const id = localAttribute(style, 'styleId');
    if (styles.has(id)) continue;
    const [paragraph, run] = [childAt(style, 'pPr'), childAt(style, 'rPr')];
    styles.set(id, { id, name: valueIn(style, 'name'), base: valueIn(style, 'basedOn'), paragraph, run });
  }
  return styles;
}

/** Returns a style and the styles that it is based on. */
export function withBases(styles: WordStyles, id: string): WordStyle[] {
  const found: WordStyle[] = [];
  for (let style = styles.get(id); style && found.length <= BASES_MAX; style = styles.get(style.base))
    found.push(style);
  return found;
}

/** Returns whether a style hides its text. */
export function isHiding(styles: WordStyles, id: string): boolean {
  const style = withBases(styles, id).find(({ run }) => childAt(run, 'vanish'));
  return style !== undefined && isOn(childAt(style.run, 'vanish'));
}

/** Returns the HTML element for a paragraph with these properties, or `title`. */
export function tagOf(styles: WordStyles, properties: XmlElement | undefined): string {
  const id = valueIn(properties, 'pStyle');
  for (const name of [styles.get(id)?.name ?? '', id]) {
    const level = /^heading ?([1-6])$/i.exec(name)?.[1];
    const tag = level ? `h${level}` : TAGS.get(name.toLowerCase());
    if (tag) return tag;
  }
  const sources = [properties, ...withBases(styles, id).map(({ paragraph }) => paragraph)];
  const outline = sources.map((source) => valueIn(source, 'outlineLvl')).find((level) => level !== '') ?? '';
  return /^[0-8]$/.test(outline) ? `h${Math.min(Number(outline) + 1, 6)}` : 'p';
}

/** Returns the value of the element at the end of a path of names, or "". */
export function valueIn(parent: XmlElement | undefined, ...path: string[]): string {
  const element = childAt(parent, ...path);
  return element ? localAttribute(element, 'val') : '';
}
