/** Tests candidates against the truth: the rows of the transaction that reads. */
import type { Tx } from '../../db/database.ts';
import { join, sql } from '../../db/sql.ts';
import type { Engine, Scope, SearchedCorpus } from '../engine.ts';
import { lookedUpPredicates } from '../query/filter-sql.ts';

/** Returns the corpus of the engine. Its candidates are tested in the transaction, here unless by the engine. */
export function openCorpus(tx: Tx, engine: Engine, scope: Scope): SearchedCorpus {
  const corpus = engine.open(tx, scope);
  if (engine.testsCandidates) return corpus;
  return {
    async candidates(query) {
      const found = await corpus.candidates(query);
      const kept = new Set(await keepMatching(tx, scope, [...found.lexical, ...found.semantic]));
      return {
        ...found,
        lexical: found.lexical.filter((candidate) => kept.has(candidate)),
        semantic: found.semantic.filter((candidate) => kept.has(candidate)),
      };
    },
  };
}

/** Returns the candidates that exist now, are served and within the scope, in their order. */
export async function keepMatching<T extends { id: string }>(
  tx: Tx,
  scope: Scope,
  candidates: readonly T[],
): Promise<T[]> {
  const kept = await tx.query<{ id: string }>(sql`
    select c.id from chunk c
    where c.id = any(${candidates.map(({ id }) => id)}::uuid[]) and ${join(lookedUpPredicates(scope), ' and ')}`);
  const ids = new Set(kept.map(({ id }) => id));
  return candidates.filter(({ id }) => ids.has(id));
}
