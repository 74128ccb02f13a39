/**
 * Generates the types of the client (src/client/api.ts) from openapi.json. It knows the JSON Schema keywords that our description uses,
 * and refuses others.
 *
 * The npm package openapi-typescript 7.13.0 (MIT) was tried instead. Its output is worse for users of the client:
 * - The limits of a member are lost. Here its comment ends with `minimum 1, maximum 100, default 10`; there only the default is left.
 * - Operations have no comments, so an editor shows no summary for `pinakes.search(…)`.
 * - Optional members are `after_id?: string`. With `exactOptionalPropertyTypes`, callers cannot pass `after_id: undefined`.
 * - Files of uploads and downloads are typed as `string`, not as `FormData` and `Blob`.
 * - The file is three times as long, because every operation repeats its error answers, and the table OPERATIONS is missing.
 * It also needs TypeScript 5 beside the TypeScript 7 of this project: 44 MB of packages for development.
 */

type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Json;
}

interface Operation {
  operationId: string;
  summary: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

const HEADER = `/**
 * Types of every operation of the API, and its method and path. Generated from openapi.json: npm run client.
 */

/** A multipart body as a stream. Its length in bytes must be known before it is sent. */
export interface StreamBody {
  contentType: string;
  length: number;
  stream: ReadableStream<Uint8Array>;
}

export type UploadBody = FormData | StreamBody;
`;

/** Keywords of a schema that do not change its type. `notes` writes some of them into the comment. */
const KEYWORDS_WITHOUT_TYPE = new Set([
  'description',
  'default',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'title',
  'contentMediaType',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minProperties',
  'propertyNames',
  'examples',
]);
const KEYWORDS_WITH_TYPE = new Set([
  '$ref',
  'anyOf',
  'oneOf',
  'const',
  'enum',
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
]);
/** Keywords that `notes` writes into the comment. */
const NOTED_KEYWORDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'default', 'format'];

/** Parameters that many operations share, by the name of their type. */
const SHARED_PARAMETERS = {
  IdParams: ['id'],
  PageQuery: ['limit', 'after_id'],
  OrderQuery: ['order'],
  PrincipalQuery: ['principal_id', 'authz_policy'],
  IdempotencyHeaders: ['Idempotency-Key'],
} as const;

/** Types of members that several components or bodies of operations have, by their names. */
const SHARED_MEMBERS = {
  NewOrigin: ['createDatabaseSource', 'createDriveSource', 'createPageSource', 'createRepoSource'],
  SearchFilters: ['search', 'createCompletion', 'createAgentRun'],
  OriginSource: ['Crawl', 'DatabaseSource', 'DriveSource', 'PageSource', 'RepoSource'],
  OriginSetting: ['CrawlSetting', 'DatabaseSourceSetting', 'DriveSourceSetting', 'PageSourceSetting', 'RepoSetting'],
} as const;

/** Paths with the API of OpenAI. Its users have a client of OpenAI. */
export const OPENAI_PATHS = '/v1/';

/** Returns the text of src/client/api.ts. @throws Error for a keyword of JSON Schema that this generator does not know. */
export function clientText(document: Description): string {
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith(OPENAI_PATHS));
  const operations = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const components = usedComponents(paths, document.components.schemas);
  const bodies = operations.map(({ operation }) => [operation.operationId, bodyOf(operation)] as const);
  const bases = sharedMembers({ ...components, ...Object.fromEntries(bodies) });
  const named = { ...components, ...bases };
  const schemas = Object.entries(named).map(
    ([name, schema]) => `${comment(notes(schema), '')}export type ${name} = ${extendedType(schema, named, '')};\n`,
  );
  const shared = sharedParameters(operations.map(({ operation }) => operation));
  const interfaces = operations.map(
    ({ operation }) =>
      `${comment([operation.summary], '  ')}  ${operation.operationId}: {\n` +
      `    request: ${requestType(operation, shared, bases)};\n    response: ${responseType(operation)};\n  };\n`,
  );
  const queries = [...shared].map(
    ([name, parameters]) =>
      `export interface ${name} {\n${parameters.map((one) => parameterMember(one, '  ')).join('')}}\n`,
  );
  const places = operations.map(
    ({ path, method, operation }) => `  ${operation.operationId}: ['${method.toUpperCase()}', '${path}'],\n`,
  );
  return [
    HEADER,
    ...schemas,
    ...queries,
    `export interface Operations {\n${interfaces.join('')}}\n`,
    `export type OperationId = keyof Operations;\n`,
    '/** Method and path of each operation. */\n' +
      'export const OPERATIONS: Readonly<Record<OperationId, readonly [method: string, path: string]>> = {\n' +
      `${places.join('')}};\n`,
  ].join('\n');
}

