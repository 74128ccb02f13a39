/** Wire schema of a policy with its declared types and tests. */
import { z } from 'zod';
import { ATTRIBUTE_TYPES, type AttributeTypes, problemsOfTypes } from '../../access/attribute-types.ts';
import { policySchema } from '../../access/policy.ts';
import type { PolicyDocument, PolicyTest, TestMetadata } from '../../access/policy-tests.ts';
import { standaloneJsonSchema } from '../../http/openapi/openapi.ts';
import { isObject } from '../../util/is-object.ts';
import { text } from '../../util/text-schema.ts';
import { ATTRIBUTES_MAX, attributesSchema } from './attributes.ts';

const TESTS_MAX = 100;
const NAME_LENGTH_MAX = 200;
const TAGS_MAX = 100;

const TYPES = '`text`, `number`, `boolean` or `time`; with `[]` an array of these or a single one';

/** Values as text, by key: the same limits as for attributes, without arrays. */
const metadataOf = (description: string) =>
  attributesSchema
    .transform((metadata, context): TestMetadata => {
      const array = Object.entries(metadata).find(([, value]) => Array.isArray(value));
      if (array)
        context.addIssue({ code: 'custom', path: [array[0]], message: 'must be text, a number, true or false' });
      return metadata as TestMetadata;
    })
    .optional()
    .meta({ wire: { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }, description });

const testSchema = z.strictObject({
  name: text(1, NAME_LENGTH_MAX).optional().describe('What the test shows, for error messages.'),
  given: attributesSchema.describe('Attributes of the principal.'),
  source: z
    .strictObject({
      source_metadata: metadataOf('Metadata that is set through the API or by a connector.'),
      content_metadata: metadataOf('Records that the file sets about itself. They count for `trust_content` only.'),
      chunk_metadata: metadataOf('Metadata of the chunk.'),
      group_metadata: metadataOf('Metadata of the source group.'),
      tag: z
        .array(text(1, NAME_LENGTH_MAX))
        .max(TAGS_MAX)
        .optional()
        .describe('Names (or ids) of the tags of the group.'),
      source_group: text(1, NAME_LENGTH_MAX).optional().describe('Name (or id) of the group.'),
    })
    .describe('The facts about the source, by the targets of conditions. Absent facts are missing.'),
  expect: z.enum(['allow', 'deny']).describe('What the policy must decide.'),
});

const TYPES_WIRE = { type: 'object', additionalProperties: { type: 'string', enum: ATTRIBUTE_TYPES } };

const attributeTypesSchema = z
  .unknown()
  .transform((given, context): AttributeTypes => {
    const fail = (path: string[], message: string): never => {
      context.addIssue({ code: 'custom', path, message, input: given });
      return z.NEVER;
    };
    if (!isObject(given)) return fail([], 'must be an object');
    const entries = Object.entries(given);
    if (entries.length > ATTRIBUTES_MAX) return fail([], `must have at most ${ATTRIBUTES_MAX} attributes`);
    for (const [name, type] of entries)
      if (!ATTRIBUTE_TYPES.some((one) => one === type))
        return fail([name], `must be one of ${ATTRIBUTE_TYPES.join(', ')}`);
    return Object.fromEntries(entries) as AttributeTypes;
  })
  .meta({ wire: TYPES_WIRE });

const extraShape = {
  attribute_types: attributeTypesSchema
    .optional()
    .describe(
      `Types of the attributes, by name: ${TYPES}. All attributes that the policy uses must then be declared; an attribute of another ` +
        'type counts as missing, and cannot be set.',
    ),
  tests: z
    .array(testSchema)
    .max(TESTS_MAX)
    .optional()
    .describe('Tests of the policy. They run when the policy is set; if one fails, the policy is refused.'),
};
const extraSchema = z.strictObject(extraShape);
/** The same members in answers. */
export const shownExtraShape = {
  attribute_types: z
    .custom<AttributeTypes>()
    .optional()
    .meta({ wire: TYPES_WIRE, description: 'Declared types of attributes; absent without any.' }),
  tests: z.array(z.unknown()).optional().describe('Tests of the policy, as they were sent; absent without any.'),
};

const { wire: groupWire } = policySchema.meta() as { wire: { properties: object } };
const { properties: extraProperties } = standaloneJsonSchema(extraSchema, 'input') as { properties: object };
const wire = {
  ...groupWire,
  properties: { ...groupWire.properties, ...extraProperties },
  // The groups within a policy refer to this component.
  $defs: { AuthzPolicyGroup: groupWire },
};

/** A group of conditions with declared types and tests. */
export const policyDocumentSchema = z
  .unknown()
  .transform((given, context): PolicyDocument => {
    const { attribute_types, tests, ...group } = isObject(given) ? given : { group: given };
    const extra = { ...(attribute_types !== undefined && { attribute_types }), ...(tests !== undefined && { tests }) };
    const policy = policySchema.safeParse(isObject(given) ? group : given);
    const more = extraSchema.safeParse(extra);
    for (const issue of [...(policy.error?.issues ?? []), ...(more.error?.issues ?? [])])
      context.addIssue({ ...issue, input: given } as Parameters<typeof context.addIssue>[0]);
    if (!policy.success || !more.success) return z.NEVER;
    const types = more.data.attribute_types;
    for (const problem of types ? problemsOfTypes(policy.data, types) : [])
      context.addIssue({ code: 'custom', path: [...problem.path], message: problem.message, input: given });
    return { ...policy.data, ...(more.data as { attribute_types?: AttributeTypes; tests?: PolicyTest[] }) };
  })
  .meta({ id: 'AuthzPolicyDocument', wire });
