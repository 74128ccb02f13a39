/**
 * Rewrites a statement so that its result says which rows of the tables it comes from.
 *
 * A query of rows gets the row of each table as more columns. A query of aggregates gets a second statement that selects the rows
 * which the aggregates read. Other statements (DISTINCT, set operations, WITH, queries in FROM) are not traced.
 */
import { OWN_PREFIX } from './gate.ts';
import { isNode, type Node, nodesOf, parseTree, type Statement, textOf, walk } from './syntax.ts';

/** Column of a table that has the row and its part of the source, for a traced statement only. */
export const PLACE_COLUMN = `${OWN_PREFIX}place`;

export interface Traced {
  kind: 'rows' | 'aggregates';
  /** For rows: the statement with a place column for each table. For aggregates: a statement of place columns. */
  statement: Statement;
  /** The SQL names of the traced tables, in the order of the place columns. The same table may be there twice. */
  tables: string[];
}

/** Names of the engine that may stand before the name of a table. */
const SPACES = new Set(['main', 'memory']);
const UNTRACED_JOINS = new Set(['NATURAL', 'POSITIONAL']);

/** Returns the rewritten statement; undefined if its rows cannot be traced. Does not change `statement`. */
export function traceStatement(statement: Statement, aggregates: ReadonlySet<string>): Traced | undefined {
  const node = statement.node;
  if (node['type'] !== 'SELECT_NODE' || nodesOf((node['cte_map'] as Node | undefined)?.['map']).length > 0)
    return undefined;
  if (node['sample'] !== null && node['sample'] !== undefined) return undefined;
  const bases = baseTablesOf(node['from_table']);
  if (!bases || bases.length === 0 || mayShowPlaces(node, aggregates)) return undefined;
  const modifiers = nodesOf(node['modifiers']);
  if (modifiers.some(({ type }) => type === 'DISTINCT_MODIFIER')) return undefined;
  const places = bases.map(({ reference }, i) => placeOf(reference, i));
  const tables = bases.map(({ table }) => table);
  if (isAggregated(node, aggregates)) {
    if (isNode(node['qualify'])) return undefined;
    const reduced = {
      ...node,
      modifiers: [],
      select_list: places,
      group_expressions: [],
      group_sets: [],
      aggregate_handling: 'STANDARD_HANDLING',
      having: null,
    };
    return { kind: 'aggregates', statement: { ...statement, node: reduced }, tables };
  }
  const selected = withoutPlaces(node['select_list'], bases);
  if (!selected) return undefined;
  return {
    kind: 'rows',
    statement: { ...statement, node: { ...node, select_list: [...selected, ...places] } },
    tables,
  };
}

interface Base {
  table: string;
  /** The name by which the statement calls the table. */
  reference: string;
}

/** Returns the tables of FROM, in their order; undefined if FROM has anything else than tables and functions. */
function baseTablesOf(from: unknown): Base[] | undefined {
  if (!isNode(from)) return undefined;
  const table = textOf(from['table_name']);
  switch (from['type']) {
    case 'BASE_TABLE':
      if (from['sample'] !== null || nodesOf(from['column_name_alias']).length > 0) return undefined;
      if (Array.isArray(from['column_name_alias']) && from['column_name_alias'].length > 0) return undefined;
      return [{ table, reference: textOf(from['alias']) || table }];
    case 'TABLE_FUNCTION':
      return from['sample'] === null ? [] : undefined;
    case 'JOIN': {
      if (UNTRACED_JOINS.has(textOf(from['ref_type']))) return undefined;
      const left = baseTablesOf(from['left']);
      const right = baseTablesOf(from['right']);
      if (!left || !right) return undefined;
      // The rows of the right side of these joins are not in the result.
      return ['SEMI', 'ANTI'].includes(textOf(from['join_type'])) ? left : [...left, ...right];
    }
    default:
      return undefined;
  }
}

/**
 * Returns true if the place columns could get into a value: by the name of a table, the number of a column, a join of all columns, or a
 * star that is not a member of the select list of rows.
 */
