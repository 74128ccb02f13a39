/** Lists programming languages by file extension, with the names of definitions in their grammars. */

import { scriptsAlone, withoutMacros } from './code-masks.ts';
import type { Outline } from './code-outline.ts';

/** Node types of a grammar. */
export interface Grammar {
  /** Name of the grammar's file. */
  file: string;
  /** Definitions that contain other definitions. */
  containers: ReadonlySet<string>;
  /** Definitions whose inner definitions are read only if the outer one is long. */
  leaves: ReadonlySet<string>;
  /** Nodes without a name around definitions. */
  wrappers: ReadonlySet<string>;
  /** Constants, variables and fields. Outside of functions they are definitions if they have a comment or several lines. */
  values: ReadonlySet<string>;
  /** True if calls such as `test('adds', …)` are definitions. */
  tests: boolean;
  /** Returns the text that the grammar parses: blanks replace what it does not know. */
  mask?: (text: string) => string;
}

interface CodeLanguage {
  name: string;
  grammar?: Grammar;
  /** Finds definitions where there is no grammar. */
  outline?: Outline;
}

const SCRIPT_GRAMMARS = new Set(['javascript', 'typescript', 'tsx']);

function grammar(file: string, containers: string, leaves: string, wrappers = '', values = ''): Grammar {
  const words = (text: string) => new Set(text.split(' ').filter(Boolean));
  return {
    file,
    containers: words(containers),
    leaves: words(leaves),
    wrappers: words(wrappers),
    values: words(values),
    tests: SCRIPT_GRAMMARS.has(file),
  };
}

const SCRIPT = [
  'class_declaration abstract_class_declaration internal_module module interface_declaration',
  'function_declaration generator_function_declaration function_signature method_definition abstract_method_signature ' +
    'enum_declaration type_alias_declaration',
  'export_statement lexical_declaration variable_declaration ambient_declaration expression_statement ' +
    'await_expression',
  'variable_declarator public_field_definition field_definition assignment_expression property_signature method_signature',
] as const;

/** Functions and classes as values: a variable or field with such a value is always a definition. */
export const FUNCTION_VALUES: ReadonlySet<string> = new Set([
  ...['arrow_function', 'function_expression', 'generator_function', 'class'],
]);

/** Nodes before a definition that belong to it. */
export const LEADS: ReadonlySet<string> = new Set([
  ...['comment', 'line_comment', 'block_comment', 'decorator', 'attribute_item', 'attribute_list'],
  ...['template_parameter_list', 'annotation', 'marker_annotation'],
]);

const LANGUAGES: Record<string, CodeLanguage> = {
  'js mjs cjs jsx': { name: 'javascript', grammar: grammar('javascript', ...SCRIPT) },
  'ts mts cts': { name: 'typescript', grammar: grammar('typescript', ...SCRIPT) },
  tsx: { name: 'typescript', grammar: grammar('tsx', ...SCRIPT) },
  vue: { name: 'vue', grammar: { ...grammar('typescript', ...SCRIPT), mask: scriptsAlone } },
  svelte: { name: 'svelte', grammar: { ...grammar('typescript', ...SCRIPT), mask: scriptsAlone } },
  'py pyi': {
    name: 'python',
    grammar: grammar(
      'python',
      'class_definition',
      'function_definition',
      'decorated_definition if_statement try_statement else_clause except_clause block expression_statement',
      'assignment',
    ),
  },
  rb: {
    name: 'ruby',
    grammar: grammar('ruby', 'module class singleton_class', 'method singleton_method', '', 'assignment'),
  },
  php: {
    name: 'php',
    grammar: grammar(
      'php',
      'class_declaration trait_declaration interface_declaration enum_declaration',
      'function_definition method_declaration',
      'namespace_definition compound_statement expression_statement',
      'assignment_expression const_declaration property_declaration',
    ),
  },
  java: {
    name: 'java',
    grammar: grammar(
      'java',
      'class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration',
      'method_declaration constructor_declaration compact_constructor_declaration',
      'enum_body_declarations',
      'field_declaration',
    ),
  },
  'c h cc cpp cxx hh hpp': {
    name: 'cpp',
    grammar: {
      ...grammar(
        'cpp',
        'namespace_definition class_specifier struct_specifier union_specifier',
        'function_definition enum_specifier type_definition',
        'template_declaration linkage_specification declaration_list preproc_ifdef preproc_if preproc_else preproc_elif',
        'declaration preproc_def preproc_function_def',
      ),
      mask: withoutMacros,
    },
  },
  cs: {
    name: 'csharp',
    grammar: grammar(
      'c-sharp',
      'namespace_declaration class_declaration interface_declaration struct_declaration record_declaration',
      'method_declaration constructor_declaration enum_declaration delegate_declaration',
      'file_scoped_namespace_declaration preproc_if',
      'property_declaration',
    ),
  },
  go: {
    name: 'go',
    grammar: grammar(
      'go',
      '',
      'function_declaration method_declaration type_spec',
      'type_declaration const_declaration var_declaration var_spec_list',
      'const_spec var_spec',
    ),
  },
  rs: {
    name: 'rust',
    grammar: grammar(
      'rust',
      'impl_item trait_item mod_item',
      'function_item function_signature_item struct_item enum_item union_item type_item macro_definition',
      'foreign_mod_item',
      'const_item static_item',
    ),
  },
  'sh bash': { name: 'bash', grammar: grammar('bash', '', 'function_definition') },
  ps1: {
    name: 'powershell',
    grammar: grammar('powershell', 'class_statement', 'function_statement class_method_definition', 'statement_list'),
  },
};