/** Returns the components that the paths need, also through other components. */
function usedComponents(paths: unknown, components: Record<string, Json>): Record<string, Json> {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name!)) continue;
      used.add(name!);
      visit(components[name!]);
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}

/** Returns the parameters of each shared type, as the first operation that has all of them declares them. */
function sharedParameters(operations: readonly Operation[]): Map<string, Parameter[]> {
  return new Map(
    Object.entries(SHARED_PARAMETERS).map(([type, names]) => {
      const found = operations.map(({ parameters }) =>
        parameters.filter(({ name }) => names.some((one) => one === name)),
      );
      return [type, found.find((some) => some.length === names.length)!];
    }),
  );
}

/** Returns a schema for each shared type: the members that all its owners have in common. Owners that are not there do not count. */
function sharedMembers(owners: Readonly<Record<string, Json | undefined>>): Record<string, Json> {
  const shared: Record<string, Json> = {};
  for (const [type, names] of Object.entries(SHARED_MEMBERS)) {
    const [first, ...others] = names.flatMap((name): Json[] => (owners[name] ? [owners[name]] : []));
    const of = (schema: Json, name: string) => membersOf(schema).get(name);
    if (first) shared[type] = withMembers(first, (name) => others.every((one) => of(one, name) === of(first, name)));
  }
  return shared;
}

function withMembers(schema: Json, isWanted: (name: string) => boolean): Json {
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return { ...schema, properties: Object.fromEntries(members.filter(([name]) => isWanted(name))) };
}

function bodyOf({ requestBody }: Operation): Json | undefined {
  return requestBody?.content['application/json']?.schema;
}

function requestType(
  operation: Operation,
  sharedTypes: ReadonlyMap<string, Parameter[]>,
  bases: Record<string, Json>,
): string {
  const { parameters, requestBody } = operation;
  const members: string[] = [];
  for (const [place, name] of [
    ['path', 'params'],
    ['query', 'query'],
    ['header', 'headers'],
  ] as const) {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) continue;
    const required = here.some((parameter) => parameter.required === true);
    const shared = [...sharedTypes].filter(([, some]) => some.every((one) => here.some((other) => isSame(one, other))));
    const own = here.filter((parameter) => !shared.some(([, some]) => some.some((one) => isSame(one, parameter))));
    const properties = own.map((parameter) => parameterMember(parameter, '        '));
    const types = [...shared.map(([type]) => type), ...(own.length > 0 ? [`{\n${properties.join('')}      }`] : [])];
    const optional = types.length > 1 ? `(${types.join(' & ')}) | undefined` : `${types[0]} | undefined`;
    members.push(`${name}${required ? ':' : '?:'} ${required ? types.join(' & ') : optional};`);
  }
  if (requestBody) {
    const schema = bodyOf(operation);
    const type = schema ? extendedType(schema, bases, '      ') : 'UploadBody';
    members.push(`body${requestBody.required ? ':' : '?:'} ${type}${requestBody.required ? '' : ' | undefined'};`);
  }
  if (members.length === 0) return 'Record<never, never>';
  const isShort = members.join('').length <= LINE_MEMBERS_MAX && !members.some((one) => one.includes('\n'));
  return isShort
    ? `{ ${members.join(' ').slice(0, -1)} }`
    : `{\n${members.map((one) => `      ${one}\n`).join('')}    }`;
}

