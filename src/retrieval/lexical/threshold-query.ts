/** Builds a tsquery for the chunks that can reach a score at all. Pure. */

export interface BoundedTerm {
  term: string;
  /** The maximum that the term adds to the score of a chunk. */
  bound: number;
}

/** Maximum number of nested conjunctions: deeper queries cost the index more time than they save. */
const DEPTH_MAX = 2;
/** A query with more operands is replaced by a query of single terms. */
const OPERANDS_MAX = 300;

/** Returns the term as an operand of a tsquery. */
export function operand(term: string): string {
  return `'${term.replace(/['\\]/g, '$&$&')}'`;
}

/** Returns the query for chunks with any of the terms, which must not be empty. */
export function anyOf(terms: readonly BoundedTerm[]): string {
  return terms.map(({ term }) => operand(term)).join('|');
}

/**
 * Returns a query that matches every chunk whose terms' bounds add up to `score` or more, and some other chunks. Returns undefined if
 * no chunk can reach the score. `terms` are ordered by bound, greatest first.
 *
 * Consider the first of the terms that a chunk contains. It reaches the score alone, or together with terms after it.
 */
export function reaching(terms: readonly BoundedTerm[], score: number): string | undefined {
  for (let depth = DEPTH_MAX; ; depth -= 1) {
    const operands = { count: 0 };
    const query = alternatives(terms, 0, score, depth, operands);
    if (depth === 1 || operands.count <= OPERANDS_MAX) return query;
  }
}

function alternatives(
  terms: readonly BoundedTerm[],
  from: number,
  score: number,
  depth: number,
  operands: { count: number },
): string | undefined {
  const parts: string[] = [];
  let possible = terms.slice(from).reduce((sum, { bound }) => sum + bound, 0);
  for (let i = from; i < terms.length && possible >= score; i += 1) {
    const { term, bound } = terms[i]!;
    operands.count += 1;
    if (bound >= score || depth === 1) parts.push(operand(term));
    else {
      const others = alternatives(terms, i + 1, score - bound, depth - 1, operands);
      if (others !== undefined) parts.push(`${operand(term)}&(${others})`);
    }
    possible -= bound;
  }
  return parts.length === 0 ? undefined : parts.join('|');
}
