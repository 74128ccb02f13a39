/** The caller of a request: the scopes and limits of its API key. */

export const SCOPES = [
  'inference:run',
  'knowledge:read',
  'knowledge:write',
  'ingestion:manage',
  'authz:grant',
  'policy:redaction:manage',
  'apikeys:issue',
  'audit:read',
  'conversations:all',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The tenant, scopes and limits of the API key that makes a request. */
export interface Caller {
  tenantId: string;
  /** Number of the tenant's chunk partition. */
  partitionNo: number;
  apiKeyId: string;
  /** The operator's key from which the key descends, or the key itself. Rate limits count for all keys that descend from it. */
  rootKeyId: string;
  /** The first key of the chain of rotations to which the key belongs. Its conversations belong to the whole chain. */
  keyFamilyId: string;
  scopes: readonly Scope[];
  /** The key may see only these source groups; null means no limit. */
  sourceGroupIds: readonly string[] | null;
  /** The key may see only source groups with one of these tags; null means no limit. */
  tagIds: readonly string[] | null;
  /** The session of the console; absent if the request sent a key. */
  sessionId?: string;
  /** When the key expires; null means never. */
  expiresAt: Date | null;
}
