/** The route that previews a policy before it is stored. */

import { z } from 'zod';
import { DEFAULT_POLICY } from '../../access/access.ts';
import { invalidRequest } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { toRecord } from '../../http/records/wire-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { idSchema, principalShape } from '../../http/schemas.ts';
import { attributesSchema, storedAttributesSchema } from './attributes.ts';
import { policyDocumentSchema } from './policy-body.ts';
import { previewPolicy } from './preview.ts';

const SAMPLE_DEFAULT = 10;
const SAMPLE_MAX = 20;

const body = z.strictObject({
  ...principalShape,
  attributes: attributesSchema
    .optional()
    .describe('Attributes of a principal that need not exist. Send either principal_id or attributes.'),
  policy: policyDocumentSchema
    .optional()
    .describe('The policy to preview. Absent: the stored policy. It is compared with the stored `authz_policy`.'),
  limit: z.int().min(0).max(SAMPLE_MAX).default(SAMPLE_DEFAULT).describe('How many sources the sample has at most.'),
});

const sampleSchema = z.object({
  source_id: idSchema.describe('Id of the source.'),
  name: z.string().describe('Its name. Empty where redaction withholds it, and for keys that may not list sources.'),
  path: z
    .string()
    .nullable()
    .describe(
      'Its path, as in the list of sources. Null where it has none, and where the name would be empty or redacted.',
    ),
  visible: z.boolean().describe('Whether the previewed policy shows it.'),
  visible_before: z.boolean().describe('Whether the stored policy shows it.'),
  matched_rule: z
    .string()
    .nullable()
    .describe('JSON pointer, within the previewed policy, to the condition or group that decided.'),
});

const previewSchema = z.object({
  total: z.int().describe('Number of sources that the API key may see and that are ready.'),
  visible: z.int().describe('Number of these that the previewed policy shows to the principal.'),
  visible_before: z.int().describe('Number of these that the stored policy shows.'),
  appearing: z.int().describe('Number of sources that only the previewed policy shows.'),
  disappearing: z.int().describe('Number of sources that only the stored policy shows.'),
  stored_version: z
    .int()
    .nullable()
    .describe('Version of the stored policy; null: there is none, and it shows nothing.'),
  attributes: storedAttributesSchema.describe('The attributes of the principal. Empty if it is unknown or expired.'),
  tests: z
    .array(z.string().nullable())
    .describe('For each test of the previewed policy, why it fails; null for a test that passes.'),
  sample: z
    .array(sampleSchema)
    .describe('Some of the sources: first those that change, then visible ones, newest first.'),
});

export function previewRoute(deps: Deps): Route {
  return routesOf('Authorization')({
    method: 'POST',
    path: '/authz/preview',
    scopes: ['authz:grant'],
    operation: {
      id: 'previewPolicy',
      summary: 'Preview a policy',
      description:
        'Says how many sources a policy would show to a principal, and which of them differ from the stored policy. Nothing is stored. ' +
        'Works even while authorization is off. A source counts as visible if one of its chunks is. A policy that would take too long ' +
        'on all sources is refused with 400, as a filter of a search is.',
    },
    body,
    response: { status: 200, schema: previewSchema },
    errors: [404],
    example: {
      attributes: { department: 'sales' },
      policy: { operator: 'or', filters: [{ target: 'tag', operator: 'eq', value: 'public' }] },
    },
    async handler({ caller, body, signal }) {
      const { principal_id: id, attributes, policy, limit } = body;
      if (id !== undefined && attributes !== undefined)
        throw invalidRequest('The request body: must not have both principal_id and attributes.');
      const request = {
        name: body.authz_policy ?? DEFAULT_POLICY,
        draft: policy,
        principal: id === undefined ? { attributes: attributes ?? {} } : { id },
        limit,
      };
      const preview = await previewPolicy(deps, caller, request, signal);
      const sample = preview.sample.map((source) => toRecord(sampleSchema, source, { source_id: source.id }));
      return toRecord(previewSchema, preview, { attributes: preview.attributes, sample });
    },
  });
}
