/** Prefers the chunks of some source groups. */
import { bestFirst, type SearchedCorpus } from '../engine.ts';

/**
 * The BM25 scores of preferred chunks are multiplied by this. In 11 packages of code, the definition of a name that several packages have
 * is first for 28 of 120 queries "package name" with 1, for 70 with 1.4, for 76 with 2 and for 77 with 3.
 */
const PREFERENCE = 2;

/** Returns the corpus `all`, whose chunks in `preferred`, a part of it, have higher lexical scores. */
export function preferring(all: SearchedCorpus, preferred: SearchedCorpus): SearchedCorpus {
  return {
    ...all,
    async candidates(query) {
      const found = await all.candidates(query);
      const { lexical } = await preferred.candidates({ ...query, vector: undefined });
      const ids = new Set(lexical.map(({ id }) => id));
      const raised = lexical.map((one) => ({ ...one, score: one.score * PREFERENCE }));
      const both = bestFirst([...raised, ...found.lexical.filter(({ id }) => !ids.has(id))]);
      return { ...found, lexical: both.slice(0, query.depth) };
    },
  };
}
