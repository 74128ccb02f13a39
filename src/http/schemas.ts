/**
 * Schemas that routes share, with their OpenAPI descriptions. `.meta({ wire })` replaces the JSON Schema of a schema in the OpenAPI
 * description. Query parameters need `wire`: they are text for the validation, but numbers, booleans or ids for the caller.
 */

import { z } from 'zod';
import { METADATA_KEY_LENGTH_MAX, METADATA_PATCH_RECORDS_MAX, METADATA_VALUE_LENGTH_MAX } from '../filters/metadata.ts';
import { JOB_STATUSES } from '../jobs/status.ts';
import { isId } from '../util/ids.ts';
import { text } from '../util/text-schema.ts';

export const NAME_LENGTH_MAX = 200;

export const nameSchema = text(1, NAME_LENGTH_MAX);

/** Returns the schema of a whole number in a query string. */
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

/** Returns the schema of a query parameter that may be repeated: `?a=1&a=2` and `?a=1` both give an array. */
export function queryList<T extends z.ZodType<unknown, string>>(item: T, max: number) {
  return z
    .union([z.array(z.string()), z.string().transform((one) => [one])])
    .pipe(z.array(item).max(max))
    .meta({ wire: { type: 'array', items: { type: 'string' }, maxItems: max } });
}

const ID_DESCRIPTION = 'Id: a UUID in lower case.';

/** An id in a path. For text that is not an id, registration answers 404, as for an unknown id. */
export const pathId = z
  .string()
  .refine(isId)
  .meta({ wire: { type: 'string', format: 'uuid' } })
  .describe(ID_DESCRIPTION);

export const idParams = z.strictObject({ id: pathId });

/** Path of the routes below one source. */
export const sourceParams = z.strictObject({ source_id: pathId.describe('Id of the source.') });

/** An id in a query or a body. Text that is not an id is an unknown id: it becomes an id that nothing has. */
export const givenId = z
  .string()
  .transform((id) => (isId(id) ? id : NO_ID))
  .meta({ wire: { type: 'string', format: 'uuid' } });
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** An id as it was sent, for a handler that repeats it or accepts other spellings. */
export const sentId = z.string().meta({ wire: { type: 'string', format: 'uuid' } });

/** An id in a response. */
export const idSchema = z
  .string()
  .meta({ wire: { type: 'string', format: 'uuid' } })
  .describe(ID_DESCRIPTION);

export const sourceIdSchema = idSchema.describe('Id of the source.');
export const sourceGroupIdSchema = idSchema.describe('Id of the source group.');

/** The answer of routes that create, change or delete a whole source group. */
export const sourceGroupIdAnswer = z.object({ source_group_id: sourceGroupIdSchema });

/** Unix seconds up to the year 9999. A larger number is probably a time in milliseconds. */
export const TIME_MAX = 253_402_300_799;

/** A half-open range of code points. */
export const spanShape = {
  start: z.int().describe('Offset of the first code point, from 0.'),
  end: z.int().describe('Offset behind the last code point.'),
};

/** Unix seconds in a response. */
export const timeSchema = z.int().describe('Unix seconds.');

export const SOURCE_TYPES = ['local_file', 'drive', 'page', 'repo', 'web', 'database'] as const;
export const sourceTypeSchema = z.enum(SOURCE_TYPES).describe('Where the source comes from.');

/** The file type of a source in a response. */
export const fileTypeSchema = z
  .string()
  .describe('Type of the file as detected, for example `pdf`; `unknown` when it was not recognized.');

export const PRINCIPAL_LENGTH_MAX = 256;

/** Name the end user for whom content is returned. Part of every request that returns content: of the body, or of the query on GET. */
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

const errorShape = {
  message: z.string().describe('What went wrong, in words for a person.'),
  type: z.string().describe('Kind of the error, for programs: for example `invalid_request_error`.'),
};

export const errorSchema = z
  .object({
    error: z
      .object({
        ...errorShape,
        pointer: z
          .string()
          .optional()
          .describe(
            'JSON pointer (RFC 6901) to the value of the request body that is refused, or to the place of a missing one. Absent when the ' +
              'error is not about one value.',
          ),
      })
      .describe('The only member of every error answer.'),
  })
  .meta({ id: 'Error' });

