/**
 * The gate in front of the engine: it lets a statement through whose syntax tree has known parts only. What is not on a list is refused,
 * so a new function or a new clause of the engine is refused until it is added here.
 */
import { readWordList } from '../../util/package-files.ts';
import { nearestNames } from './nearest-names.ts';
import { isNode, type Node, nodesOf, positionOf, type Statement, textOf } from './syntax.ts';

/** A statement that may not run. `position` is in UTF-8 bytes. */
export class Refused extends Error {
  readonly position: number | undefined;
  /** The name of a table that is not there. */
  readonly unknownTable: string | undefined;

  constructor(message: string, position?: number, unknownTable?: string) {
    super(message);
    this.name = 'Refused';
    this.position = position;
    this.unknownTable = unknownTable;
  }
}

export interface GateTable {
  sqlName: string;
  columns: readonly { name: string }[];
}

export interface AllowedFunctions {
  aggregates: ReadonlySet<string>;
  others: ReadonlySet<string>;
  tables: ReadonlySet<string>;
}

/** Names of tables and columns that the service adds begin with this. */
export const OWN_PREFIX = '__pinakes_';

/** Below the depth at which the walk would use up the stack. */
const DEPTH_MAX = 1_000;

/** Classes of expressions with their types. An empty list: the type is the class. */
const EXPRESSIONS: Readonly<Record<string, readonly string[]>> = {
  BETWEEN: ['COMPARE_BETWEEN'],
  CASE: ['CASE_EXPR'],
  CAST: ['OPERATOR_CAST'],
  COLLATE: ['COLLATE'],
  COLUMN_REF: ['COLUMN_REF'],
  COMPARISON: [
    'COMPARE_EQUAL',
    'COMPARE_NOTEQUAL',
    'COMPARE_LESSTHAN',
    'COMPARE_GREATERTHAN',
    'COMPARE_LESSTHANOREQUALTO',
    'COMPARE_GREATERTHANOREQUALTO',
    'COMPARE_DISTINCT_FROM',
    'COMPARE_NOT_DISTINCT_FROM',
  ],
  CONJUNCTION: ['CONJUNCTION_AND', 'CONJUNCTION_OR'],
  CONSTANT: ['VALUE_CONSTANT'],
  FUNCTION: ['FUNCTION'],
  LAMBDA: ['LAMBDA'],
  LAMBDA_REF: ['LAMBDA_REF'],
  OPERATOR: [
    'ARRAY_CONSTRUCTOR',
    'ARRAY_EXTRACT',
    'ARRAY_SLICE',
    'COMPARE_IN',
    'COMPARE_NOT_IN',
    'GROUPING_FUNCTION',
    'OPERATOR_COALESCE',
    'OPERATOR_IS_NOT_NULL',
    'OPERATOR_IS_NULL',
    'OPERATOR_NOT',
    'OPERATOR_NULLIF',
    'OPERATOR_TRY',
    'STRUCT_EXTRACT',
  ],
  POSITIONAL_REFERENCE: ['POSITIONAL_REFERENCE'],
  STAR: ['STAR'],
  SUBQUERY: ['SUBQUERY'],
  WINDOW: [
    'WINDOW_AGGREGATE',
    'WINDOW_CUME_DIST',
    'WINDOW_FILL',
    'WINDOW_FIRST_VALUE',
    'WINDOW_LAG',
    'WINDOW_LAST_VALUE',
    'WINDOW_LEAD',
    'WINDOW_NTH_VALUE',
    'WINDOW_NTILE',
    'WINDOW_PERCENT_RANK',
    'WINDOW_RANK',
    'WINDOW_RANK_DENSE',
    'WINDOW_ROW_NUMBER',
  ],
};

/** Types of the parts of a statement that are no expressions. */
const PARTS: ReadonlySet<string> = new Set([
  ...['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE'],
  ...['BASE_TABLE', 'EMPTY', 'EXPRESSION_LIST', 'JOIN', 'SUBQUERY', 'TABLE_FUNCTION'],
  ...['DISTINCT_MODIFIER', 'LIMIT_MODIFIER', 'LIMIT_PERCENT_MODIFIER', 'ORDER_MODIFIER'],
  ...['ASCENDING', 'DESCENDING', 'ORDER_DEFAULT'],
  ...['DECIMAL_TYPE_INFO', 'LIST_TYPE_INFO', 'STRUCT_TYPE_INFO', 'UNBOUND_TYPE_INFO', 'STRING_TYPE_INFO'],
]);

