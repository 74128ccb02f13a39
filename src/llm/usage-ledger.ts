/**
 * Counts the tokens of the chat model that API keys use, and refuses requests over a budget. Also notes when keys were used last.
 *
 * Counts are kept in memory and written together every few seconds, so that no answer waits for a write. A killed process loses
 * unwritten counts. Each write also reads the counts that other processes wrote.
 */

import { type KeyUse, saveKeyUses } from '../corpus/api-key-store.ts';
import { addUsage, dropUsageBefore, type KeyUsage, readTokensOfDay, type TokensOfKey } from '../corpus/usage-store.ts';
import type { Database } from '../db/database.ts';
import { ServiceError } from '../errors.ts';
import { setRecent } from '../util/recent.ts';
import type { Clock } from '../util/time.ts';

const FLUSH_INTERVAL_MS = 5_000;
/** The last use of a key is written this often at most. */
const USE_INTERVAL_MS = 60_000;
export const USAGE_KEPT_DAYS = 400;
const DAY_MS = 86_400_000;
/** Maximum number of tenants whose counts of the day are cached. */
const TENANTS_MAX = 10_000;
/** Maximum number of keys whose last use is cached. */
const KEYS_MAX = 10_000;

/** The key, and its tenant, that usage belongs to. */
export interface Account {
  tenantId: string;
  apiKeyId: string;
}

export interface UsageLedger {
  /** Notes that a request came with the key. */
  noteUse(account: Account): void;
  /** Counts one call of the model. */
  add(account: Account, usage: { inputTokens: number; outputTokens: number }): void;
  /** @throws ServiceError rate_limited until the next UTC day, if the key or its tenant has used all its tokens. */
  assertBudget(account: Account): Promise<void>;
  /** Writes the unwritten counts. */
  flush(): Promise<void>;
  /** Writes the unwritten counts for the last time. */
  close(): Promise<void>;
}

export interface LedgerOptions {
  db: Database;
  clock: Clock;
  /** Input and output tokens together; 0 means no limit. */
  tokensPerDay: { key: number; tenant: number };
  /** Called when counts could not be written. The counts are kept and written the next time. */
  onError(error: unknown): void;
}

interface TenantDay {
  day: string;
  tokens: Map<string, number>;
}

/** Returns the UTC day, as `2026-11-22`. */
export function utcDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

export function openUsageLedger({ db, clock, tokensPerDay, onError }: LedgerOptions): UsageLedger {
  let pending = new Map<string, KeyUsage>();
  let writing = new Map<string, KeyUsage>();
  let running: Promise<void> | undefined;
  let droppedOn: string | undefined;
  /** Last uses since the start: key -> time, and whether it was written. */
  const uses = new Map<string, KeyUse & { written: boolean }>();
  const known = new Map<string, TenantDay>();
  const hasBudget = tokensPerDay.key > 0 || tokensPerDay.tenant > 0;

  function remember(tenantIds: readonly string[], day: string, rows: readonly TokensOfKey[]): void {
    for (const id of tenantIds) setRecent(known, id, { day, tokens: new Map() }, TENANTS_MAX);
    for (const { tenantId, apiKeyId, tokens } of rows) known.get(tenantId)?.tokens.set(apiKeyId, tokens);
  }

  async function write(): Promise<void> {
    const today = utcDay(clock.now());
    if (droppedOn !== today)
      await dropUsageBefore(db.system, utcDay(new Date(clock.now().getTime() - USAGE_KEPT_DAYS * DAY_MS)));
    droppedOn = today;
    writing = pending;
    pending = new Map();
    const rows = [...writing.values()];
    const tenantIds = [...new Set(rows.map(({ tenantId }) => tenantId))];
    const used = [...uses.values()].filter(({ written }) => !written);
    try {
      const written = await db.system.transaction(async (tx) => {
        await addUsage(tx, rows);
        await saveKeyUses(tx, used);
        return hasBudget ? readTokensOfDay(tx, tenantIds, today) : undefined;
      });
      for (const use of used) use.written = true;
      if (written) remember(tenantIds, today, written);
    } catch (error) {
      for (const row of rows) count(row);
      throw error;
    } finally {
      writing = new Map();
    }
  }

  function count(added: KeyUsage): void {
    const key = `${added.apiKeyId} ${added.day}`;
    const row = pending.get(key) ?? { ...added, requests: 0, inputTokens: 0, outputTokens: 0 };
    row.requests += added.requests;
    row.inputTokens += added.inputTokens;
    row.outputTokens += added.outputTokens;
    pending.set(key, row);
  }

  async function flush(): Promise<void> {
    while (running) await running;
    if (pending.size === 0 && [...uses.values()].every(({ written }) => written)) return;
    running = write().finally(() => {
      running = undefined;
    });
    await running;
  }

  /** Returns the tokens of the day, both written and unwritten. */
  function usedToday({ tenantId, apiKeyId }: Account, day: string): { key: number; tenant: number } {
    const used = { key: 0, tenant: 0 };
    const take = (ofKey: string, tokens: number): void => {
      used.tenant += tokens;
      if (ofKey === apiKeyId) used.key += tokens;
    };
    for (const [ofKey, tokens] of known.get(tenantId)?.tokens ?? []) take(ofKey, tokens);
    for (const row of [...pending.values(), ...writing.values()]) {
      if (row.tenantId === tenantId && row.day === day) take(row.apiKeyId, row.inputTokens + row.outputTokens);
    }
    return used;
  }

  const timer = setInterval(() => void flush().catch(onError), FLUSH_INTERVAL_MS).unref();
  return {
    noteUse({ tenantId, apiKeyId }) {
      const at = clock.now();
      const before = uses.get(apiKeyId);
      if (before && at.getTime() - before.at.getTime() < USE_INTERVAL_MS) return;
      setRecent(uses, apiKeyId, { tenantId, apiKeyId, at, written: false }, KEYS_MAX);
    },
    add({ tenantId, apiKeyId }, { inputTokens, outputTokens }) {
      count({ tenantId, apiKeyId, day: utcDay(clock.now()), requests: 1, inputTokens, outputTokens });
    },
    async assertBudget(account) {
      if (!hasBudget) return;
      const now = clock.now();
      const day = utcDay(now);
      if (known.get(account.tenantId)?.day !== day) {
        const ids = [account.tenantId];
        remember(ids, day, await readTokensOfDay(db.system, ids, day));
      }
      const used = usedToday(account, day);
      const spent = (['key', 'tenant'] as const).find((of) => tokensPerDay[of] > 0 && used[of] >= tokensPerDay[of]);
      if (spent === undefined) return;
      const whose = spent === 'key' ? 'This API key has' : 'The API keys of this tenant have';
      throw new ServiceError(
        'rate_limited',
        `${whose} used the ${tokensPerDay[spent].toLocaleString('en')} tokens of today; the next day begins at 00:00 UTC.`,
        { retryAfterSeconds: Math.ceil((DAY_MS - (now.getTime() % DAY_MS)) / 1000) },
      );
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
