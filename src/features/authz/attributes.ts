/** Wire schemas of the attributes of a principal. */

import { z } from 'zod';
import type { Attributes } from '../../access/policy.ts';
import type { Scalar } from '../../filters/types.ts';
import { codePointLength } from '../../util/code-points.ts';

export const ATTRIBUTES_MAX = 100;
const ATTRIBUTE_NAME_LENGTH_MAX = 256;
const ATTRIBUTE_LENGTH_MAX = 4096;
const ATTRIBUTE_VALUES_MAX = 1000;

/** Attributes to set, by name. Null removes an attribute. */
export type AttributesPatch = Readonly<Record<string, Attributes[string] | null>>;

const scalar = { type: ['string', 'number', 'boolean'] };
const value = {
  anyOf: [scalar, { type: 'array', items: scalar, minItems: 1, maxItems: ATTRIBUTE_VALUES_MAX }],
  description:
    `Text of at most ${ATTRIBUTE_LENGTH_MAX} characters, a number, true or false; or an array of 1 to ${ATTRIBUTE_VALUES_MAX} ` +
    'of these.',
};
const wire = {
  type: 'object',
  description: `At most ${ATTRIBUTES_MAX} attributes, by names of 1 to ${ATTRIBUTE_NAME_LENGTH_MAX} characters.`,
  additionalProperties: value,
};

export const attributesSchema = attributesOf<Attributes>(false).meta({ id: 'Attributes', wire });
export const attributesPatchSchema = attributesOf<AttributesPatch>(true).meta({
  id: 'AttributesPatch',
  wire: {
    ...wire,
    additionalProperties: {
      anyOf: [...value.anyOf, { type: 'null' }],
      description: `${value.description} Null removes the attribute.`,
    },
  },
});

/** The attributes in answers, as they are stored. */
export const storedAttributesSchema = z
  .custom<Attributes>()
  .meta({ id: 'ShownAttributes', wire: { type: 'object', additionalProperties: { anyOf: value.anyOf } } });

/** Returns the schema of attributes. `z.record` is not used, because it does not accept `__proto__` as an ordinary name. */
function attributesOf<T>(nullable: boolean) {
  return z.unknown().transform((given, context): T => {
    const fail = (path: string[], message: string): never => {
      context.addIssue({ code: 'custom', path, message, input: given });
      return z.NEVER;
    };
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return fail([], 'must be an object');
    const entries = Object.entries(given);
    if (entries.length > ATTRIBUTES_MAX) return fail([], `must have at most ${ATTRIBUTES_MAX} attributes`);
    for (const [name, one] of entries) {
      if (name === '' || codePointLength(name) > ATTRIBUTE_NAME_LENGTH_MAX)
        return fail([name], `must have a name of 1 to ${ATTRIBUTE_NAME_LENGTH_MAX} characters`);
      if (nullable && one === null) continue;
      const many: unknown[] = Array.isArray(one) ? one : [one];
      if (many.length < 1 || many.length > ATTRIBUTE_VALUES_MAX)
        return fail([name], `must have 1 to ${ATTRIBUTE_VALUES_MAX} values`);
      if (!many.every(isScalar)) {
        return fail(
          [name],
          `must be text of at most ${ATTRIBUTE_LENGTH_MAX} characters, a number within ±${Number.MAX_SAFE_INTEGER}, true, false, or ` +
            'an array of these',
        );
      }
    }
    return Object.fromEntries(entries) as T;
  });
}

function isScalar(given: unknown): given is Scalar {
  if (typeof given === 'string')
    return given.length <= ATTRIBUTE_LENGTH_MAX || codePointLength(given) <= ATTRIBUTE_LENGTH_MAX;
  // JSON.parse has already rounded a larger integer, so comparisons would use a neighbouring number.
  if (typeof given === 'number')
    return Number.isFinite(given) && (!Number.isInteger(given) || Number.isSafeInteger(given));
  return typeof given === 'boolean';
}
