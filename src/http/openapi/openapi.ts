/** Builds the OpenAPI 3.1 description from the routes. It uses the same schemas as the validation. */
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../errors.ts';
import { pathOf, type Route, type Schema } from '../route.ts';
import { errorSchema, openAiErrorSchema } from '../schemas.ts';

type Json = Record<string, unknown>;
type ErrorName = 'Error' | 'OpenAiError';

/** Error statuses of every route. */
const COMMON_ERRORS = [401, 403, 414, 429, 431, 500, 503];

export function openApiDocument(routes: readonly Route[]): Json {
  const components: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = pathOf(route);
    const item = paths[path] ?? {};
    paths[path] = item;
    item[route.method.toLowerCase()] = operation(route, components);
  }
  for (const schema of [errorSchema, openAiErrorSchema]) toJsonSchema(schema, 'output', components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Pinakes',
      version: '1.0.0',
      description:
        'Knowledge retrieval and ingestion: upload, search, and answers with checked citations. The API key decides the tenant.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map((route) => route.operation.area))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The API key. It decides the tenant.' },
      },
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: { ...errorResponses('Error'), ...errorResponses('OpenAiError') },
    },
  };
}

/** Returns the text of `openapi.json`. */
export function openApiText(routes: readonly Route[]): string {
  return `${JSON.stringify(openApiDocument(routes), null, 2)}\n`;
}

function operation(route: Route, components: Json): Json {
  const { id, area, summary, description } = route.operation;
  const scopes = `Scope: ${route.scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  const body = requestBody(route, components);
  return {
    operationId: id,
    tags: [area],
    summary,
    description: description ? `${description}\n\n${scopes}` : scopes,
    'x-scopes': route.scopes,
    ...(route.experimental ? { 'x-experimental': true } : {}),
    parameters: [
      ...parameters(route.params, 'path', components),
      ...parameters(route.query, 'query', components),
      ...(route.idempotent ? [IDEMPOTENCY_PARAMETER] : []),
      ...(route.versioned ? conditionParameters(route) : []),
      ...(route.download ? DOWNLOAD_PARAMETERS : []),
      ...(route.picture ? DOWNLOAD_PARAMETERS.slice(-1) : []),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: responses(route, components),
  };
}

const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to repeat a request for 24 hours: the same request gets the stored answer, another body gets 409.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const CONDITIONS = [
  {
    name: 'If-Match',
    description: 'The ETag of the version that the caller has read. The answer is 412 if another one is stored.',
  },
  { name: 'If-None-Match', description: '`*`: the answer is 412 if anything is stored.' },
].map((parameter) => ({ ...parameter, in: 'header', required: false, schema: { type: 'string' } }));

/** Returns the conditions of a change. Only what can be created can be asked not to exist. */
function conditionParameters({ method }: Route): Json[] {
  if (method === 'GET') return [];
  return method === 'PUT' ? CONDITIONS : CONDITIONS.slice(0, 1);
}

const VERSION_HEADER = {
  etag: { description: 'The version in quotation marks, for `If-Match`.', schema: { type: 'string' } },
};

const DOWNLOAD_PARAMETERS = [
  { name: 'Range', description: 'One range of bytes. For several ranges the whole file is sent.' },
  {
    name: 'If-Range',
    description: 'The ETag that the range belongs to. If the file has another one, the whole file is sent.',
  },
  {
    name: 'If-None-Match',
    description: 'ETags of the files that the caller has. The answer is 304 if one of them is current.',
  },
].map((parameter) => ({ ...parameter, in: 'header', required: false, schema: { type: 'string' } }));

const FILE_CONTENT = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

const TIMING_HEADER = {
  'server-timing': {
    description:
      'The stages of the request, in the order of their starts: `analyze;dur=0.4;start=1.6, lexical;dur=3.1;start=2.0, …`. `dur` is the ' +
      'duration in milliseconds. `start` is when the stage began, in milliseconds since the request arrived; stages may overlap.',
    schema: { type: 'string' },
  },
};

const PICTURE_CONTENT = { 'image/png': { schema: { type: 'string', format: 'binary' } } };

/** Answers of a download, besides the whole file. */
const DOWNLOAD_RESPONSES = {
  206: { description: 'The requested range.', content: FILE_CONTENT },
  304: { description: 'The caller has the current file.' },
};

function parameters(schema: Schema | undefined, place: 'path' | 'query', components: Json): Json[] {
  if (!schema) return [];
  const object = toJsonSchema(schema, 'input', components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(object.properties ?? {}).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || (object.required ?? []).includes(name),
    ...(description ? { description } : {}),
    schema: rest,
  }));
}

function requestBody(route: Route, components: Json): Json | undefined {
  if (route.multipart) {
    return { required: true, content: { 'multipart/form-data': { schema: route.multipart.schema } } };
  }
  if (!route.body) return undefined;
  const content = {
    schema: toJsonSchema(route.body, 'input', components),
    ...(route.example === undefined ? {} : { example: route.example }),
  };
  return { required: !route.bodyOptional, content: { 'application/json': content } };
}

/** Returns the content of an answer that the handler sends itself; undefined for JSON. */
function sentContent({ download, picture, stream }: Route): Json | undefined {
  if (download) return FILE_CONTENT;
  if (picture) return PICTURE_CONTENT;
  return stream === undefined
    ? undefined
    : { 'text/event-stream': { schema: { type: 'string', description: stream } } };
}

function responses(route: Route, components: Json): Json {
  const { status, schema, description } = route.response;
  const success = {
    description: route.download?.description ?? description ?? route.operation.summary,
    headers: {
      'x-request-id': { schema: { type: 'string' } },
      ...(route.timing ? TIMING_HEADER : {}),
      ...(route.versioned && route.method !== 'DELETE' ? VERSION_HEADER : {}),
    },
    content: {
      ...(sentContent(route) ?? { 'application/json': { schema: toJsonSchema(schema, 'output', components) } }),
      ...Object.fromEntries(
        Object.entries(route.alternatives ?? {}).map(([type, other]) => [
          type,
          { schema: { ...other.schema, description: other.description } },
        ]),
      ),
    },
  };
  const errorName: ErrorName = route.prefix === '/v1' ? 'OpenAiError' : 'Error';
  const errors = new Set([...COMMON_ERRORS, ...inputErrors(route), ...(route.errors ?? [])]);
  return {
    [status]: success,
    ...(route.download ? DOWNLOAD_RESPONSES : {}),
    ...(route.picture || route.revalidated ? { 304: DOWNLOAD_RESPONSES[304] } : {}),
    ...Object.fromEntries(
      [...errors].sort((a, b) => a - b).map((code) => [code, { $ref: `#/components/responses/${errorName}${code}` }]),
    ),
  };
}

