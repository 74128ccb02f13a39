/**
 * The syntax tree of a statement, as `json_serialize_sql` of the engine writes it. Numbers keep their digits, because places without a
 * position are 2^64 - 1, which a JavaScript number rounds; the engine refuses the rounded number.
 */

export type Node = Record<string, unknown>;

/** The tree of one statement: `{ node, named_param_map }`. */
export type Statement = Node & { node: Node };

interface RawJson {
  rawJSON: string;
}

const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): RawJson;
  isRawJSON(value: unknown): value is RawJson;
};

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/** Returns the value of a JSON text. Integers that a JavaScript number cannot hold stay as they are written. */
export function parseTree(text: string): unknown {
  const keep: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined ? rawJSON(source) : value;
  return (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, keep);
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

export function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns the position of a node in the statement, in UTF-8 bytes; undefined if the tree does not say it. */
export function positionOf(node: Node): number | undefined {
  return typeof node['query_location'] === 'number' ? node['query_location'] : undefined;
}

/** Calls `visit` for each node below `value`, and for `value` itself. A node for which `visit` returns false is not entered. */
export function walk(value: unknown, visit: (node: Node) => boolean): void {
  if (Array.isArray(value)) for (const member of value) walk(member, visit);
  else if (isNode(value) && visit(value)) for (const member of Object.values(value)) walk(member, visit);
}
