/**
 * A route is declared once: method, path, scope, schemas. Registration (http/register.ts) turns it into validation, types,
 * checks in the order of the contract (401, 403, 429, 415, 413, 400, 404, 409) and an OpenAPI operation.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Caller, Scope } from '../access/caller.ts';
import type { Tx } from '../db/database.ts';

/** What a handler sees of the request's idempotency key. */
export interface IdempotencyRecord {
  /**
   * Handlers of multipart bodies call this when the whole body was read and before anything is committed, with a digest
   * of what was sent (names, values, file names, file hashes: not the raw bytes, whose boundary differs in every attempt).
   *
   * @throws IdempotentReplay (http/idempotency.ts) when the stored answer is to be sent: discard what was received and let it pass.
   * @throws ServiceError conflict when the key was used with another body.
   */
  bodyRead(digest: Buffer): Promise<void>;
  /** Stores the answer in the transaction that creates the resource, so that neither exists without the other. */
  save(tx: Tx, answer: unknown): Promise<void>;
}

export type Schema = z.ZodType;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface RouteRequest<Params, Query, Body> {
  params: Output<Params>;
  query: Output<Query>;
  body: Output<Body>;
  caller: Caller;
  /** Aborts when the client leaves before the answer is complete, and on shutdown after the grace time. */
  signal: AbortSignal;
  /** Without an `Idempotency-Key`, and on routes that do not accept one, its functions do nothing. */
  idempotency: IdempotencyRecord;
  /** The framework's request and reply: only for streaming bodies and answers. */
  raw: FastifyRequest;
  reply: FastifyReply;
}

export interface Route<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Response extends Schema = Schema,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1, with `{name}` parameters, e.g. `/local-file-groups/{id}`. */
  path: string;
  /** The key needs one of these. */
  scopes: readonly [Scope, ...Scope[]];
  /** What rules the whole operation out for this key: answered before the body is read. @throws ServiceError forbidden, rate_limited */
  check?(caller: Caller): void | Promise<void>;
  /** OpenAPI: operationId (camelCase), tag, one-line summary, longer description. */
  operation: { id: string; area: string; summary: string; description?: string };
  params?: Params;
  query?: Query;
  /** JSON body. For multipart set `multipart` instead and read `raw`. */
  body?: Body;
  /** DELETE with an optional JSON body and the like. */
  bodyOptional?: boolean;
  /** OpenAPI schema of a multipart body; the handler reads the stream itself. */
  multipart?: { schema: Record<string, unknown>; bytesMax: number };
  /** Status and schema of the success answer. */
  response: { status: 200 | 201 | 202; schema: Response; description?: string };
  /** Other success content types, for OpenAPI only (streams). */
  alternatives?: Record<string, { description: string; schema: Record<string, unknown> }>;
  /** The success answer is a file that the handler streams (http/body/download.ts), with ranges and revalidation. For OpenAPI. */
  download?: { description: string };
  /** Error statuses this route can answer beyond those every route has (401, 403, 429, 500, 503). */
  errors?: readonly number[];
  /** Resource-creating POSTs accept `Idempotency-Key`. `once`: the answer is a secret, so reuse is always a conflict. */
  idempotent?: boolean | 'once';
  /** Request example for OpenAPI. */
  example?: unknown;
  /** Returns the body of the success answer, or `reply` when it has streamed its own. */
  handler(request: RouteRequest<Params, Query, Body>): Promise<z.input<Response> | FastifyReply>;
}

/** Identity function that infers the handler's types from the schemas. */
export function route<
  Response extends Schema,
  Params extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
>(definition: Route<Params, Query, Body, Response>): Route {
  return definition as unknown as Route;
}
