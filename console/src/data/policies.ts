/** Policies and subjects: who may see what. */
import type { AuthzPolicy, AuthzPolicyDocument, Operations } from '../../../src/client/api.ts';
import { pinakes, savedOver } from './api.ts';
import { ROWS_PER_REQUEST } from './pages.ts';

export type Policy = AuthzPolicy;
export type Preview = Operations['previewPolicy']['response'];
export type Subject = Operations['getSubject']['response'];
export type Attributes = NonNullable<Operations['previewPolicy']['request']['body']['attributes']>;

export const POLICIES = 'policies';
export const SUBJECTS = 'subjects';
export const DEFAULT_POLICY = 'default';
/** What a new policy begins with: nobody sees anything but what is tagged so. */
export const FIRST_POLICY = { operator: 'or', filters: [{ target: 'tag', operator: 'eq', value: 'public' }] };
const SAMPLE = 12;

/** Returns all policies, oldest first. */
export async function readPolicies(signal: AbortSignal): Promise<Policy[]> {
  const all: Policy[] = [];
  let after: string | undefined;
  do {
    const { policies, pagination } = await pinakes.listPolicies(
      { query: { limit: ROWS_PER_REQUEST, after_id: after } },
      { signal },
    );
    all.push(...policies);
    after = pagination.next_id ?? undefined;
  } while (after !== undefined);
  return all;
}

/** Returns a policy as it is written. */
export function documentOf({ operator, filters, attribute_types, tests }: Policy): string {
  const document = { ...(attribute_types && { attribute_types }), operator, filters, ...(tests && { tests }) };
  return JSON.stringify(document, null, 2);
}

/** Saves the policy over this version; 0: there is none. Returns false, and saves nothing, if another version is stored. */
export async function savePolicy(name: string, document: unknown, over: number): Promise<boolean> {
  const body = document as AuthzPolicyDocument;
  return savedOver(over, (headers) => pinakes.setPolicy({ params: { name }, body, headers }));
}

/** For whom a policy is previewed. */
export type Principal = { kind: 'id'; id: string } | { kind: 'attributes'; attributes: unknown };

export function previewPolicy(
  name: string,
  document: unknown,
  principal: Principal,
  signal: AbortSignal,
): Promise<Preview> {
  return pinakes.previewPolicy(
    {
      body: {
        authz_policy: name,
        policy: document as AuthzPolicyDocument,
        ...(principal.kind === 'attributes'
          ? { attributes: principal.attributes as Attributes }
          : principal.id !== '' && { principal_id: principal.id }),
        limit: SAMPLE,
      },
    },
    { signal },
  );
}

export function explainSource(name: string, principalId: string, sourceId: string) {
  const body = { authz_policy: name, source_id: sourceId, ...(principalId !== '' && { principal_id: principalId }) };
  return pinakes.explainAccess({ body });
}

/** Returns the declared types of attributes of all policies. */
export function declaredTypes(policies: readonly Policy[]): [string, string][] {
  return Object.entries(Object.assign({}, ...policies.map((policy) => policy.attribute_types ?? {}))).map(
    ([name, type]) => [name, String(type)],
  );
}
