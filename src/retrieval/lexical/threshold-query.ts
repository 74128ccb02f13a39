/** Which chunks can score enough at all, as a query that an index over terms answers. Pure. */

export interface BoundedTerm {
  term: string;
  /** More than that it adds to no chunk's score. */
  bound: number;
}

/** So many terms that stand together are demanded at most. More cost the index more than they spare. */
const DEPTH_MAX = 2;
/** A query with more operands than that is made of single terms instead. */
const OPERANDS_MAX = 300;

/** A term as an operand of a tsquery. */
export function operand(term: string): string {
  return `'${term.replace(/['\\]/g, '$&$&')}'`;
}

/** Chunks with any of the terms. Not empty. */
export function anyOf(terms: readonly BoundedTerm[]): string {
  return terms.map(({ term }) => operand(term)).join('|');
}

/**
 * Finds every chunk whose terms' bounds add up to `score` or more, and others. `terms` come by bound, greatest first.
 * Undefined when there can be no such chunk.
 *
 * A chunk that reaches the score has a first of the terms, which alone does it or needs others that come after it.
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