function responseType({ responses }: Operation): string {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const schema = success?.content?.['application/json']?.schema;
  if (schema) return typeOf(schema, '    ');
  return success?.content?.['application/octet-stream'] ? 'Blob' : 'unknown';
}

function typeOf(schema: Json, indent: string): string {
  for (const keyword of Object.keys(schema))
    if (!KEYWORDS_WITHOUT_TYPE.has(keyword) && !KEYWORDS_WITH_TYPE.has(keyword))
      throw new Error(`unknown keyword of JSON Schema: ${keyword}`);
  if (typeof schema['$ref'] === 'string') return schema['$ref'].split('/').at(-1)!;
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  const branches = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (branches) return union(branches.map((branch) => typeOf(branch, indent)));
  const type = schema['type'];
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, indent)));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema['items'] ? `Array<${typeOf(schema['items'] as Json, indent)}>` : 'unknown[]';
    case 'object':
      return objectType(schema, indent);
    default:
      return 'unknown';
  }
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ');
}

/** Returns the type of a schema. One that has all members of a named one, and more, extends the largest of these. */
function extendedType(schema: Json, named: Record<string, Json>, indent: string): string {
  const members = membersOf(schema);
  const [base] = Object.entries(named)
    .map(([other, theirs]) => ({ other, names: Object.keys(theirs['properties'] ?? {}), theirs }))
    .filter(({ names, theirs }) => names.length >= EXTENDED_MEMBERS_MIN && isWithin(theirs))
    .sort((a, b) => b.names.length - a.names.length);
  if (base === undefined) return typeOf(schema, indent);
  const rest = withMembers(schema, (name) => !base.names.includes(name));
  return `${base.other} & ${typeOf(rest, indent)}`;

  function isWithin(other: Json): boolean {
    const theirs = [...membersOf(other)];
    return theirs.length < members.size && theirs.every(([one, text]) => members.get(one) === text);
  }
}

const EXTENDED_MEMBERS_MIN = 3;
/** A request whose members have no more characters stands in one line. */
const LINE_MEMBERS_MAX = 110;

/** Returns the members of a component by name, as text that tells different ones apart. */
function membersOf(schema: Json): Map<string, string> {
  const required = (schema['required'] ?? []) as string[];
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return new Map(properties.map(([name, type]) => [name, JSON.stringify([type, required.includes(name)])]));
}

function isSame(left: Parameter, right: Parameter): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function parameterMember({ name, schema, description, required }: Parameter, indent: string): string {
  return member(name, { ...schema, description }, required === true, indent);
}

function objectType(schema: Json, indent: string): string {
  const required = new Set((schema['required'] ?? []) as string[]);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  const more = schema['additionalProperties'];
  if (properties.length === 0) {
    return typeof more === 'object' && more !== null
      ? `Record<string, ${typeOf(more as Json, indent)}>`
      : 'Record<string, unknown>';
  }
  const members = properties.map(([name, property]) => member(name, property, required.has(name), `${indent}  `));
  return `{\n${members.join('')}${indent}}`;
}

function member(name: string, schema: Json, required: boolean, indent: string): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  const type = typeOf(schema, indent);
  return `${comment(notes(schema), indent)}${indent}${key}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'};\n`;
}

/** Returns the description, the limits and the default of a schema, for its comment. */
function notes(schema: Json): string[] {
  const limits = NOTED_KEYWORDS.filter((keyword) => keyword in schema).map(
    (keyword) => `${keyword} ${JSON.stringify(schema[keyword])}`,
  );
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  return [description, limits.join(', ')].filter((text) => text !== '');
}

function comment(lines: string[], indent: string): string {
  const text = lines.join(' · ').replaceAll(/\s+/g, ' ').replaceAll('*/', '* /');
  return text === '' ? '' : `${indent}/** ${text} */\n`;
}