/** The errors of `/v1`. `param` and `code` are absent only from answers to requests that are not valid HTTP. */
export const openAiErrorSchema = z
  .object({
    error: z
      .object({
        ...errorShape,
        param: z.string().nullable().optional().describe('Member of the request body that is refused; null for none.'),
        code: z
          .string()
          .nullable()
          .optional()
          .describe('`invalid_api_key`, `model_not_found`, `rate_limit_exceeded` or null.'),
      })
      .describe('The only member of every error answer.'),
  })
  .meta({ id: 'OpenAiError' });

/** Something that did not stop the work, but that the caller should know. */
const warningSchema = z
  .object({
    type: z.string().describe('Kind of the warning, for programs: for example `postfilter_underfilled`.'),
    message: z.string().describe('The warning in words for a person.'),
  })
  .meta({ id: 'Warning' });
export const warningsSchema = z
  .array(warningSchema)
  .describe('Problems that did not stop the request, but that the caller should know.');

const metadataRecordSchema = z
  .object({
    key: z.string().describe('Key of the record.'),
    val: z.string().describe('Value of the record.'),
    type: z.string().describe('`string`. Records of the origin may also be `integer`, `float`, `date` or `datetime`.'),
  })
  .meta({ id: 'MetadataRecord' });
export const metadataSchema = z
  .object({ records: z.array(metadataRecordSchema).describe('The records, sorted by key.') })
  .meta({ id: 'Metadata' });

/**
 * Returns the schema of a record of a metadata patch. It checks types and members only: filters/metadata.ts checks the limits, for one
 * patch and for each patch of a batch. `bounded` writes the limits into the OpenAPI description, for requests that answer 400 to them.
 */
const patchRecord = (bounded: boolean) =>
  z.strictObject({
    key: (bounded ? z.string().meta({ minLength: 1, maxLength: METADATA_KEY_LENGTH_MAX }) : z.string()).describe(
      'Key of the record.',
    ),
    val: (bounded ? z.string().meta({ maxLength: METADATA_VALUE_LENGTH_MAX }) : z.string())
      .nullable()
      .describe('Null deletes the key.'),
  });

const PATCH_RECORDS_DESCRIPTION = 'Records to set, and keys to delete. Each key once.';

/** The metadata of a single patch: a broken rule fails the request. */
export const metadataPatchSchema = z
  .strictObject({
    records: z
      .array(patchRecord(true))
      .meta({ maxItems: METADATA_PATCH_RECORDS_MAX })
      .describe(PATCH_RECORDS_DESCRIPTION),
  })
  .meta({ id: 'MetadataPatch' });
/** The metadata of an item of a batch: a broken rule fails the item only. */
export const metadataItemPatchSchema = z
  .strictObject({ records: z.array(patchRecord(false)).describe(PATCH_RECORDS_DESCRIPTION) })
  .meta({ id: 'MetadataItemPatch' });

/** The columns of the result of a query of tables. */
export const resultColumnsSchema = z
  .array(
    z.object({
      name: z.string().describe('Name of the column in the result.'),
      type: z.string().describe('Type of the column, as DuckDB names it.'),
    }),
  )
  .describe('Columns of the result.');

export const jobErrorSchema = z
  .object({
    title: z.string().describe('What failed, in a few words.'),
    message: z.string().describe('What went wrong, in words for a person.'),
  })
  .meta({ id: 'JobError' });

export const jobStatusSchema = z.enum(JOB_STATUSES);
/** The status of a source group in a response. */
export const groupStatusSchema = jobStatusSchema.describe(
  'Status of the source group: that of its latest run, or of its deletion.',
);
/** Members of a source group that describe its latest run. */
export const latestRunShape = {
  start_time: timeSchema
    .nullable()
    .describe('Start of the latest run, Unix seconds; null before the first run starts.'),
  end_time: timeSchema
    .nullable()
    .describe('End of the latest run, Unix seconds; null while it runs, and before the first run.'),
  error: jobErrorSchema.nullable().describe('Why the latest run failed; null when it did not fail.'),
};
