/** Lists programming languages by file extension, with the names of definitions in their grammars. */

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
}

interface CodeLanguage {
  name: string;
  grammar?: Grammar;
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
      'namespace_definition compound_statement',
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
    grammar: grammar(
      'cpp',
      'namespace_definition class_specifier struct_specifier union_specifier',
      'function_definition enum_specifier type_definition',
      'template_declaration linkage_specification declaration_list preproc_ifdef preproc_if preproc_else preproc_elif',
      'declaration preproc_def preproc_function_def',
    ),
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

const BY_EXTENSION = new Map(
  Object.entries(LANGUAGES).flatMap(([extensions, language]) =>
    extensions.split(' ').map((extension): [string, CodeLanguage] => [extension, language]),
  ),
);

export function codeLanguage(extension: string): CodeLanguage {
  const known = BY_EXTENSION.get(extension);
  if (extension === 'c') return { ...known, name: 'c' };
  return known ?? { name: NAMES[extension] ?? extension };
}
