/** Chooses the tables that a question is about. Pure. */
import { analyzeForIndex, UNDETERMINED, weighTerms } from '../../text/analyzer.ts';
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
  const documents = tables.map((opened) => ({ opened, terms: termsOf(opened, usesExamples) }));
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

function termsOf({ table, parts }: OpenedTable, usesExamples: boolean): Set<string> {
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