/**
 * Returns error statuses that follow from the declaration: 408, 413 and 415 for bodies, 404 for ids, 409 for idempotency keys, 412 for
 * conditions.
 */
function inputErrors(route: Route): number[] {
  const takesBody = route.body !== undefined || route.multipart !== undefined;
  return [
    400,
    ...(takesBody ? [408, 413, 415] : []),
    ...(route.params ? [404] : []),
    ...(route.idempotent ? [409] : []),
    ...(route.versioned && route.method !== 'GET' ? [412] : []),
  ];
}

/** Returns the answers with the error schema of this name, for each status. */
function errorResponses(errorName: ErrorName): Json {
  const byStatus = new Map<number, string>();
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) byStatus.set(ERROR_CODES[code][0], ERROR_CODES[code][1]);
  const entries = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, type]) => {
      const retry =
        status === 429 || status === 503
          ? {
              headers: {
                'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait before the next attempt.' },
              },
            }
          : {};
      const content = { 'application/json': { schema: { $ref: `#/components/schemas/${errorName}` } } };
      return [`${errorName}${status}`, { description: `\`${type}\``, ...retry, content }];
    });
  return Object.fromEntries(entries);
}

/** Converts a schema. Schemas with `.meta({ id })` become components of the document. */
function toJsonSchema(schema: Schema, io: 'input' | 'output', components: Json): Json {
  return moveDefinitions(convert(schema, io), components);
}

/** Returns the JSON Schema of one schema, which stands alone: nothing in it refers to components. */
export function standaloneJsonSchema(schema: Schema, io: 'input' | 'output'): Json {
  const components: Json = {};
  const json = moveDefinitions(convert(schema, io), components, '#/$defs/');
  return Object.keys(components).length === 0 ? json : { ...json, $defs: components };
}

function convert(schema: Schema, io: 'input' | 'output'): Json {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Each integer has these limits, which are of JavaScript and say nothing about the value.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // zod leaves the default of a transformed value out.
      if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue;
      const meta = (zodSchema as unknown as Schema).meta?.();
      if (!meta?.wire) return;
      for (const key of Object.keys(jsonSchema))
        if (key !== 'description' && key !== 'default') delete (jsonSchema as Json)[key];
      Object.assign(jsonSchema, meta.wire, meta.description ? { description: meta.description } : {});
    },
  }) as Json;
}

/**
 * Moves `$defs` to the components, where references that begin with `at` find them. Removes members that only a stand-alone schema needs.
 */
function moveDefinitions(schema: Json, components: Json, at = '#/components/schemas/'): Json {
  const { $schema: _dialect, $defs, ...rest } = schema as { $schema?: unknown; $defs?: Record<string, Json> } & Json;
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(withOneType(value)).filter(([key]) => key !== 'wire' && key !== 'open');
    return Object.fromEntries(
      members.map(([key, member]) => [
        key,
        key === '$ref' && typeof member === 'string' ? member.replace('#/$defs/', at) : clean(member),
      ]),
    );
  };
  for (const [id, definition] of Object.entries($defs ?? {})) {
    const { $schema: _d, id: _id, $defs: own, ...body } = definition;
    components[id] = clean(body);
    if (own) moveDefinitions({ $defs: own }, components);
  }
  const { id, ...own } = rest as { id?: string } & Json;
  const cleaned = clean(own) as Json;
  if (typeof id !== 'string') return cleaned;
  components[id] = cleaned;
  return { $ref: `${at}${id}` };
}

/** Returns the same schema with `anyOf` for several types. Not every generator of clients knows a list of types, besides one with null. */
function withOneType(schema: object): object {
  const { type, ...rest } = schema as { type?: unknown };
  if (!Array.isArray(type) || type.filter((one) => one !== 'null').length < 2) return schema;
  return { ...rest, anyOf: type.map((one) => ({ type: one })) };
}
