/** Who makes a request: the scopes and limits of an API key. */
export const SCOPES = [
  'inference:run',
  'knowledge:read',
  'knowledge:write',
  'ingestion:manage',
  'authz:grant',
  'policy:redaction:manage',
  'apikeys:issue',
  'audit:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Who is calling: the API key's tenant, scopes and limits. */
export interface Caller {
  tenantId: string;
  /** Number of the tenant's chunk partition. */
  partitionNo: number;
  apiKeyId: string;
  scopes: readonly Scope[];
  /** Only these source groups, or null. */
  sourceGroupIds: readonly string[] | null;
  /** Only source groups that carry one of these tags, or null. */
  tagIds: readonly string[] | null;
  /** When the key ends, or null. */
  expiresAt: Date | null;
}
