/** Routes for the metadata of sources. */
import { z } from 'zod';
import { applyBatch, batchSchema } from '../../http/batch.ts';
import type { Deps } from '../../http/deps.ts';
import { redactRecords } from '../../http/records/source-record.ts';
import { type Route, routesOf } from '../../http/route.ts';
import {
  givenId,
  metadataItemPatchSchema,
  metadataPatchSchema,
  metadataSchema,
  sentId,
  sourceParams,
} from '../../http/schemas.ts';
import { readRedactor } from '../../redaction/redactors.ts';
import { deleteSourceMetadata, patchSourceMetadata, type SourcePatch } from './metadata.ts';

const route = routesOf('Sources');
const BATCH_ITEMS_MAX = 50;

const batchBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        source_id: sentId.describe('Id of the source.'),
        source_group_id: givenId
          .optional()
          .describe(
            'If given, the item fails unless the source belongs to this group, as if the source did not exist.',
          ),
        metadata: metadataItemPatchSchema,
      }),
    )
    .max(BATCH_ITEMS_MAX, `must have at most ${BATCH_ITEMS_MAX} items`)
    .describe('The patches. They are applied in this order.'),
});

const RULES =
  'The patch is merged by key into the records that were set through the API; `val` null deletes a key. A patch has at most ' +
  '40 records, each key once; at most 20 records may remain. Keys have 1 to 256 characters, values at most 4,096. ' +
  'Records of the origin stay unchanged, but a record that is set through the API hides a record of the origin with the same key.';

export const metadataRoutes = (deps: Deps): Route[] => [
  route({
    method: 'PUT',
    path: '/sources/{source_id}/metadata',
    scopes: ['knowledge:write'],
    operation: {
      id: 'patchSourceMetadata',
      summary: 'Change the metadata of a source',
      description: RULES,
    },
    params: sourceParams,
    body: z.strictObject({ metadata: metadataPatchSchema }),
    response: { status: 200, schema: metadataSchema, description: 'All records set through the API, sorted by key.' },
    example: {
      metadata: {
        records: [
          { key: 'department', val: 'sales' },
          { key: 'draft', val: null },
        ],
      },
    },
    async handler({ caller, params, body }) {
      const patch = { sourceId: params.source_id, records: body.metadata.records };
      const metadata = await patchSourceMetadata(deps, caller, patch);
      const redactor = await readRedactor(deps, caller.tenantId);
      // All records are redacted, not only the changed ones. Otherwise a change of one record would show the others unredacted.
      return { records: await redactRecords(metadata, redactor) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/sources/{source_id}/metadata',
    scopes: ['knowledge:write'],
    operation: {
      id: 'deleteSourceMetadata',
      summary: 'Delete the metadata of a source',
      description: 'Deletes all records that were set through the API. Records of the origin stay.',
    },
    params: sourceParams,
    response: {
      status: 200,
      schema: z.object({ message: z.string().describe('Confirmation, in words for a person.') }),
    },
    async handler({ caller, params }) {
      await deleteSourceMetadata(deps, caller, params.source_id);
      return { message: 'The metadata of the source was deleted.' };
    },
  }),
  route({
    method: 'POST',
    path: '/sources/metadata/batch',
    scopes: ['knowledge:write'],
    operation: {
      id: 'patchSourceMetadataBatch',
      summary: 'Change the metadata of many sources',
      description:
        `${RULES}\n\nAt most ${BATCH_ITEMS_MAX} items, applied one after the other. Each item succeeds or fails on its own, with the ` +
        'same error message as the request for one source. A malformed body fails as a whole.',
    },
    body: batchBody,
    response: { status: 200, schema: batchSchema('source_id'), description: 'The result of each item.' },
    example: {
      items: [
        {
          source_id: '0198f2b4-8c00-7000-8000-000000000001',
          metadata: { records: [{ key: 'department', val: 'sales' }] },
        },
      ],
    },
    async handler({ caller, body, signal }) {
      const patches = body.items.map((item) => ({
        sourceId: item.source_id,
        groupId: item.source_group_id,
        records: item.metadata.records,
      }));
      // Each patch has its own transaction, which locks one source and the files inside it, so batches cannot deadlock.
      const apply = (patch: SourcePatch) => patchSourceMetadata(deps, caller, patch);
      return applyBatch(patches, ({ sourceId }) => sourceId, apply, signal);
    },
  }),
];
