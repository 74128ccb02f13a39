/**
 * Schemas that routes share. `.meta({ wire })` replaces a schema's JSON Schema in the OpenAPI description, for values that
 * are text in a query string but mean something else.
 */

import { z } from 'zod';
import { METADATA_KEY_LENGTH_MAX, METADATA_PATCH_RECORDS_MAX, METADATA_VALUE_LENGTH_MAX } from '../filters/metadata.ts';
import { isId } from '../util/ids.ts';
import { text } from '../util/text-schema.ts';

export const NAME_LENGTH_MAX = 200;

export const nameSchema = text(1, NAME_LENGTH_MAX);

/** A whole number in a query string. */
export function queryInteger(min: number, max: number) {
  return z
    .string()
    .refine((value) => /^-?\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max, {
      error: (issue) => `must be a whole number from ${min} to ${max}, not ${JSON.stringify(issue.input)}`,
    })
    .transform(Number)
    .meta({ wire: { type: 'integer', minimum: min, maximum: max } });
}

/** `true` or `false` in a query string. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .meta({ wire: { type: 'boolean' } });

/** A query parameter that may be repeated; `?a=1&a=2` and `?a=1` both give an array. */
export function queryList<T extends z.ZodType<unknown, string>>(item: T, max: number) {
  return z.union([z.array(z.string()), z.string().transform((one) => [one])]).pipe(z.array(item).max(max));
}

/** An id in a path. Anything that is not one is an unknown id: registration answers 404 for it. */
export const pathId = z
  .string()
  .refine(isId)
  .meta({ wire: { type: 'string', format: 'uuid' } });

export const idParams = z.strictObject({ id: pathId });

/** An id in a response. */
export const idSchema = z.string().meta({ wire: { type: 'string', format: 'uuid' } });

/** Unix seconds in a response. */
export const timeSchema = z.int().describe('Unix seconds.');

export const PRINCIPAL_LENGTH_MAX = 256;

/** For whom content is returned: members of every request that returns content, in the body or, on GET, in the query. */
export const principalShape = {
  principal_id: text(0, PRINCIPAL_LENGTH_MAX)
    .optional()
    .describe('The end user on whose behalf the request is made. Ignored while authorization is off.'),
  authz_policy: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must match ^[a-z][a-z0-9_-]{0,63}$')
    .optional()
    .describe('Name of the authorization policy; `default` when absent. Ignored while authorization is off.'),
};

export const errorSchema = z
  .object({ error: z.object({ message: z.string(), type: z.string() }) })
  .meta({ id: 'Error' });

export const metadataRecordSchema = z
  .object({ key: z.string(), val: z.string(), type: z.string() })
  .meta({ id: 'MetadataRecord' });
export const metadataSchema = z.object({ records: z.array(metadataRecordSchema) }).meta({ id: 'Metadata' });

/**
 * Metadata as sent. Types and members are checked here; the rules of a patch (filters/metadata.ts) apply to one patch and to
 * each of a batch alike, so `bounded` only says for the description that breaking them is a 400.
 */
const patchRecord = (bounded: boolean) =>
  z.strictObject({
    key: bounded ? z.string().meta({ minLength: 1, maxLength: METADATA_KEY_LENGTH_MAX }) : z.string(),
    val: (bounded ? z.string().meta({ maxLength: METADATA_VALUE_LENGTH_MAX }) : z.string())
      .nullable()
      .describe('Null deletes the key.'),
  });

/** The metadata of one patch, where a broken rule fails the request. */
export const metadataPatchSchema = z
  .strictObject({ records: z.array(patchRecord(true)).meta({ maxItems: METADATA_PATCH_RECORDS_MAX }) })
  .meta({ id: 'MetadataPatch' });
/** The metadata of an item of a batch, where a broken rule fails the item. */
export const metadataItemPatchSchema = z
  .strictObject({ records: z.array(patchRecord(false)) })
  .meta({ id: 'MetadataItemPatch' });

export const jobErrorSchema = z.object({ title: z.string(), message: z.string() }).meta({ id: 'JobError' });