const TYPES: ReadonlySet<string> = new Set([
  ...['BIGINT', 'BIT', 'BLOB', 'BOOLEAN', 'CHAR', 'DATE', 'DECIMAL', 'DOUBLE', 'FLOAT', 'HUGEINT', 'INTEGER'],
  ...['INTEGER_LITERAL', 'INTERVAL', 'LIST', 'MAP', 'NULL', 'SMALLINT', 'SQLNULL', 'STRING_LITERAL', 'STRUCT', 'TIME'],
  ...['TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMP_S', 'TIME WITH TIME ZONE'],
  ...['TINYINT', 'UBIGINT', 'UHUGEINT', 'UINTEGER', 'UNBOUND', 'USMALLINT', 'UTINYINT', 'UUID', 'VARCHAR'],
]);

/** Names of types as a statement writes them. */
const TYPE_NAMES: ReadonlySet<string> = new Set(
  `bigint bit bool boolean blob bpchar bytea char date datetime dec decimal double float float4 float8 hugeint int int1 int2 int4 int8
  integer interval json long logical nvarchar numeric real short signed smallint string text time timestamp timestamptz timestamp_ms
  timestamp_ns timestamp_s timetz tinyint ubigint uhugeint uint uinteger usmallint utinyint uuid varchar list map struct`.split(
    /\s+/,
  ),
);

/** Names without parentheses that the engine reads as functions if no column has them. */
const KEYWORD_FUNCTIONS: ReadonlySet<string> = new Set(
  `user current_user session_user current_role current_catalog current_schema current_database`.split(' '),
);

const READABLE: Readonly<Record<string, string>> = {
  PARAMETER: 'a parameter',
  PIVOT: 'PIVOT or UNPIVOT',
  SHOW_REF: 'DESCRIBE, SHOW or SUMMARIZE',
  DEFAULT: 'DEFAULT',
};

/** Returns the functions that statements may call. Reads files, so callers keep the result. */
export function readAllowedFunctions(): AllowedFunctions {
  const read = (name: string) => new Set(readWordList(`sql-functions/${name}.txt`));
  return { aggregates: read('aggregates'), others: read('others'), tables: read('tables') };
}

/** Refuses a statement that reaches for anything but the tables. @throws Refused */
export function checkStatement(statement: Statement, tables: readonly GateTable[], allowed: AllowedFunctions): void {
  const names = new Set(tables.map(({ sqlName }) => sqlName.toLowerCase()));
  const columns = new Set(tables.flatMap((table) => table.columns.map(({ name }) => name.toLowerCase())));
  new Gate(names, columns, allowed).check(statement, new Set(), 0);
}

class Gate {
  private readonly tables: ReadonlySet<string>;
  private readonly columns: ReadonlySet<string>;
  private readonly allowed: AllowedFunctions;

  constructor(tables: ReadonlySet<string>, columns: ReadonlySet<string>, allowed: AllowedFunctions) {
    this.tables = tables;
    this.columns = columns;
    this.allowed = allowed;
  }

  /** @param named the names that WITH clauses around the value give to queries. */
  check(value: unknown, named: ReadonlySet<string>, depth: number): void {
    if (depth > DEPTH_MAX) throw new Refused('The statement is nested too deeply.');
    // Places tell of hidden rows between the visible ones, so no statement may read or name a column that the service adds.
    if (typeof value === 'string' && value.toLowerCase().startsWith(OWN_PREFIX))
      throw new Refused(`The name ${value} is not allowed.`);
    if (Array.isArray(value)) for (const member of value) this.check(member, named, depth + 1);
    if (!isNode(value)) return;
    this.checkNode(value, named);
    const inside = this.withNames(value, named, depth);
    for (const [key, member] of Object.entries(value)) {
      if (key !== 'cte_map') this.check(member, inside, depth + 1);
    }
  }

