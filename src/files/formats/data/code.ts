/** Source code: its text as it is, cut at definitions, with their names as heading path. */
import { readFile } from 'node:fs/promises';
import { Language, type Node, Parser } from 'web-tree-sitter';
import { extensionOf } from '../../detect/file-types.ts';
import { originMetadata } from '../../metadata-values.ts';
import type { Block, ParsedFile } from '../../parsed.ts';
import { codeLanguage, type Grammar, HELD, LEADS } from './code-languages.ts';

/** UTF-16 units of a file whose definitions are looked for: a syntax tree takes 100 bytes for each, and more in hostile text. */
export const TREE_UNITS_MAX = 256 * 1024;
/** Steps of the syntax parser: written code takes about 10 for 1,000 units, hostile text over 40. */
const TREE_STEPS_FREE = 1000;
const TREE_STEPS_PER_UNIT_MAX = 0.02;
/** A function of more UTF-16 units is looked into for the functions it holds. */
const LONG_UNITS = 3000;
/** UTF-16 units of a line before a definition that belong to it, such as `export`. */
const LINE_START_UNITS = 200;
const NESTING_MAX = 40;
const PATH_NAMES_MAX = 8;
const NAME_UNITS_MAX = 100;
const IMPORT = /^(?:await )?(?:require|import)\b/;
const IMPORT_UNITS = 20;
/** What a value may be named: `A.b`, `#c`, `a::b`, `['d']`. */
const NAME = /^[\w$.#:@'"[\]-]+$/;

/** `name` tells the language. Without grammar, with too much text or too many errors, the file is one block of code. */
export async function parseCode(text: string, name: string): Promise<ParsedFile> {
  const language = codeLanguage(extensionOf(name));
  const blocks =
    language.grammar && text.length <= TREE_UNITS_MAX ? await definitions(text, language.grammar) : undefined;
  return {
    fileType: 'code',
    text,
    blocks: blocks ?? [{ kind: 'code', start: 0, end: text.length }],
    metadata: originMetadata({ programming_language: language.name }),
    warnings: [],
  };
}

async function definitions(text: string, grammar: Grammar): Promise<Block[] | undefined> {
  const language = await loaded(grammar.file);
  const parser = new Parser();
  parser.setLanguage(language);
  let steps = TREE_STEPS_FREE + text.length * TREE_STEPS_PER_UNIT_MAX;
  const tree = parser.parse(text, null, {
    progressCallback: () => {
      steps -= 1;
      return steps < 0;
    },
  });
  try {
    if (!tree || tree.rootNode.isError) return undefined;
    const cutter = new Cutter(text, grammar);
    cutter.visit(tree.rootNode, [], 0);
    return cutter.finish();
  } finally {
    tree?.delete();
    parser.delete();
  }
}

/** Grammars stay in memory: loading one again would take as much once more. */
const grammars = new Map<string, Promise<Language>>();

function loaded(file: string): Promise<Language> {
  const before = grammars.get(file);
  if (before) return before;
  const wasm = new URL(
    `tree-sitter-${file}.wasm`,
    import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm'),
  );
  const loading = Parser.init().then(async () => Language.load(await readFile(wasm)));
  grammars.set(file, loading);
  return loading;
}

/** Walks definitions in the order of the text and cuts it where the path changes. */
class Cutter {
  private readonly text: string;
  private readonly grammar: Grammar;
  private readonly blocks: Block[] = [];
  private at = 0;

  constructor(text: string, grammar: Grammar) {
    this.text = text;
    this.grammar = grammar;
  }

  /** `isInFunction`: variables are local, and no definitions. */
  visit(node: Node, path: readonly string[], depth: number, isInFunction = false, leadFrom?: number): void {
    let lead = leadFrom;
    let leadEnd = leadFrom;
    for (const child of node.namedChildren) {
      if (leadEnd !== undefined && this.hasEmptyLine(leadEnd, child.startIndex)) lead = undefined;
      if (LEADS.has(child.type)) {
        lead ??= child.startIndex;
        leadEnd = child.endIndex;
        continue;
      }
      const names = this.isDefinition(child, isInFunction, lead !== undefined) ? this.namesOf(child) : undefined;
      if (names) this.define(child, [...path, ...names].slice(0, PATH_NAMES_MAX), path, depth, lead);
      else if (depth < NESTING_MAX && this.isOpened(child)) this.visit(child, path, depth + 1, isInFunction, lead);
      lead = undefined;
      leadEnd = undefined;
    }
  }

  finish(): Block[] {
    this.cut(this.text.length, []);
    return this.blocks;
  }

  private isOpened(node: Node): boolean {
    return this.grammar.wrappers.has(node.type) || node.endIndex - node.startIndex > LONG_UNITS;
  }

  private define(
    node: Node,
    path: readonly string[],
    above: readonly string[],
    depth: number,
    lead: number | undefined,
  ): void {
    this.cut(this.lineStart(lead ?? node.startIndex), above);
    const isContainer = this.grammar.containers.has(node.type);
    const inner = isContainer || node.endIndex - node.startIndex > LONG_UNITS;
    if (inner && depth < NESTING_MAX) {
      const isFunction = !isContainer && givenTo(node)?.type !== 'class';
      this.visit(node.childForFieldName('body') ?? node, path, depth + 1, isFunction);
    }
    this.cut(this.lineEnd(node.endIndex), path);
  }

  /** Everything up to `to` that no block holds yet is code under `path`. */
  private cut(to: number, path: readonly string[]): void {
    if (to <= this.at) return;
    const [start, end] = this.trimmed(this.at, to);
    const last = this.blocks.at(-1);
    // Closing brackets belong to what they close.
    const closing = !/[\p{L}\p{N}]/u.test(this.text.slice(start, end).replace(/\bend\b/g, ''));
    if (end > start && closing && last) last.end = end;
    else if (end > start) this.blocks.push({ kind: 'code', start, end, headingPath: [...path] });
    this.at = to;
  }

  /** Without the empty lines around it; the first line keeps its indentation. */
  private trimmed(from: number, to: number): [number, number] {
    const body = this.text.slice(from, to);
    const start = body.search(/\S/);
    if (start === -1) return [to, to];
    return [from + body.lastIndexOf('\n', start) + 1, from + body.trimEnd().length];
  }

  /** The start of the line of `index`, or of what stands on it and is in no block yet; not of a line without breaks. */
  private lineStart(index: number): number {
    const floor = Math.max(this.at, index - LINE_START_UNITS);
    let start = Math.max(index, floor);
    while (start > floor && this.text[start - 1] !== '\n') start -= 1;
    return start === floor && floor > this.at ? index : start;
  }

  /** Behind the marks that follow `index` on its line. */
  private lineEnd(index: number): number {
    let end = index;
    while (end < this.text.length && ' ;,)'.includes(this.text[end]!)) end += 1;
    return end;
  }

  private hasEmptyLine(from: number, to: number): boolean {
    return /\n[ \t]*\n/.test(this.text.slice(from, to));
  }

  /** Whether a node is a definition. One that holds an error and nothing else is none. */
  private isDefinition(node: Node, isInFunction: boolean, hasLead: boolean): boolean {
    const { containers, leaves, values } = this.grammar;
    if (containers.has(node.type)) return true;
    if (node.hasError) return false;
    if (!values.has(node.type)) return leaves.has(node.type);
    const value = givenTo(node);
    if (value && HELD.has(value.type)) return true;
    if (isInFunction || (value && IMPORT.test(this.text.slice(value.startIndex, value.startIndex + IMPORT_UNITS))))
      return false;
    // Directives of C end at the start of the next line.
    const { row, column } = node.endPosition;
    return hasLead || node.startPosition.row < (column === 0 ? row - 1 : row);
  }

  /** The names of a definition; undefined for one that has none, such as a pattern that takes a value apart. */
  private namesOf(node: Node): string[] | undefined {
    const name = nameNode(node);
    if (!name) return undefined;
    const words = this.text.slice(name.startIndex, name.endIndex).replace(/\s+/g, ' ').slice(0, NAME_UNITS_MAX);
    if (this.grammar.values.has(node.type) && !NAME.test(words)) return undefined;
    const names = words.includes('<') ? [words] : words.split('::');
    const receiver = node.childForFieldName('receiver');
    return [...(receiver ? [this.receiverType(receiver)] : []), ...names]
      .map((part) => part.toWellFormed())
      .filter(Boolean);
  }

  /** Go: `(s *Server)` is a method of Server. */
  private receiverType(receiver: Node): string {
    return /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(this.text.slice(receiver.startIndex, receiver.endIndex))?.[1] ?? '';
  }
}

/** What a variable, a field or an assignment is given. */
function givenTo(node: Node): Node | null {
  return node.childForFieldName('value') ?? node.childForFieldName('right');
}

function nameNode(node: Node): Node | null {
  if (node.type === 'impl_item') return node.childForFieldName('type');
  const named = node.childForFieldName('name') ?? node.childForFieldName('left') ?? node.childForFieldName('property');
  if (named) return named;
  // C: the name is inside the declarators of pointers and functions.
  let inner = node.childForFieldName('declarator');
  for (let next = inner; next; next = inner?.childForFieldName('declarator') ?? null) inner = next;
  if (inner?.type === 'variable_declarator') return inner.childForFieldName('name');
  return inner ?? node.namedChildren.find((child) => /(^|_)name$/.test(child.type)) ?? null;
}
