/** Finds every place of the API where a caller can put an id, from the route table. */

import { openApiDocument } from '../../src/http/openapi/openapi.ts';
import type { Route } from '../../src/http/route.ts';
import { pathOf } from '../../src/http/route.ts';

/** Invalid ids in a path. */
export const MALFORMED = [
  'x',
  '0',
  '%00',
  '%ff',
  "'",
  '%27%20or%201=1--',
  'null',
  'undefined',
  '%2e%2e%2f', // without the slash, a client resolves it to another route
  '{}',
  '*',
  'x'.repeat(300),
];

export interface IdSlot {
  route: Route;
  /** `GET /source-groups/{id} path.id`; members of a body are joined by dots, `[]` for elements. */
  name: string;
}

type Json = Record<string, unknown>;
interface Operation {
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Json }> };
}

/** Path parameters, and query parameters and body members called `id`, `…_id`, `…_ids`, `…Id`. */
export function idSlots(routes: readonly Route[]): IdSlot[] {
  const document = openApiDocument(routes) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Json> };
  };
  return routes.flatMap((route) => {
    const operation = document.paths[pathOf(route)]?.[route.method.toLowerCase()];
    const parameters = operation?.parameters.filter((one) => one.in === 'path' || isIdName(one.name)) ?? [];
    const names = parameters.filter((one) => one.in !== 'header').map((one) => `${one.in}.${one.name}`);
    const body = operation?.requestBody?.content['application/json']?.schema;
    const members = body ? idMembers(body, document.components.schemas, 'body', new Set()) : [];
    return [...new Set([...names, ...members])].map((name) => ({
      route,
      name: `${route.method} ${route.path} ${name}`,
    }));
  });
}

function isIdName(name: string): boolean {
  return /(^|_)ids?$|[a-z]Ids?$/.test(name);
}

function idMembers(schema: Json, components: Record<string, Json>, path: string, seen: ReadonlySet<string>): string[] {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const id = reference.split('/').at(-1)!;
    if (seen.has(id)) return [];
    return idMembers(components[id] ?? {}, components, path, new Set([...seen, id]));
  }
  const found: string[] = [];
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    if (isIdName(name)) found.push(`${path}.${name}`);
    else found.push(...idMembers(member, components, `${path}.${name}`, seen));
  }
  if (schema['items']) found.push(...idMembers(schema['items'] as Json, components, `${path}[]`, seen));
  for (const group of ['anyOf', 'oneOf', 'allOf']) {
    for (const branch of (schema[group] ?? []) as Json[]) found.push(...idMembers(branch, components, path, seen));
  }
  return found;
}
