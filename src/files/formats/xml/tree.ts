/**
 * Reads XML as a tree. The work is linear in the input and never recursive. Entities that a file declares are not expanded here.
 * The tree of malformed XML contains everything that can be read.
 *
 * htmlparser2 was weighed and takes 1.1 to 4 times as long. It also reads the rest of a document type with declarations as
 * text, and ends an instruction at its first `>`.
 */
import { overLimit } from '../../failure.ts';
import { decodeXml } from '../references.ts';

export interface XmlElement {
  /** The name without its prefix. */
  name: string;
  /** The source of the attributes, which `attribute` and `attributes` read on demand. */
  head: string;
  children: XmlNode[];
}

type XmlNode = XmlElement | string;

/** Maximum depth of nesting. Office files stay far below this limit, and readers of a tree may recurse within it. */
export const XML_DEPTH_MAX = 256;
/** Maximum number of elements in one tree. Each element takes about 150 bytes. */
const XML_ELEMENTS_MAX = 1_500_000;

/** Returns a root without a name, whose children are the elements and texts at the top. @throws FileError over a limit. */
export function readXml(xml: string): XmlElement {
  const root: XmlElement = { name: '', head: '', children: [] };
  const stack = [root];
  const names = new Map<string, string>();
  let count = 0;
  let at = 0;
  while (at < xml.length) {
    const open = stack[stack.length - 1]!;
    const mark = xml.indexOf('<', at);
    if (mark !== at) open.children.push(decodeXml(xml.slice(at, mark === -1 ? xml.length : mark)));
    if (mark === -1) break;
    const special = specialEnd(xml, mark);
    if (special) {
      if (special.text !== '') open.children.push(special.text);
      at = special.end;
      continue;
    }
    const end = tagEnd(xml, mark + 1);
    if (end === -1) break;
    at = end + 1;
    const closing = xml.charCodeAt(mark + 1) === SLASH;
    const source = xml.slice(mark + (closing ? 2 : 1), end);
    const raw = /^[^\s/]*/.exec(source)![0];
    const name = localName(raw, names);
    if (closing) {
      const depth = stack.findLastIndex((element) => element.name === name);
      if (depth > 0) stack.length = depth;
      continue;
    }
    count += 1;
    if (count > XML_ELEMENTS_MAX) throw overLimit(`The file contains more than ${XML_ELEMENTS_MAX} XML elements.`);
    const element: XmlElement = { name, head: source.slice(raw.length), children: [] };
    open.children.push(element);
    if (source.endsWith('/')) continue;
    if (stack.length > XML_DEPTH_MAX) throw overLimit('The XML of the file is nested too deeply.');
    stack.push(element);
  }
  return root;
}

/** Returns the value of the attribute with this name, prefix included, or "". */
export function attribute(element: { head: string }, name: string): string {
  const found = attributePattern(name).exec(element.head);
  return found ? decodeXml(found[1] ?? found[2] ?? '') : '';
}

/** Returns the value of the attribute with this name and any prefix, or "". */
export function localAttribute(element: { head: string }, name: string): string {
  return attribute(element, `(?:[\\w.-]+:)?${name}`);
}

const ATTRIBUTE = /\s([\w:.-]{1,100})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Returns the attributes as pairs of whole name and value, in order. */
export function attributes(element: { head: string }): [name: string, value: string][] {
  return [...element.head.matchAll(ATTRIBUTE)].map(([, name = '', double, single]) => [
    name,
    decodeXml(double ?? single ?? ''),
  ]);
}

/** Returns the child elements, only those with `name` if a name is given. */
export function childElements(element: XmlElement, name?: string): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement => typeof child !== 'string' && (name === undefined || child.name === name),
  );
}

/** Returns the first element at the end of a path of names. */
export function childAt(element: XmlElement | undefined, ...path: string[]): XmlElement | undefined {
  let found = element;
  for (const name of path) found = found && childElements(found, name)[0];
  return found;
}

/** Returns the elements with this name at any depth, in order. Elements inside a found element are not searched. */
export function findElements(root: XmlElement, name: string | RegExp): XmlElement[] {
  const found: XmlElement[] = [];
  const stack: XmlElement[] = [root];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (next !== root && (typeof name === 'string' ? next.name === name : name.test(next.name))) {
      found.push(next);
      continue;
    }
    for (let i = next.children.length - 1; i >= 0; i -= 1) {
      const child = next.children[i]!;
      if (typeof child !== 'string') stack.push(child);
    }
  }
  return found;
}

/** True if an element has text beside its elements. */
export function hasOwnText(element: XmlElement): boolean {
  return element.children.some((child) => typeof child === 'string' && child.trim() !== '');
}

/** Returns all text under an element. */
export function textOf(element: XmlElement | undefined): string {
  const parts: string[] = [];
  const stack: XmlNode[] = element ? [element] : [];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') parts.push(next);
    else for (let i = next.children.length - 1; i >= 0; i -= 1) stack.push(next.children[i]!);
  }
  return parts.join('');
}

const SLASH = 0x2f;

/** Returns the text and the end of a comment, CDATA section, instruction or document type at `at`; undefined for a tag. */
function specialEnd(xml: string, at: number): { text: string; end: number } | undefined {
  const second = xml[at + 1];
  if (second !== '!' && second !== '?') return undefined;
  if (xml.startsWith('<![CDATA[', at)) {
    const close = indexOrEnd(xml, ']]>', at);
    return { text: xml.slice(at + 9, close), end: close + 3 };
  }
  if (xml.startsWith('<!--', at)) return { text: '', end: indexOrEnd(xml, '-->', at + 4) + 3 };
  if (second === '?') return { text: '', end: indexOrEnd(xml, '?>', at) + 2 };
  const close = indexOrEnd(xml, '>', at);
  const subset = xml.lastIndexOf('[', close) > at ? indexOrEnd(xml, ']', at) : close;
  return { text: '', end: indexOrEnd(xml, '>', subset) + 1 };
}

function indexOrEnd(xml: string, mark: string, from: number): number {
  const found = xml.indexOf(mark, from);
  return found === -1 ? xml.length : found;
}

/** Returns the index of the `>` that ends a tag, or -1. Attribute values may contain `>`. */
function tagEnd(xml: string, from: number): number {
  for (let at = from; at < xml.length; at += 1) {
    const unit = xml[at];
    if (unit === '>') return at;
    if (unit === '"' || unit === "'") {
      at = xml.indexOf(unit, at + 1);
      if (at === -1) return -1;
    }
  }
  return -1;
}

function localName(raw: string, names: Map<string, string>): string {
  const known = names.get(raw);
  if (known !== undefined) return known;
  const name = raw.slice(raw.indexOf(':') + 1);
  names.set(raw, name);
  return name;
}

const patterns = new Map<string, RegExp>();

function attributePattern(name: string): RegExp {
  const known = patterns.get(name);
  if (known) return known;
  const pattern = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
  patterns.set(name, pattern);
  return pattern;
}
