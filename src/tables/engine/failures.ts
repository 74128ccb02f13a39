/** Failures of statements, in words for the caller. Texts of the engine may have paths and hidden names, so they are rewritten. */
import { Refused } from './gate.ts';
import { nearestNames } from './nearest-names.ts';
import type { QueryError, QueryRequest } from './protocol.ts';

export class QueryFailure extends Error {
  readonly error: QueryError;

  constructor(error: QueryError, options?: ErrorOptions) {
    super(error.message, options);
    this.name = 'QueryFailure';
    this.error = error;
  }
}

/** Classes of failures that the statement causes. */
const CLASSES = `Binder|Catalog|Conversion|Constraint|Invalid Input|Invalid Type|Mismatch Type|Not implemented|Out of Range|Parser|Syntax`;
const OF_STATEMENT = new RegExp(`^(?:${CLASSES}|Decimal|Divide by Zero) Error: `);
const MESSAGE_UNITS_MAX = 400;
const COLUMN_UNKNOWN =
  /^(?:Referenced column|Table ".*?" does not have a column named|Values list ".*?" does not have a column named|Column with name) "(.*?)"/;

export function failureOf(error: unknown, request: Pick<QueryRequest, 'sql' | 'tables'>): QueryFailure {
  if (error instanceof QueryFailure) return error;
  if (error instanceof Refused) {
    const position = Number.isNaN(error.position) ? undefined : error.position;
    return new QueryFailure({ kind: 'refused', message: error.message, position, unknownTable: error.unknownTable });
  }
  const text = error instanceof Error ? error.message : String(error);
  if (/^Out of Memory Error|memory limit|failed to allocate/i.test(text)) {
    return new QueryFailure({ kind: 'memory', message: '' });
  }
  const [head] = OF_STATEMENT.exec(text) ?? [];
  if (head === undefined) return new QueryFailure({ kind: 'broken', message: text }, { cause: error });
  const [first = ''] = text.slice(head.length).split(/\n/);
  const [, unknown] = COLUMN_UNKNOWN.exec(first) ?? [];
  if (unknown !== undefined) {
    const names = request.tables.flatMap(({ columns }) => columns.map(({ name }) => name));
    if (names.some((name) => name.toLowerCase() === unknown.toLowerCase()))
      return new QueryFailure({
        kind: 'refused',
        message: `The column ${unknown} cannot be read here: the SELECT has no table with it. Add FROM and the name of the table.`,
      });
    const at = request.sql.toLowerCase().indexOf(unknown.toLowerCase());
    return new QueryFailure({
      kind: 'refused',
      message: `There is no column ${unknown}.${nearestNames(unknown, names)}`,
      position: at < 0 ? undefined : Buffer.byteLength(request.sql.slice(0, at)),
    });
  }
  const message = withoutInternals(first, request).slice(0, MESSAGE_UNITS_MAX);
  return new QueryFailure({ kind: 'refused', message: `The query failed: ${message}` });
}

/** Removes paths of files and names that the service adds. */
function withoutInternals(text: string, { tables }: Pick<QueryRequest, 'tables'>): string {
  const withoutFiles = tables.reduce((left, { file, sqlName }) => left.replaceAll(file, sqlName), text);
  return withoutFiles.replace(/"?__pinakes_\w+"?,? ?/g, '');
}