/** Names of languages without a grammar whose extension is not their name. */
const NAMES: Record<string, string> = {
  ...{
    kt: 'kotlin',
    kts: 'kotlin',
    jl: 'julia',
    pl: 'perl',
    pm: 'perl',
    m: 'objective-c',
    mm: 'objective-c',
    fs: 'fsharp',
  },
  ...{
    bat: 'batch',
    cmd: 'batch',
    ex: 'elixir',
    exs: 'elixir',
    erl: 'erlang',
    hs: 'haskell',
    clj: 'clojure',
    ml: 'ocaml',
  },
  ...{ mli: 'ocaml', v: 'verilog', mk: 'make', gql: 'graphql', tf: 'hcl', patch: 'diff' },
};

const MODIFIERS =
  'abstract|actual|annotation|async|case|companion|const|convenience|data|default|enum|expect|export|external|extend|extern|' +
  'fileprivate|final|fun|implicit|indirect|infix|inline|inner|input|internal|lateinit|lazy|local|mutable|mutating|open|operator|' +
  'override|private|protected|pub|public|required|sealed|static|suspend|tailrec|value';
const CONTAINERS =
  'actor|class|defmodule|defprotocol|enum|extension|input|interface|message|mixin|module|namespace|object|protocol|service|struct|' +
  'trait|type';
const FUNCTIONS = 'def|defmacro|defp|fn|fun|func|function|macro|proc|rpc|sub|template|typealias|typedef|union|scalar';
const BEFORE = String.raw`^(?:@[\w.:]+(?:\([^()]{0,200}\))?\s+|(?:${MODIFIERS})(?:[([][\w.]{1,60}[)\]])?\s+){0,8}`;
/** A receiver belongs to the type that the function extends: `fun String.toUrl()`, `function Account:draw()`. */
const RECEIVER = String.raw`(?:<[^<>]{0,200}>\s*)?(?:[\w<>?, *]{1,80}[.:])?`;

/** Definitions that begin with a keyword, as in most languages. */
const KEYWORDS: Outline = {
  definition: new RegExp(
    String.raw`${BEFORE}(?:(?<container>${CONTAINERS})|${FUNCTIONS})\s+${RECEIVER}(?<name>[\w.\x60]+[?!]?)(?=[\s(<{[:=;]|$)`,
  ),
  member: new RegExp(String.raw`${BEFORE}(?:let|val|var)\s+(?<name>\w+)`),
};

const SQL_OPTIONS = String.raw`or\s+(?:alter|replace)|definer\s*=\s*\S+|global|local|materialized|temp|temporary|unlogged|virtual`;
const SQL_KINDS = 'domain|function|procedure|table|trigger|type|view';
const SQL_NAME = '["\'`[]?\\w+["\'`\\]]?';

const OUTLINES: Record<string, Outline> = {
  'kt kts scala swift proto graphql gql lua': KEYWORDS,
  sql: {
    definition: new RegExp(
      String.raw`^create\s+(?:(?:${SQL_OPTIONS})\s+){0,4}(?:${SQL_KINDS})\s+(?:if\s+not\s+exists\s+)?` +
        String.raw`(?:${SQL_NAME}\.){0,2}(?<name>${SQL_NAME})`,
      'i',
    ),
    runsOn: true,
  },
  'tf hcl': { definition: /^(?<name>(?:locals|terraform|[a-z_]+(?:\s+"[^"]{1,100}"){1,2}))\s*\{/ },
};

const OUTLINE_BY_EXTENSION = new Map(
  Object.entries(OUTLINES).flatMap(([extensions, outline]) =>
    extensions.split(' ').map((extension): [string, Outline] => [extension, outline]),
  ),
);

const BY_EXTENSION = new Map(
  Object.entries(LANGUAGES).flatMap(([extensions, language]) =>
    extensions.split(' ').map((extension): [string, CodeLanguage] => [extension, language]),
  ),
);

export function codeLanguage(extension: string): CodeLanguage {
  const known = BY_EXTENSION.get(extension);
  if (extension === 'c') return { ...known, name: 'c' };
  const outline = OUTLINE_BY_EXTENSION.get(extension);
  return known ?? { name: NAMES[extension] ?? extension, ...(outline && { outline }) };
}
