/**
 * `Idempotency-Key` of requests that create something. A key is bound to the API key, the route and the body for 24 hours. The same
 * request again gets the stored answer. Another body is a conflict, and so is a repetition while the first request still runs.
 */
import { createHmac } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import {
  claimIdempotencyKey,
  releaseIdempotencyKey,
  renewIdempotencyKey,
  saveIdempotentAnswer,
} from '../corpus/idempotency-store.ts';
import type { Database } from '../db/database.ts';
import { conflict, invalidRequest, type ServiceError } from '../errors.ts';
import { newId } from '../util/ids.ts';
import type { Clock } from '../util/time.ts';
import type { IdempotencyRecord } from './route.ts';

const IDEMPOTENCY_HOURS = 24;
/** No request runs longer than this. A claim of this age without an answer was left by a process that died. */
const ABANDONED_AFTER_MS = 60 * 60 * 1000;
/**
 * The claim of an upload is renewed while its body arrives, and ends this long after its process died. A process that only stood still
 * stores nothing then: another request may hold the key.
 */
const LOST_AFTER_MS = 60_000;
const RENEWAL_MS = 10_000;
const KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

/** Thrown to end a handler, so that the caller gets the stored answer. */
export class IdempotentReplay extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super('answer is replayed');
    this.name = 'IdempotentReplay';
    this.status = status;
    this.body = body;
  }
}

/** A claimed idempotency key as registration sees it: registration also ends the claim. */
export interface IdempotencyClaim extends IdempotencyRecord {
  /** Stores the answer, unless `save` stored it already. */
  finish(body: string): Promise<void>;
  /** Releases the key after the request failed. */
  release(): Promise<void>;
}

export const noClaim: IdempotencyClaim = {
  bodyRead: async () => {},
  save: async () => {},
  finish: async () => {},
  release: async () => {},
};

export interface ClaimOptions {
  db: Database;
  clock: Clock;
  caller: Caller;
  /**
   * The caller's API key, which is the key of the body's HMAC. The API key is not stored, so a reader of the table cannot find a short
   * secret of a body by trying.
   */
  apiKey: string;
  /** Header value. */
  key: string;
  /** Method and path with its parameters filled in. */
  route: string;
  /** The raw JSON body, or null when a multipart body follows. */
  body: Buffer | null;
  /** The answer holds a secret and must never be replayed. */
  once: boolean;
  status: number;
  /** Validates and serializes an answer in the same way as registration. */
  serialize(answer: unknown): string;
}

/** Claims the key for this request. @throws IdempotentReplay, or ServiceError conflict or invalid_request. */
export async function claimKey(options: ClaimOptions): Promise<IdempotencyClaim> {
  const { db, caller, key, once, status } = options;
  if (!KEY_PATTERN.test(key))
    throw invalidRequest('The header Idempotency-Key must have 1 to 255 printable ASCII characters.');
  const now = options.clock.now();
  // Only uploads run for long, and they store their answer in the transaction of their rows, so that a lost claim ends their work.
  const claimId = options.body === null ? newId(now.getTime()) : null;
  const slot = { tenantId: caller.tenantId, apiKeyId: caller.apiKeyId, key, claimId };
  let bodyHash: Buffer | null = options.body && createHmac('sha256', options.apiKey).update(options.body).digest();
  const held = await claimIdempotencyKey(db, slot, options.route, bodyHash, {
    now,
    expiredBefore: new Date(now.getTime() - IDEMPOTENCY_HOURS * 3_600_000),
    abandonedBefore: new Date(now.getTime() - ABANDONED_AFTER_MS),
    lostBefore: new Date(now.getTime() - LOST_AFTER_MS),
  });

  const replay = (digest: Buffer): never => {
    if (!held?.bodyHash?.equals(digest)) throw keyConflict('was used with another body');
    throw new IdempotentReplay(held.responseStatus ?? status, held.responseBody ?? '');
  };
  if (held) {
    if (once) throw keyConflict('was used before, and this answer is never repeated');
    if (held.route !== options.route) throw keyConflict('was used for another request');
    if (bodyHash && held.bodyHash && !held.bodyHash.equals(bodyHash)) throw keyConflict('was used with another body');
    if (held.responseStatus === null) throw keyConflict('belongs to a request that is still running');
    if (bodyHash) replay(bodyHash);
    return { ...noClaim, bodyRead: async (digest) => replay(digest) };
  }

  let saved = false;
  // After a renewal that failed the next one follows; the claim is lost after six.
  const renew = () => void renewIdempotencyKey(db, slot, options.clock.now()).catch(() => undefined);
  const renewal = claimId === null ? undefined : setInterval(renew, RENEWAL_MS).unref();
  return {
    async bodyRead(digest) {
      bodyHash = digest;
    },
    async save(tx, answer) {
      if (once) return;
      const isHeld = await saveIdempotentAnswer(tx, slot, bodyHash, status, options.serialize(answer));
      if (!isHeld && claimId !== null) throw keyConflict('is held by another request, because this one stood still');
      saved = true;
    },
    async finish(body) {
      clearInterval(renewal);
      // With `once`, the claim keeps a status but no body: a reuse is a conflict, and the secret is not stored.
      if (!saved)
        await db.transaction(slot.tenantId, (tx) => saveIdempotentAnswer(tx, slot, bodyHash, status, once ? '' : body));
    },
    async release() {
      clearInterval(renewal);
      await releaseIdempotencyKey(db, slot);
    },
  };
}

function keyConflict(reason: string): ServiceError {
  return conflict(`This Idempotency-Key ${reason}.`);
}
