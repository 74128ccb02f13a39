/** Explains whether a principal may see a source or chunk: evaluates the policy on the facts about it. */

import type { Principal } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { type Decision, evaluate, type Facts } from '../../access/evaluate.ts';
import { compilePolicy } from '../../access/policy-sql.ts';
import { findRules } from '../../access/policy-store.ts';
import type { Tx } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { orNotFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { findChunkFacts, findDecidingChunk, findSourceFacts } from './explain-store.ts';

export interface Explanation extends Pick<Decision, 'allowed'> {
  /** JSON pointer within the policy; null when there is no policy with this name. */
  matchedRule: string | null;
}

/**
 * Evaluates the policy for a source or chunk. A source is explained by its first visible chunk, or by its first chunk if none is visible.
 *
 * @throws ServiceError not_found for an object that does not exist, or that lies outside the limits of the API key.
 */
export function explain(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  principal: Principal,
  object: { kind: 'source' | 'chunk'; id: string },
): Promise<Explanation> {
  return db.transaction(caller.tenantId, async (tx) => {
    const { policy, attributes } = await findRules(tx, principal);
    const chunk = policy && compilePolicy(policy, attributes).chunk;
    const facts =
      object.kind === 'chunk'
        ? await findChunkFacts(tx, object.id, caller)
        : await factsForRule(tx, caller, object.id, chunk);
    const found = orNotFound(facts);
    return policy ? evaluate(policy, attributes, found) : { allowed: false, matchedRule: null };
  });
}

/** Returns the facts by which a policy decides on a source; undefined if the source is gone or outside the limits of the key. */
export async function factsForRule(
  tx: Tx,
  caller: Caller,
  sourceId: string,
  chunk: Sql | null | undefined,
): Promise<Facts | undefined> {
  const facts = await findSourceFacts(tx, sourceId, caller);
  if (!facts || !chunk) return facts;
  return { ...facts, chunk: await findDecidingChunk(tx, facts, chunk) };
}
