/**
 * A route is declared once: method, path, scopes, schemas. From the declaration come validation and checks (http/register.ts, in the
 * order 401, 403, 429, 415, 413, 400, 404, 409), the types of its handler, and its OpenAPI operation (http/openapi/).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Caller, Scope } from '../access/caller.ts';
import type { Tx } from '../db/database.ts';
import type { RequestRights } from './live-rights.ts';

/** The idempotency key of a request, as its handler sees it. */
export interface IdempotencyRecord {
  /**
   * Handlers of multipart bodies call this after the whole body was read and before anything is committed. The digest covers names,
   * values, file names and file hashes. It cannot cover the raw bytes: their boundary differs in every attempt.
   *
   * @throws IdempotentReplay (http/idempotency.ts) when the stored answer is to be sent. The handler discards the received files and
   *   does not catch it.
   * @throws ServiceError conflict when the key was used with another body.
   */
  bodyRead(digest: Buffer): Promise<void>;
  /** Stores the answer in the transaction that creates the resource, so that both are stored or neither is. */
  save(tx: Tx, answer: unknown): Promise<void>;
}

export type Schema = z.ZodType;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface RouteRequest<Params, Query, Body> {
  params: Output<Params>;
  query: Output<Query>;
  body: Output<Body>;
  caller: Caller;
  /** Aborts when the client leaves before the answer is complete, when `rights` end, and on shutdown after the grace time. */
  signal: AbortSignal;
  /** The rights of the request, which may end while it runs. */
  rights: RequestRights;
  /** Its functions do nothing if the request has no `Idempotency-Key`, or if the route does not accept one. */
  idempotency: IdempotencyRecord;
  /** The framework's request and reply: only for streaming bodies and answers. */
  raw: FastifyRequest;
  reply: FastifyReply;
}

/** A route as its feature declares it. */
export interface Declaration<
  Params extends Schema | undefined = Schema | undefined,
  Query extends Schema | undefined = Schema | undefined,
  Body extends Schema | undefined = Schema | undefined,
  Response extends Schema = Schema,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Before the path; `/api/v1` when absent. */
  prefix?: '/v1';
  /** Below the prefix, with `{name}` parameters, e.g. `/local-file-groups/{id}`. */
  path: string;
  /** The API key must have one of these scopes. */
  scopes: readonly [Scope, ...Scope[]];
  /** Refuses the operation for some API keys, before the body is read. @throws ServiceError forbidden, rate_limited */
  check?(caller: Caller): void | Promise<void>;
  /** OpenAPI: operationId (camelCase), one-line summary, longer description. */
  operation: { id: string; summary: string; description?: string };
  params?: Params;
  query?: Query;
  /** Schema of the JSON body. A route with a multipart body sets `multipart` instead, and its handler reads `raw`. */
  body?: Body;
  /** The JSON body may be absent. */
  bodyOptional?: boolean;
  /** OpenAPI schema of a multipart body; the handler reads the stream itself. */
  multipart?: { schema: Record<string, unknown>; bytesMax: number };
  /** Status and schema of the success answer. */
  response: { status: 200 | 201 | 202; schema: Response; description?: string };
  /** Other content types of the success answer, such as streams. Used by the OpenAPI description only. */
  alternatives?: Record<string, { description: string; schema: Record<string, unknown> }>;
  /** The success answer is a file that the handler streams with http/body/download.ts. Used by the OpenAPI description only. */
  download?: { description: string };
  /** The success answer is a stream of server-sent events. Used by the OpenAPI description only. */
  stream?: string;
  /** The success answer is a PNG that the handler sends itself. Used by the OpenAPI description only. */
  picture?: true;
  /** The success answer may have an ETag, and is then not sent again. Used by the OpenAPI description only. */
  revalidated?: true;
  /** The success answer has the version as ETag; a change takes it as `If-Match`. Used by the OpenAPI description only. */
  versioned?: true;
  /** The success answer has the header `Server-Timing`. Used by the OpenAPI description only. */
  timing?: true;
  /** The name of the area, if it may still change: sent as `X-Pinakes-Experimental`, and `x-experimental` in the OpenAPI description. */
  experimental?: string;
  /** Error statuses of this route, besides those that the rest of its declaration implies (openapi/openapi.ts). */
  errors?: readonly number[];
  /** The route accepts `Idempotency-Key`. `once`: the answer holds a secret, so every reuse of the key is a conflict. */
  idempotent?: boolean | 'once';
  /** Example of a request body for the OpenAPI description. */
  example?: unknown;
  /** Returns the body of the success answer, or `reply` if the handler has streamed the answer itself. */
  handler(request: RouteRequest<Params, Query, Body>): Promise<z.input<Response> | FastifyReply>;
}

export interface Route extends Declaration {
  /** `area` is the tag in OpenAPI. */
  operation: Declaration['operation'] & { area: string };
}

const API_PREFIX = '/api/v1';

/** Returns the whole path of a route, with `{name}` parameters. */
export function pathOf({ prefix, path }: Pick<Route, 'prefix' | 'path'>): string {
  return (prefix ?? API_PREFIX) + path;
}

/** Returns a function that declares a route of the area. Its type parameters give the handler the types of the schemas. */
export function routesOf(area: string) {
  return <
    Response extends Schema,
    Params extends Schema | undefined = undefined,
    Query extends Schema | undefined = undefined,
    Body extends Schema | undefined = undefined,
  >(
    declared: Declaration<Params, Query, Body, Response>,
  ): Route => ({ ...(declared as unknown as Declaration), operation: { ...declared.operation, area } });
}