function mayShowPlaces(node: Node, aggregates: ReadonlySet<string>): boolean {
  const names = new Set<string>();
  const members = new Set(isAggregated(node, aggregates) ? [] : nodesOf(node['select_list']));
  let found = false;
  walk(node, (inner) => {
    if (inner['type'] === 'BASE_TABLE')
      names.add((textOf(inner['alias']) || textOf(inner['table_name'])).toLowerCase());
    if (inner['type'] === 'JOIN' && UNTRACED_JOINS.has(textOf(inner['ref_type']))) found = true;
    if (inner['class'] === 'POSITIONAL_REFERENCE' || (inner['class'] === 'STAR' && !members.has(inner))) found = true;
    return true;
  });
  walk(node, (inner) => {
    const path = inner['class'] === 'COLUMN_REF' ? inner['column_names'] : undefined;
    if (!Array.isArray(path)) return true;
    const parts = path.map((part) => textOf(part).toLowerCase());
    if (names.has(parts.at(-1)!) && parts.slice(0, -1).every((part) => SPACES.has(part))) found = true;
    return true;
  });
  return found;
}

function isAggregated(node: Node, aggregates: ReadonlySet<string>): boolean {
  if (nodesOf(node['group_expressions']).length > 0 || nodesOf(node['group_sets']).length > 0) return true;
  if (Array.isArray(node['group_sets']) && node['group_sets'].length > 0) return true;
  if (node['aggregate_handling'] !== 'STANDARD_HANDLING' || isNode(node['having'])) return true;
  let found = false;
  walk([node['select_list'], node['modifiers']], (inner) => {
    if (inner['class'] === 'SUBQUERY') return false;
    if (inner['class'] === 'FUNCTION' && aggregates.has(textOf(inner['function_name']).toLowerCase())) found = true;
    return true;
  });
  return found;
}

/** Returns the select list whose stars leave the place columns out; undefined if a star cannot. */
function withoutPlaces(list: unknown, bases: readonly Base[]): Node[] | undefined {
  const names = new Set(bases.map(({ reference }) => reference.toLowerCase()));
  let isPossible = true;
  const selected = nodesOf(list).map((member) => {
    const isStar = member['class'] === 'STAR';
    walk(member, (inner) => {
      // A star inside of an expression, or one that selects columns by a pattern.
      if (inner['class'] === 'STAR' && (!isStar || inner !== member)) isPossible = false;
      return true;
    });
    if (!isStar) return member;
    if (member['columns'] === true || isNode(member['expr'])) isPossible = false;
    const relation = textOf(member['relation_name']).toLowerCase();
    if (relation !== '' && !names.has(relation)) return member;
    const excluded = Array.isArray(member['exclude_list']) ? member['exclude_list'] : [];
    return { ...member, exclude_list: [...excluded, PLACE_COLUMN] };
  });
  return isPossible ? selected : undefined;
}

function placeOf(reference: string, index: number): Node {
  return {
    class: 'COLUMN_REF',
    type: 'COLUMN_REF',
    alias: `${PLACE_COLUMN}_${index}`,
    query_location: parseTree(NOWHERE),
    column_names: [reference, PLACE_COLUMN],
  };
}

/** The place of a node that is not in the text of the statement. */
const NOWHERE = '18446744073709551615';

/** The bits of a place below those of the start, and below those of the part. A place is a whole number of 128 bits. */
const ROW_BITS = 32;
const START_BITS = 32;

/** The value of the place column, in SQL. */
export const PLACE_SQL = [
  `_part::hugeint * ${2n ** BigInt(ROW_BITS + START_BITS)}`,
  `_start::hugeint * ${2n ** BigInt(ROW_BITS)}`,
  '_row::hugeint',
].join(' + ');

/** Returns the row, its first code point in the text of the source, and the part of a place. */
export function rowOfPlace(place: bigint): { row: number; start: number; part: number } {
  return {
    row: Number(BigInt.asUintN(ROW_BITS, place)),
    start: Number(BigInt.asUintN(START_BITS, place >> BigInt(ROW_BITS))),
    part: Number(place >> BigInt(ROW_BITS + START_BITS)),
  };
}
