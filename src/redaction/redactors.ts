/** The compiled redaction policies of tenants. */
import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { openTurns } from '../util/turns.ts';
import type { KeySettings } from '../vault/key-files.ts';
import { findMasterKeyId } from '../vault/master-key-store.ts';
import { tenantKey } from '../vault/tenant-key.ts';
import type { FindNames } from './names.ts';
import type { NameAnalyzer } from './presidio.ts';
import { compileRedactor, ingestMarkOf, type Redactor } from './redact.ts';
import type { RedactionPolicy } from './redaction-policy.ts';
import { findRedactionPolicy, redactionVersion } from './redaction-store.ts';

/** Compiled policies that are kept, the last used ones. */
const KEPT_MAX = 16;
/** What the hash key is for: another purpose, another key. */
const KEY_PURPOSE = 'redaction hash';

export interface IngestRules {
  tenantId: string;
  /** redact.ts: ingestMark. */
  mark: string;
  policy: RedactionPolicy;
  hashKey: Uint8Array;
}

export interface Redactors {
  /**
   * The policy in force as the transaction sees it; null: none, or not enabled.
   *
   * @param version `redactionVersion`, where the transaction has read it already.
   */
  forTenant(tx: Queryable, tenantId: string, version?: number | null): Promise<Redactor | null>;
  /** Whether one was in force when it was last asked for. */
  wasInForce(tenantId: string): boolean;
  /** What a process that reads files needs to apply the rules of the step `ingest`; null: there are none. */
  atIngest(tx: Queryable, tenantId: string): Promise<IngestRules | null>;
  /** A policy that need not be in force: to try it. */
  compile(tx: Queryable, tenantId: string, policy: RedactionPolicy): Promise<Redactor>;
}

/** @param analyzer of names; null: none is configured. */
export function openRedactors(config: KeySettings, analyzer: NameAnalyzer | null = null): Redactors {
  const turns = openTurns();
  const kept = new Map<string, { redactor: Redactor; keyId: string | undefined }>();
  const keyFor = async (keyId: string | undefined, tenantId: string) => tenantKey(config, keyId, tenantId, KEY_PURPOSE);
  const namesFor = (tenantId: string): FindNames | null =>
    analyzer && ((text, entities, signal) => analyzer.find(tenantId, text, entities, signal));
  const inForce = new Set<string>();
  return {
    wasInForce: (tenantId) => inForce.has(tenantId),
    async atIngest(tx, tenantId) {
      const stored = await findRedactionPolicy(tx, tenantId);
      if (!stored) return null;
      const hashKey = await keyFor(await findMasterKeyId(tx), tenantId);
      const mark = ingestMarkOf(stored, hashKey);
      const { version, enabled } = stored;
      const rules = stored.rules.filter((rule) => rule.apply_at.includes('ingest'));
      return mark === '' ? null : { tenantId, mark, hashKey, policy: { version, enabled, rules } };
    },
    async compile(tx, tenantId, policy) {
      return compileRedactor(policy, await keyFor(await findMasterKeyId(tx), tenantId), namesFor(tenantId), turns);
    },
    async forTenant(tx, tenantId, known) {
      const version = known === undefined ? await findVersion(tx, tenantId) : known;
      if (version === null) {
        kept.delete(tenantId);
        inForce.delete(tenantId);
        return null;
      }
      inForce.add(tenantId);
      // A rotation of the master key changes the hashes.
      const keyId = await findMasterKeyId(tx);
      let entry = kept.get(tenantId);
      kept.delete(tenantId);
      if (entry?.redactor.version !== version || entry.keyId !== keyId) {
        const policy = await findRedactionPolicy(tx, tenantId);
        if (!policy?.enabled) return null;
        entry = { redactor: compileRedactor(policy, await keyFor(keyId, tenantId), namesFor(tenantId), turns), keyId };
      }
      kept.set(tenantId, entry);
      for (const oldest of kept.keys()) {
        if (kept.size <= KEPT_MAX) break;
        kept.delete(oldest);
      }
      return entry.redactor;
    },
  };
}

async function findVersion(tx: Queryable, tenantId: string): Promise<number | null> {
  const [row] = await tx.query<{ version: number | null }>(sql`select ${redactionVersion(tenantId)} as version`);
  return row!.version;
}