  private checkNode(node: Node, named: ReadonlySet<string>): void {
    const at = positionOf(node);
    if ('class' in node) {
      const known = EXPRESSIONS[textOf(node['class'])];
      if (!known?.includes(textOf(node['type']))) throw notAllowed(textOf(node['class']), textOf(node['type']), at);
    } else if (typeof node['type'] === 'string' && !PARTS.has(node['type'])) {
      throw notAllowed(node['type'], node['type'], at);
    }
    if ('function_name' in node) this.checkFunction(node, at);
    if ('table_name' in node) this.checkTable(node, named, at);
    if (node['class'] === 'COLUMN_REF') this.checkColumn(node, at);
    if (node['type'] === 'TABLE_FUNCTION') this.checkTableFunction(node, at);
    if (typeof node['id'] === 'string' && !TYPES.has(node['id']))
      throw new Refused(`The type ${node['id']} is not allowed.`);
    if (node['type'] === 'UNBOUND_TYPE_INFO') checkTypeName(node);
  }

  private checkFunction(node: Node, at: number | undefined): void {
    const name = textOf(node['function_name']).toLowerCase();
    const schema = textOf(node['schema']);
    // The parser of the engine adds this schema to its own functions.
    if ((schema !== '' && schema !== 'main') || textOf(node['catalog']) !== '') {
      throw new Refused(`The call ${schema}.${name}(…) is not allowed. Write ${name}(${schema}).`, at);
    }
    const { aggregates, others, tables } = this.allowed;
    if (!aggregates.has(name) && !others.has(name) && !tables.has(name)) {
      const near = nearestNames(
        name,
        [...aggregates, ...others].filter((one) => /^[a-z]/.test(one)),
      );
      throw new Refused(`The function ${name} is not allowed.${near}`, at);
    }
  }

  private checkTableFunction(node: Node, at: number | undefined): void {
    const called = node['function'];
    const name = isNode(called) ? textOf(called['function_name']).toLowerCase() : '';
    if (!this.allowed.tables.has(name)) throw new Refused(`The table function ${name} is not allowed.`, at);
  }

  private checkTable(node: Node, named: ReadonlySet<string>, at: number | undefined): void {
    const name = textOf(node['table_name']);
    const isQualified = textOf(node['schema_name']) !== '' || textOf(node['catalog_name']) !== '';
    if (!isQualified && (this.tables.has(name.toLowerCase()) || named.has(name.toLowerCase()))) {
      if (node['at_clause'] !== null) throw new Refused('AT is not allowed.', at);
      return;
    }
    const full = [node['catalog_name'], node['schema_name'], name].map(textOf).filter(Boolean).join('.');
    throw new Refused(`There is no table ${full}.`, at, full);
  }

  private checkColumn(node: Node, at: number | undefined): void {
    const names = Array.isArray(node['column_names']) ? node['column_names'].map(textOf) : [];
    const [name = ''] = names;
    if (names.length !== 1 || !KEYWORD_FUNCTIONS.has(name.toLowerCase())) return;
    if (!this.columns.has(name.toLowerCase())) throw new Refused(`The function ${name} is not allowed.`, at);
  }

  /** Checks the queries of the WITH clause of a node. Returns the names that hold inside the node. */
  private withNames(node: Node, named: ReadonlySet<string>, depth: number): ReadonlySet<string> {
    const inside = new Set(named);
    if (node['type'] === 'RECURSIVE_CTE_NODE' || node['type'] === 'CTE_NODE')
      inside.add(textOf(node['cte_name']).toLowerCase());
    const withClause = isNode(node['cte_map']) ? nodesOf(node['cte_map']['map']) : [];
    for (const entry of withClause) {
      const name = textOf(entry['key']).toLowerCase();
      // A name of the engine's own catalogue would stand for it wherever the WITH clause does not hold.
      if (/^(?:duckdb_|pg_|pragma_|sqlite_|information_schema)/.test(name)) {
        throw new Refused(`The name ${name} is not allowed for a query of WITH.`);
      }
      this.check(entry, inside, depth + 1);
      inside.add(name);
    }
    return inside;
  }
}

function checkTypeName(node: Node): void {
  const name = textOf(node['name']);
  const isQualified = textOf(node['schema']) !== '' || textOf(node['catalog']) !== '';
  if (isQualified || !TYPE_NAMES.has(name.toLowerCase())) throw new Refused(`The type ${name} is not allowed.`);
}

function notAllowed(kind: string, type: string, at: number | undefined): Refused {
  return new Refused(`${READABLE[kind] ?? type.toLowerCase().replaceAll('_', ' ')} is not allowed in a query.`, at);
}
