/** Lists programming languages by file extension, with the names of definitions in their grammars. */

import { readWordList } from '../../../util/package-files.ts';
import { CODE_ENDINGS } from '../../detect/file-types.ts';
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

/** Functions and classes as values: a variable or field with such a value is always a definition. */
export const FUNCTION_VALUES: ReadonlySet<string> = new Set([
  ...['arrow_function', 'function_expression', 'generator_function', 'class'],
]);

/** Nodes before a definition that belong to it. */
export const LEADS: ReadonlySet<string> = new Set([
  ...['comment', 'line_comment', 'block_comment', 'decorator', 'attribute_item', 'attribute_list'],
  ...['template_parameter_list', 'annotation', 'marker_annotation'],
]);

const KINDS = ['containers', 'leaves', 'wrappers', 'values'] as const;

/** Nodes by `grammar kind`. */
const NODES = new Map(
  readWordList('code/definitions.txt').flatMap((line) => {
    const [files = '', kind, ...nodes] = line.split(' ');
    return files.split(',').map((file) => [`${file} ${kind}`, new Set(nodes)] as const);
  }),
);

const MASKS: Record<string, (text: string) => string> = { vue: scriptsAlone, svelte: scriptsAlone, cpp: withoutMacros };

function grammar(file: string, language: string): Grammar {
  const nodes = KINDS.map((kind) => [kind, NODES.get(`${file} ${kind}`) ?? new Set()]);
  const mask = MASKS[language] ?? MASKS[file];
  return {
    ...(Object.fromEntries(nodes) as Record<(typeof KINDS)[number], Set<string>>),
    file,
    tests: /script|tsx/.test(file),
    ...(mask && { mask }),
  };
}

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

export function codeLanguage(ending: string): CodeLanguage {
  const [name = ending, file] = CODE_ENDINGS.get(ending) ?? [];
  const outline = OUTLINE_BY_EXTENSION.get(ending);
  return { name, ...(file && { grammar: grammar(file, name) }), ...(outline && { outline }) };
}
