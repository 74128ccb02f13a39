/** Settings that keep one caller or tenant from taking everything. */
import type { SettingsReader } from './settings-reader.ts';

const RATE_LIMIT_MAX = 1_000_000;
export const QUOTA_COUNT_MAX = 1_000_000_000;

export interface LimitSettings {
  /** Requests per minute of each API key with all keys that descend from it. 0: not limited. */
  rateLimitPerMinute: number;
  /** Requests of each API key with all keys that descend from it that run at the same time. 0: not limited. */
  concurrentRequests: number;
  /** What all sources of one tenant without quotas of its own may have together. 0: not limited. */
  quotas: { bytes: number; groups: number; files: number };
}

export function readLimitSettings(read: SettingsReader): LimitSettings {
  return {
    rateLimitPerMinute: read.integer('PINAKES_RATE_LIMIT_PER_MINUTE', 0, 0, RATE_LIMIT_MAX),
    concurrentRequests: read.integer('PINAKES_CONCURRENT_REQUESTS', 64, 0, RATE_LIMIT_MAX),
    quotas: {
      bytes: read.integer('PINAKES_TENANT_BYTES', 0, 0, Number.MAX_SAFE_INTEGER),
      groups: read.integer('PINAKES_TENANT_GROUPS', 0, 0, QUOTA_COUNT_MAX),
      files: read.integer('PINAKES_TENANT_FILES', 0, 0, QUOTA_COUNT_MAX),
    },
  };
}
