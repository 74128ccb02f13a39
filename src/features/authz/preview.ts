/** Previews a policy that is not stored: which sources a principal would see, and which of them differ from the stored policy. */

import { attributesOfType } from '../../access/attribute-types.ts';
import type { Caller } from '../../access/caller.ts';
import { evaluate } from '../../access/evaluate.ts';
import { type Attributes, operandOf, type Policy } from '../../access/policy.ts';
import { type CompiledPolicy, compilePolicy, NOTHING } from '../../access/policy-sql.ts';
import { findPolicy } from '../../access/policy-store.ts';
import { conditionsOf, type PolicyDocument, testResults } from '../../access/policy-tests.ts';
import { findSubject } from '../../access/subject-store.ts';
import type { Database, Tx } from '../../db/database.ts';
import { invalidAt, notFound } from '../../errors.ts';
import { addCosts, costOf, type FilterCost } from '../../filters/filter-cost.ts';
import type { MetadataFilter } from '../../filters/types.ts';
import type { Deps } from '../../http/deps.ts';
import { shownFact, wholePath } from '../../redaction/apply-redaction.ts';
import { estimatedNs, fitsBudget } from '../../retrieval/query/filter-cost.ts';
import { collect } from '../../util/collect.ts';
import { factsForRule } from './explain.ts';
import { comparePolicies, type PreviewCounts, type PreviewedSource, readSizes } from './preview-store.ts';

export interface PreviewRequest {
  /** Name of the stored policy with which the draft is compared. */
  name: string;
  /** Undefined: the stored policy itself. */
  draft: PolicyDocument | undefined;
  principal: { id: string } | { attributes: Attributes };
  limit: number;
}

export interface Preview extends PreviewCounts {
  /** Null: there is no stored policy with the name. */
  storedVersion: number | null;
  attributes: Attributes;
  /** For each test of the draft why it fails; null for a test that passes. */
  tests: (string | null)[];
  sample: (PreviewedSource & { matchedRule: string | null })[];
}

/** Besides the cost of a filter, for each condition and row. Measured on the embedded engine with metadata of 1 kB. */
const CONDITION_NS = 500;
const TAG_CONDITION_NS = 2_000;
/** A condition decompresses long metadata by itself. */
const CONDITION_BYTE_NS = 1;
/** For each source whose chunks are tested. */
const CHUNKS_NS = 17_000;

/**
 * Evaluates the draft and the stored policy for all sources that the key may see.
 *
 * @throws ServiceError not_found without a draft and a stored policy; invalid_request when the policies would take too long.
 */
export function previewPolicy(
  { db, clock, redactors }: Pick<Deps, 'db' | 'clock' | 'redactors'>,
  caller: Caller,
  { name, draft, principal, limit }: PreviewRequest,
  signal: AbortSignal,
): Promise<Preview> {
  return db.transaction(caller.tenantId, async (tx) => {
    const stored = await findPolicy(tx, name);
    const document = draft ?? stored?.definition;
    if (!document) throw notFound();
    const attributes = 'id' in principal ? await findAttributes(tx, principal.id, clock.now()) : principal.attributes;
    const rules = rulesOf(document, attributes);
    const before = stored && rulesOf(stored.definition, attributes);
    await refuseCostly(tx, db.kind, before ? [rules, before] : [rules]);
    const compared = await comparePolicies(tx, caller, {
      now: rules.compiled,
      before: before?.compiled ?? NOTHING,
      limit,
    });
    const redactor = await redactors.forTenant(tx);
    // The list of sources shows names to keys with one of these scopes only.
    const showsNames = caller.scopes.some((scope) => scope === 'knowledge:read' || scope === 'ingestion:manage');
    const sample = await collect(compared.sample, async (source) => {
      const facts = await factsForRule(tx, caller, source.id, rules.compiled.chunk);
      return {
        ...source,
        name: showsNames ? await shownFact(redactor, source.name, signal) : '',
        path: showsNames ? await wholePath(redactor, source.path, signal) : null,
        matchedRule: facts ? evaluate(rules.policy, rules.attributes, facts).matchedRule : null,
      };
    });
    return { ...compared, sample, attributes, storedVersion: stored?.version ?? null, tests: testResults(document) };
  });
}

interface Rules {
  policy: Policy;
  attributes: Attributes;
  compiled: CompiledPolicy;
}

function rulesOf({ attribute_types: types, tests: _, ...policy }: PolicyDocument, given: Attributes): Rules {
  const attributes = attributesOfType(given, types);
  return { policy, attributes, compiled: compilePolicy(policy, attributes) };
}

/** Returns the attributes of the principal; none if it is unknown or expired. */
async function findAttributes(tx: Tx, principalId: string, at: Date): Promise<Attributes> {
  const subject = await findSubject(tx, principalId);
  if (!subject || (subject.expiresAt !== null && subject.expiresAt <= at)) return {};
  return subject.attributes;
}

/** @throws ServiceError invalid_request when the policies would hold the database for longer than a filter of a search may. */
async function refuseCostly(tx: Tx, kind: Database['kind'], all: readonly Rules[]): Promise<void> {
  const { sources, chunks } = await readSizes(tx);
  let ns = 0;
  for (const { policy, attributes, compiled } of all) {
    const cost = costOfPolicy(policy, attributes);
    ns += estimatedNs(cost, sources);
    if (compiled.chunk) ns += sources.rows * CHUNKS_NS + estimatedNs(cost, chunks);
  }
  if (!fitsBudget(kind, ns))
    throw invalidAt(
      ['policy'],
      `a preview would take too long on ${sources.rows} sources. Send fewer conditions, fewer values for in and nin, or ` +
        'shorter texts for contains.',
    );
}

/** Returns the estimated work of a policy for one principal. */
function costOfPolicy(policy: Policy, attributes: Attributes): FilterCost {
  const conditions = conditionsOf(policy).map(({ condition }) => condition);
  const filters = conditions.flatMap((condition): MetadataFilter[] => {
    const operand = operandOf(condition, attributes);
    return operand === null ? [] : [{ key: condition.key, operator: condition.operator, ...operand }];
  });
  return addCosts(costOf({ operator: 'and', filters }), {
    fixedNs: 0,
    rowNs: conditions.reduce((sum, { target }) => sum + (target === 'tag' ? TAG_CONDITION_NS : CONDITION_NS), 0),
    byteNs: conditions.length * CONDITION_BYTE_NS,
  });
}
