/** Looks at an origin before a source follows it: whether it can be read, and what is there. Stores nothing. */

import type { Caller } from '../../access/caller.ts';
import type { OriginCheck } from '../../client/api.ts';
import { type Change, OriginError, type OriginProblem } from '../../connectors/connector.ts';
import { connectorOf } from '../../connectors/registry.ts';
import { type ErrorCode, orNotFound, ServiceError } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { openConcurrencyLimiter } from '../../http/rate-limit.ts';
import { unlessAborted } from '../../util/abort.ts';
import { openSecret } from '../../vault/secret-store.ts';
import { checkNewSource, checkSecret, type NewSource } from './connector-sources.ts';
import type { SourceKind } from './kinds.ts';

/** Time of one check, from its first request to the origin. */
export const CHECK_MS_MAX = 5_000;
/** A check ends when it has found this many files. */
const FILES_MAX = 1_000;
const NAMES_MAX = 3;
/** Checks that a process does at the same time, and those of one tenant: each of them holds connections. */
const CHECKS_MAX = 8;
const CHECKS_PER_TENANT_MAX = 2;

/** Returns the check, which counts the checks of this process. */
export function openOriginChecks(deps: Deps) {
  const message = 'Other origins are being checked now. Try again in a few seconds.';
  const retryAfterSeconds = CHECK_MS_MAX / 1_000;
  const enter = openConcurrencyLimiter({
    max: CHECKS_PER_TENANT_MAX,
    allMax: CHECKS_MAX,
    message,
    retryAfterSeconds,
  });
  return async ({ tenantId }: Caller, kind: SourceKind, given: NewSource, signal: AbortSignal) => {
    await checkNewSource(deps, kind, given, deps.clock.now());
    const leave = enter(tenantId);
    try {
      const credential = given.oneTimeCredential ?? (await openGivenSecret(deps, tenantId, kind, given.secretId));
      return await look(deps, kind, given, credential, signal);
    } finally {
      leave();
    }
  };
}

/** Returns the value of the secret; null if none was given. @throws ServiceError not_found */
async function openGivenSecret(deps: Deps, tenantId: string, kind: SourceKind, id: string | undefined) {
  if (id === undefined) return null;
  await deps.db.transaction(tenantId, (tx) => checkSecret(tx, kind.credential!, id));
  const secret = orNotFound(await openSecret(deps, tenantId, id));
  return secret.value;
}

async function look(
  deps: Deps,
  kind: SourceKind,
  { origin }: NewSource,
  credential: string | null,
  signal: AbortSignal,
): Promise<OriginCheck> {
  const connector = connectorOf(deps.connectors, kind.kind);
  const ended = new AbortController();
  const timeout = AbortSignal.timeout(CHECK_MS_MAX);
  const within = AbortSignal.any([signal, timeout, ended.signal]);
  const found: OriginCheck = {
    reachable: false,
    account: credential === null ? null : (connector.account?.(credential) ?? null),
    files: 0,
    complete: false,
    names: [],
    problem: null,
  };
  const request = { cursor: null, resume: null, findStored: async () => undefined, signal: within };
  try {
    const changes = connector.list(origin, credential, request)[Symbol.asyncIterator]();
    while (!found.complete && found.files < FILES_MAX) {
      const next = await unlessAborted(Promise.resolve(changes.next()), within);
      if (next.done) break;
      await unlessAborted(addChange(found, next.value, kind.kind === 'database'), within);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!timeout.aborted) found.problem = problemOf(error);
    else if (!found.reachable) found.problem = TOO_SLOW;
  } finally {
    // Frees the connections of a listing that goes on.
    ended.abort();
  }
  return found;
}

/**
 * Counts a change of the listing. The bytes that a listing brings are read and dropped: it goes on only after them.
 *
 * @param isNamed whether the caller named each file, as the tables of a database.
 */
async function addChange(found: OriginCheck, change: Change, isNamed: boolean): Promise<void> {
  if (change.kind === 'failed') {
    // One file that cannot be read is no problem of the origin, unless it is the only one, or the caller named it.
    if (isNamed || !found.reachable) found.problem ??= change.problem;
  } else if (change.kind === 'end') {
    found.complete = true;
    found.reachable ||= found.problem === null;
  } else if (change.kind === 'present' || change.kind === 'skipped') {
    found.reachable = true;
    if (!isNamed) found.problem = null;
  }
  if (change.kind !== 'present') return;
  if (change.content) for await (const _ of change.content.body);
  found.files += 1;
  if (found.names.length < NAMES_MAX) found.names.push(change.item.name);
}

const TOO_SLOW: OriginProblem = {
  title: 'The origin did not answer in time',
  message: `There was no answer within ${CHECK_MS_MAX / 1_000} seconds. Check the address, or try again later.`,
  retryable: true,
};

/** The error's own message may name an address of the operator's network. */
const UPSTREAM: { readonly [code in ErrorCode]?: OriginProblem } = {
  upstream_failed: {
    title: 'The origin could not be reached',
    message: 'No connection could be made, or the answer could not be used. Check the address.',
    retryable: true,
  },
  upstream_timeout: TOO_SLOW,
  invalid_request: {
    title: 'The origin may not be read',
    message:
      'The service may not send requests to this address. The operator can allow it with PINAKES_OUTBOUND_ALLOW.',
    retryable: false,
  },
};

/** Returns an error of the origin in words. @throws the error if it is not one of the origin. */
function problemOf(error: unknown): OriginProblem {
  if (error instanceof OriginError) return error.problem;
  const problem = error instanceof ServiceError ? UPSTREAM[error.code] : undefined;
  if (!problem) throw error;
  return problem;
}
