/** The checks of the operator's command `pinakes doctor`, as a tenant may see them: without paths, addresses and numbers of others. */

/** One line of `pinakes doctor`. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  /** A command that adds what is missing. The service works without it. */
  fix?: string;
}

/** A check as a tenant sees it. */
export interface ShownCheck extends Omit<Check, 'fix'> {
  /** A command for the operator that shows or mends what fails, or adds what is missing; null: nothing fails, nothing is missing. */
  fix: string | null;
}

export interface CheckResult {
  ok: boolean;
  checks: ShownCheck[];
  at: Date;
}

/** Checks ask the models, which costs time and money. Requests within this time get the same answer. */
const REUSE_MS = 30_000;

/** Checks of a tenant, and whether the words of a check that succeeded may be shown. */
const SHOWN: Record<string, 'words' | 'result'> = {
  'disk space': 'result',
  database: 'result',
  migrations: 'words',
  'text search': 'result',
  'blob store': 'result',
  'master key': 'result',
  models: 'words',
  'chat model': 'words',
  'embedding model': 'words',
  'rerank model': 'words',
  'entailment model': 'words',
  'analyzer of names': 'result',
  OCR: 'words',
  LibreOffice: 'words',
};

const FIX = 'pinakes doctor';
/** Commands that mend a check, where one command does. */
const FIXES: Record<string, string> = { migrations: 'pinakes migrate', 'text search': 'pinakes migrate' };

/** Returns a function that runs the checks, or returns an answer of the last REUSE_MS. */
export function openChecks(
  examine: () => Promise<{ checks: readonly Check[] }>,
  now: () => Date,
): () => Promise<CheckResult> {
  let latest: { startedAt: number; result: Promise<CheckResult> } | undefined;
  return () => {
    const at = now();
    if (latest && at.getTime() - latest.startedAt < REUSE_MS) return latest.result;
    const result = examine().then(({ checks }) => forTenants(checks, at));
    const started = { startedAt: at.getTime(), result };
    latest = started;
    result.catch(() => {
      if (latest === started) latest = undefined;
    });
    return result;
  };
}

/** Returns the checks that a tenant may see. The reason of a failure may name paths and addresses, so only the operator sees it. */
export function forTenants(all: readonly Check[], at: Date): CheckResult {
  const checks = all.flatMap(({ name, ok, detail, fix: add = null }) => {
    const shown = SHOWN[name];
    if (shown === undefined) return [];
    // What is not configured does not work, and its words name no address.
    const words = shown === 'words' || detail.startsWith('none: ') ? detail : 'works';
    const reason = 'fails: the operator finds the reason with "pinakes doctor"';
    return [{ name, ok, detail: ok ? words : reason, fix: ok ? add : (FIXES[name] ?? FIX) }];
  });
  return { ok: checks.every((check) => check.ok), checks, at };
}
