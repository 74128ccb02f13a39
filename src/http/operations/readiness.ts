/** Checks whether everything works that requests need: the database and the blob store. Used by /readyz and `pinakes doctor`. */
import { listMigrations } from '../../db/facts.ts';
import type { Deps } from '../deps.ts';

/** An answer is cached for this time, because load balancers ask often and the blob check writes a file. */
const CACHE_MS = 1_000;
const CHECK_TIMEOUT_MS = 5_000;

export interface Readiness {
  /** Returns the names of the checks that failed; empty when ready. The reasons are only in the log. */
  failed(): Promise<string[]>;
}

/** Each check fails after CHECK_TIMEOUT_MS. Concurrent callers share one round of checks. */
export function openReadiness(deps: Pick<Deps, 'db' | 'blobs' | 'clock' | 'log'>): Readiness {
  const checks: Record<string, () => Promise<unknown>> = {
    database: async () => assertMigrated(await listMigrations(deps.db)),
    'blob store': () => deps.blobs.check(),
  };
  let last: { at: number; result: Promise<string[]> } | undefined;
  const run = async (): Promise<string[]> => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await withTimeout(check(), CHECK_TIMEOUT_MS);
          return null;
        } catch (err) {
          deps.log.warn({ err, check: name }, 'readiness check failed');
          return name;
        }
      }),
    );
    return results.filter((name) => name !== null);
  };
  return {
    failed() {
      const now = deps.clock.now().getTime();
      if (!last || now < last.at || now - last.at >= CACHE_MS) last = { at: now, result: run() };
      return last.result;
    },
  };
}

function assertMigrated({ pending }: { pending: string[] }): void {
  if (pending.length > 0) throw new Error(`pending: ${pending.join(', ')}`);
}

async function withTimeout(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
