/** Parses source code: the text stays unchanged, and blocks are definitions with their names as heading path. */
import { readFile } from 'node:fs/promises';
import { Language, type Node, Parser } from 'web-tree-sitter';
import { extensionOf } from '../../detect/file-types.ts';
import { originMetadata } from '../../metadata-values.ts';
import type { Block, ParsedFile } from '../../parsed.ts';
import { codeLanguage, FUNCTION_VALUES, type Grammar, LEADS } from './code-languages.ts';
import { outlineBlocks } from './code-outline.ts';
import { testCall } from './test-calls.ts';

/** Maximum length of a file that is parsed: a syntax tree takes 100 bytes for each unit, and more for hostile text. */
export const TREE_UNITS_MAX = 640 * 1024;
/** Steps of the syntax parser. Written code takes about 10 steps for 1,000 units, hostile text over 40. */
const TREE_STEPS_FREE = 1000;
const TREE_STEPS_PER_UNIT_MAX = 0.02;
/** The inner functions of a longer function become blocks of their own. */
const LONG_UNITS = 3000;
/** UTF-16 units before a definition on its line that belong to it, such as `export`. */
const LINE_START_UNITS = 200;
const NESTING_MAX = 40;
const PATH_NAMES_MAX = 8;
const NAME_UNITS_MAX = 100;
const IMPORT = /^(?:await )?(?:require|import)\b/;
const IMPORT_UNITS = 20;
/** Matches names of values: `A.b`, `#c`, `a::b`, `['d']`. */
const NAME = /^[\w$.#:@'"[\]-]+$/;

/** Parses code. The language follows from `name`. Without a grammar, definitions are
 * found by their lines, or the file is one block, as for long text and syntax errors. */
export async function parseCode(text: string, name: string): Promise<ParsedFile> {
  const language = codeLanguage(extensionOf(name));
  const { grammar, outline } = language;
  const blocks =
    (grammar && text.length <= TREE_UNITS_MAX ? await definitions(text, grammar) : undefined) ??
    (outline && outlineBlocks(text, outline));
  return {
    fileType: 'code',
    text,
    blocks: blocks ?? [{ kind: 'code', start: 0, end: text.length }],
    metadata: originMetadata({ programming_language: language.name }),
    warnings: [],
  };
}

async function definitions(text: string, grammar: Grammar): Promise<Block[] | undefined> {
  const language = await loadGrammar(grammar.file);
  const parser = new Parser();
  parser.setLanguage(language);
  let steps = TREE_STEPS_FREE + text.length * TREE_STEPS_PER_UNIT_MAX;
  const tree = parser.parse(grammar.mask?.(text) ?? text, null, {
    progressCallback: () => {
      steps -= 1;
      return steps < 0;
    },
  });
  try {
    if (!tree) return undefined;
    const cutter = new Cutter(text, grammar);
    cutter.visit(tree.rootNode, [], 0);
    const blocks = cutter.finish();
    // Text of another language has no definitions between its errors.
    return tree.rootNode.isError && blocks.every(({ headingPath }) => headingPath?.length === 0) ? undefined : blocks;
  } finally {
    tree?.delete();
    parser.delete();
  }
}

/** Loaded grammars. They stay in memory, because loading a grammar again takes the same memory again. */
const grammars = new Map<string, Promise<Language>>();

function loadGrammar(file: string): Promise<Language> {
  const cached = grammars.get(file);
  if (cached) return cached;
  const wasm = new URL(
    `tree-sitter-${file}.wasm`,
    import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter.wasm'),
  );
  const loading = Parser.init().then(async () => Language.load(await readFile(wasm)));
  grammars.set(file, loading);
  return loading;
}

/** Walks the definitions in the order of the text, and cuts the text where the path changes. */
class Cutter {
  private readonly text: string;
  private readonly grammar: Grammar;
  private readonly blocks: Block[] = [];
  private at = 0;
  /** Names of definitions that begin after `at`. */
  private readonly names: string[] = [];

  constructor(text: string, grammar: Grammar) {
    this.text = text;
    this.grammar = grammar;
  }

  /** Visits the children of a node. With `isInFunction`, variables are local and therefore no definitions. */
  visit(node: Node, path: readonly string[], depth: number, isInFunction = false, leadFrom?: number): void {
    let lead = leadFrom;
    let last: { startIndex: number; endIndex: number } | undefined;
    for (const child of node.namedChildren) {
      const isLead = LEADS.has(child.type);
      if (last && this.hasEmptyLine(last.endIndex, child.startIndex) && (isLead || !this.isDocComment(last)))
        lead = undefined;
      if (isLead) {
        lead ??= child.startIndex;
        last = child;
        continue;
      }
      const names = this.isDefinition(child, isInFunction, lead !== undefined) ? this.namesOf(child) : undefined;
      if (names) this.define(child, [...path, ...names].slice(0, PATH_NAMES_MAX), path, depth, lead);
      else {
        if (path.length === 0) this.addConstant(child);
        if (depth < NESTING_MAX && this.isOpened(child)) this.visit(child, path, depth + 1, isInFunction, lead);
      }
      lead = undefined;
      last = undefined;
    }
  }

  finish(): Block[] {
    this.cut(this.text.length, []);
    return this.blocks;
  }

  private isOpened(node: Node): boolean {
    return node.isError || this.grammar.wrappers.has(node.type) || node.endIndex - node.startIndex > LONG_UNITS;
  }

  private define(
    node: Node,
    path: readonly string[],
    above: readonly string[],
    depth: number,
    lead: number | undefined,
  ): void {
    this.cut(this.lineStart(lead ?? node.startIndex), above);
    const call = this.testCall(node);
    // Many tests have the name of what they test.
    if (!call) this.names.push(path.at(-1)!);
    const isContainer = this.grammar.containers.has(node.type);
    const inner = isContainer || call?.isGroup || node.endIndex - node.startIndex > LONG_UNITS;
    if (inner && depth < NESTING_MAX) {
      const isFunction = !isContainer && assignedValue(node)?.type !== 'class';
      this.visit(call?.body ?? node.childForFieldName('body') ?? node, path, depth + 1, isFunction);
    }
    this.cut(this.lineEnd(node.endIndex), path);
  }

  /** Writes the text from the last block up to `to` as a block under `path`. */
  private cut(to: number, path: readonly string[]): void {
    if (to <= this.at) return;
    const [start, end] = this.trimmed(this.at, to);
    const last = this.blocks.at(-1);
    // Closing brackets belong to the block that they close.
    const closing = !/[\p{L}\p{N}]/u.test(this.text.slice(start, end).replace(/\bend\b/g, ''));
    if (end > start && closing && last) last.end = end;
    else if (end > start) {
      const names = this.names.splice(0);
      this.blocks.push({ kind: 'code', start, end, headingPath: [...path], ...(names.length > 0 && { names }) });
    }
    this.at = to;
  }

  /** Returns the range without empty lines at its ends. The first line keeps its indentation. */
  private trimmed(from: number, to: number): [number, number] {
    const body = this.text.slice(from, to);
    const start = body.search(/\S/);
    if (start === -1) return [to, to];
    return [from + body.lastIndexOf('\n', start) + 1, from + body.trimEnd().length];
  }

  /** Returns the start of the line of `index`, but not before the last block. On a very long line, returns `index`. */
  private lineStart(index: number): number {
    const floor = Math.max(this.at, index - LINE_START_UNITS);
    let start = Math.max(index, floor);
    while (start > floor && this.text[start - 1] !== '\n') start -= 1;
    return start === floor && floor > this.at ? index : start;
  }

  /** Returns the index after the blanks and marks that follow `index`. */
  private lineEnd(index: number): number {
    let end = index;
    while (end < this.text.length && ' ;,)'.includes(this.text[end]!)) end += 1;
    return end;
  }

  private hasEmptyLine(from: number, to: number): boolean {
    return /\n[ \t]*\n/.test(this.text.slice(from, to));
  }

  /** True for a comment that describes what follows, also below an empty line. */
  private isDocComment({ startIndex }: { startIndex: number }): boolean {
    return /^\/\*\*\s/.test(this.text.slice(startIndex, startIndex + 4));
  }

  /** True if a node is a definition. A node with a syntax error counts only if it is a container. */
  private isDefinition(node: Node, isInFunction: boolean, hasLead: boolean): boolean {
    const { containers, leaves, values } = this.grammar;
    const call = this.testCall(node);
    if (containers.has(node.type) || call?.isGroup) return true;
    if (node.hasError) return false;
    if (call) return true;
    if (!values.has(node.type)) return leaves.has(node.type);
    const value = assignedValue(node);
    if (value && FUNCTION_VALUES.has(value.type)) return true;
    if (isInFunction || this.isImport(value)) return false;
    // A directive of C ends at the start of the next line.
    const { row, column } = node.endPosition;
    return hasLead || node.startPosition.row < (column === 0 ? row - 1 : row);
  }

  private isImport(value: Node | null): boolean {
    return value !== null && IMPORT.test(this.text.slice(value.startIndex, value.startIndex + IMPORT_UNITS));
  }

  /** Keeps the name of a constant of one line, which has no block of its own. */
  private addConstant(node: Node): void {
    if (!this.grammar.values.has(node.type) || node.hasError || this.isImport(assignedValue(node))) return;
    this.names.push(...(this.namesOf(node)?.slice(-1) ?? []));
  }

  /** Returns the names of a definition; undefined for one without a name, such as a destructuring pattern. */
  private namesOf(node: Node): string[] | undefined {
    const call = this.testCall(node);
    if (call) {
      const words = this.text.slice(call.name.startIndex, call.name.endIndex).replace(/\s+/g, ' ');
      return words.length < 3 ? undefined : [words.slice(0, NAME_UNITS_MAX).toWellFormed()];
    }
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

  private testCall(node: Node) {
    return this.grammar.tests ? testCall(node, this.text) : undefined;
  }

  /** Returns the type of a receiver in Go: `(s *Server)` gives `Server`. */
  private receiverType(receiver: Node): string {
    return /(\w+)(?:\[[^\]]*\])?\s*\)$/.exec(this.text.slice(receiver.startIndex, receiver.endIndex))?.[1] ?? '';
  }
}

/** Returns the value of a variable, a field or an assignment. */
function assignedValue(node: Node): Node | null {
  return node.childForFieldName('value') ?? node.childForFieldName('right');
}

function nameNode(node: Node): Node | null {
  if (node.type === 'impl_item') return node.childForFieldName('type');
  const field = node.childForFieldName('name') ?? node.childForFieldName('left') ?? node.childForFieldName('property');
  if (field) return field;
  // In C, the name is inside the declarators of pointers and functions.
  let inner = node.childForFieldName('declarator');
  for (let next = inner; next; next = inner?.childForFieldName('declarator') ?? null) inner = next;
  if (inner?.type === 'variable_declarator') return inner.childForFieldName('name');
  if (inner) return inner;
  // In PHP, the name of a property or a constant is inside an element.
  const named = node.namedChildren.find(({ type }) => /(^|_)name$|_element$/.test(type)) ?? null;
  return named?.type.endsWith('_element') ? nameNode(named) : named;
}
