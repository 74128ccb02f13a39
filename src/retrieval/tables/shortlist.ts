/** Chooses the tables that a question is about. */
import { analyzeForIndex, UNDETERMINED, weighTerms } from '../../text/analyzer.ts';
import { openTables, requireEngine, TABLES_LOOKED_AT_MAX, type TableCaller, type TableDeps } from './query-tables.ts';
import type { OpenedTable } from './visible.ts';

/**
 * Returns the `limit` tables that share most with the question, the best first. A word that few tables have counts more.
 *
 * @param usesExamples whether the values may be compared as they are stored. Otherwise the choice could tell what a rule hides.
 */
export function shortlist(
  question: string,
  tables: readonly OpenedTable[],
  usesExamples: boolean,
  limit: number,
): OpenedTable[] {
  const asked = weighTerms(question, [UNDETERMINED]);
  const documents = tables.map((opened) => ({ opened, terms: tableTerms(opened, usesExamples) }));
  const weights = [...asked].map(([term, weight]) => {
    const found = documents.filter(({ terms }) => terms.has(term)).length;
    return [term, found === 0 ? 0 : weight * Math.log(1 + tables.length / found)] as const;
  });
  return documents
    .map(({ opened, terms }) => ({
      opened,
      score: weights.reduce((sum, [term, weight]) => sum + (terms.has(term) ? weight : 0), 0),
    }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ opened }) => opened);
}

function tableTerms({ table, parts }: OpenedTable, usesExamples: boolean): Set<string> {
  const columns = table.columns.flatMap(({ name, sqlName, description, examples }) => [
    name,
    sqlName,
    description,
    ...(usesExamples && parts === null ? examples : []),
  ]);
  const texts = [table.name, table.sqlName, table.description, ...columns].filter((text) => text !== null);
  const words = texts.flatMap((text) => [text, text.replaceAll('_', ' ')]).join('\n');
  return new Set(analyzeForIndex(words, null).split(' '));
}

/**
 * Returns the ids of up to `limit` tables that a question fits, without a model: tables of the sources of the hits whose names or columns
 * share a word with the question, and tables of the best hit. The best come first.
 *
 * @throws ServiceError invalid_request if a table fits and the engine is not installed.
 */
export async function findFitting(
  deps: TableDeps,
  caller: TableCaller,
  question: string,
  hits: readonly { sourceId: string }[],
  limit: number,
  signal: AbortSignal,
): Promise<string[]> {
  const sourceIds = [...new Set(hits.map(({ sourceId }) => sourceId))];
  if (sourceIds.length === 0) return [];
  const { tables, redactor } = await openTables(deps, caller, { sourceIds }, TABLES_LOOKED_AT_MAX, signal);
  const asked = [...weighTerms(question, [UNDETERMINED]).keys()];
  const fitting = tables.filter((opened) => {
    const terms = tableTerms(opened, false);
    return opened.table.sourceId === sourceIds[0] || asked.some((term) => terms.has(term));
  });
  if (fitting.length > 0) requireEngine(deps);
  return shortlist(question, fitting, redactor === null, limit).map(({ table }) => table.tableId);
}
