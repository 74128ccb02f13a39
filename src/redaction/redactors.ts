/** Loads, compiles and caches the redaction policies of tenants. */
import type { Database, Tx } from '../db/database.ts';
import { keepPlan, sql } from '../db/sql.ts';
import { setRecent } from '../util/recent.ts';
import { openTurns } from '../util/turns.ts';
import type { KeySettings } from '../vault/key-files.ts';
import { findMasterKeyId } from '../vault/master-key-store.ts';
import { tenantKey } from '../vault/tenant-key.ts';
import type { FindNames } from './names.ts';
import type { NameAnalyzer } from './presidio.ts';
import { compileRedactor, ingestMarkOf, type Redactor } from './redact.ts';
import type { RedactionPolicy } from './redaction-policy.ts';
import { findRedactionPolicy, redactionVersion } from './redaction-store.ts';

/** Maximum number of cached compiled policies; the last used ones stay. */
const CACHED_MAX = 16;
/** The purpose from which the hash key is derived: every purpose has its own key. */
const KEY_PURPOSE = 'redaction hash';
/** Whoever tries a policy chooses the text, so its hashes must differ from those of stored content. */
const TRIAL_KEY_PURPOSE = 'redaction trial hash';

export interface IngestRules {
  tenantId: string;
  /** `ingestMark` of redact.ts. */
  mark: string;
  policy: RedactionPolicy;
  hashKey: Uint8Array;
}

export interface Redactors {
  /**
   * Returns the redactor of the policy that the transaction sees in force; null if there is none or it is not enabled.
   *
   * @param version the value of `redactionVersion`, if the transaction has read it already.
   */
  forTenant(tx: Tx, version?: number | null): Promise<Redactor | null>;
  /** Returns true if a policy was in force at the last call of `forTenant`. */
  wasInForce(tenantId: string): boolean;
  /** Returns the data that a parser process needs to apply the rules of the step `ingest`; null without such rules. */
  atIngest(tx: Tx): Promise<IngestRules | null>;
  /** Compiles a policy that need not be in force, so that a caller can try it. Its hashes are not those of stored content. */
  compileTrial(tx: Tx, policy: RedactionPolicy): Promise<Redactor>;
}

interface RedactorDeps {
  db: Pick<Database, 'transaction'>;
  redactors: Pick<Redactors, 'forTenant'>;
}

/** Returns what `read` returns, with the redactor of the same transaction. Redact afterwards, because a rule may be slow. */
export function withRedactor<T extends object>(
  { db, redactors }: RedactorDeps,
  tenantId: string,
  read: (tx: Tx, redactor: Redactor | null) => Promise<T>,
): Promise<T & { redactor: Redactor | null }> {
  return db.transaction(tenantId, async (tx) => {
    const redactor = await redactors.forTenant(tx);
    return { ...(await read(tx, redactor)), redactor };
  });
}

/** Returns the redactor of a tenant, read in a transaction of its own. */
export async function readRedactor(deps: RedactorDeps, tenantId: string): Promise<Redactor | null> {
  return (await withRedactor(deps, tenantId, async () => ({}))).redactor;
}

/** @param analyzer the analyzer of names; null if none is configured. */
export function openRedactors(config: KeySettings, analyzer: NameAnalyzer | null = null): Redactors {
  const turns = openTurns();
  const cache = new Map<string, { redactor: Redactor; keyId: string | undefined }>();
  const keyFor = async (keyId: string | undefined, tenantId: string, purpose = KEY_PURPOSE) =>
    tenantKey(config, keyId, tenantId, purpose);
  const namesFor = (tenantId: string): FindNames | null =>
    analyzer && ((text, entities, signal) => analyzer.find(tenantId, text, entities, signal));
  const inForce = new Set<string>();
  return {
    wasInForce: (tenantId) => inForce.has(tenantId),
    async atIngest(tx) {
      const stored = await findRedactionPolicy(tx);
      if (!stored) return null;
      const hashKey = await keyFor(await findMasterKeyId(tx), tx.tenantId);
      const mark = ingestMarkOf(stored, hashKey);
      const { version, enabled } = stored;
      const rules = stored.rules.filter((rule) => rule.apply_at.includes('ingest'));
      return mark === '' ? null : { tenantId: tx.tenantId, mark, hashKey, policy: { version, enabled, rules } };
    },
    async compileTrial(tx, policy) {
      const hashKey = await keyFor(await findMasterKeyId(tx), tx.tenantId, TRIAL_KEY_PURPOSE);
      return compileRedactor(policy, hashKey, namesFor(tx.tenantId), turns);
    },
    async forTenant(tx, readVersion) {
      const { tenantId } = tx;
      const version = readVersion === undefined ? await findVersion(tx) : readVersion;
      if (version === null) {
        cache.delete(tenantId);
        inForce.delete(tenantId);
        return null;
      }
      inForce.add(tenantId);
      // A rotated master key changes the hashes, so it invalidates the compiled policy.
      const keyId = await findMasterKeyId(tx);
      let entry = cache.get(tenantId);
      cache.delete(tenantId);
      if (entry?.redactor.version !== version || entry.keyId !== keyId) {
        const policy = await findRedactionPolicy(tx);
        if (!policy?.enabled) return null;
        entry = { redactor: compileRedactor(policy, await keyFor(keyId, tenantId), namesFor(tenantId), turns), keyId };
      }
      setRecent(cache, tenantId, entry, CACHED_MAX);
      return entry.redactor;
    },
  };
}

async function findVersion(tx: Tx): Promise<number | null> {
  const [row] = await tx.query<{ version: number | null }>(
    keepPlan(sql`select ${redactionVersion(tx.tenantId)} as version`),
  );
  return row!.version;
}
