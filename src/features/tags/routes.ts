/** Routes for tags, and for their links to source groups. */
import { z } from 'zod';
import { findTag, listLinks, listTags, type Tag } from '../../corpus/tag-store.ts';
import { orNotFound } from '../../errors.ts';
import type { Deps } from '../../http/deps.ts';
import { pageAnswer, pageQueryShape, pageRequest, pageResponse } from '../../http/page.ts';
import { type Route, routesOf } from '../../http/route.ts';
import { givenId, idParams, idSchema, nameSchema, sourceGroupIdSchema } from '../../http/schemas.ts';
import { text } from '../../util/text-schema.ts';
import {
  changeTag,
  createTag,
  linkTag,
  refuseLimited,
  refuseTagLimited,
  removeTag,
  TAGS_MAX,
  unlinkTag,
} from './tags.ts';

const route = routesOf('Tags');
const TAG_DESCRIPTION_LENGTH_MAX = 1_000;

const tagSchema = z
  .object({
    id: idSchema.describe('Id of the tag.'),
    name: z.string().describe('Name of the tag, unique within the tenant.'),
    description: z.string().describe('What the tag is for, in the words of its owner. Empty when none was given.'),
  })
  .meta({ id: 'Tag' });

const tagBody = z.strictObject({
  name: nameSchema.describe('Name of the tag, unique within the tenant.'),
  description: text(0, TAG_DESCRIPTION_LENGTH_MAX).optional().describe('What the tag is for, in your own words.'),
});

const linkSchema = z
  .object({ tag_id: idSchema.describe('Id of the tag.'), source_group_id: sourceGroupIdSchema })
  .meta({ id: 'TagSourceGroupLink' });
const linkBody = z.strictObject({
  tag_id: givenId.describe('Id of the tag.'),
  source_group_id: givenId.describe('Id of the source group.'),
});

const linkQuery = z.strictObject({
  ...pageQueryShape,
  tag_id: givenId.optional().describe('Only links of this tag. An unknown tag selects nothing.'),
  source_group_id: givenId.optional().describe('Only links of this source group. An unknown group selects nothing.'),
});

const LINK_EXAMPLE = {
  tag_id: '0199a3c0-0000-7000-8000-000000000001',
  source_group_id: '0199a3c0-0000-7000-8000-000000000002',
};

export const tagRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/tags',
    scopes: ['knowledge:read'],
    operation: {
      id: 'listTags',
      summary: 'List tags',
      description:
        `Returns all tags, oldest first: a tenant has at most ${TAGS_MAX}. An API key that is limited to tags sees only these ` +
        'tags.',
    },
    response: { status: 200, schema: z.object({ tags: z.array(tagSchema).describe('All tags.') }) },
    handler: ({ caller }) => deps.db.transaction(caller.tenantId, async (tx) => ({ tags: await listTags(tx, caller) })),
  }),
  route({
    method: 'GET',
    path: '/tags/{id}',
    scopes: ['knowledge:read'],
    operation: { id: 'getTag', summary: 'Get a tag' },
    params: idParams,
    response: { status: 200, schema: tagSchema },
    async handler({ caller, params }): Promise<Tag> {
      return orNotFound(await deps.db.transaction(caller.tenantId, (tx) => findTag(tx, params.id, caller)));
    },
  }),
  route({
    method: 'POST',
    path: '/tags',
    scopes: ['knowledge:write'],
    operation: {
      id: 'createTag',
      summary: 'Create a tag',
      description: `409 if another tag has the name, or if there are ${TAGS_MAX} tags already.`,
    },
    check: refuseTagLimited,
    body: tagBody,
    response: { status: 201, schema: tagSchema, description: 'The tag was created.' },
    idempotent: true,
    example: { name: 'policy', description: 'Rules that bind everyone' },
    handler: ({ body, caller, idempotency }) => createTag(deps, caller, body, (tx, tag) => idempotency.save(tx, tag)),
  }),
  route({
    method: 'PUT',
    path: '/tags/{id}',
    scopes: ['knowledge:write'],
    operation: {
      id: 'updateTag',
      summary: 'Rename or describe a tag',
      description: 'If `description` is absent, it stays unchanged. An API key with limits cannot change tags.',
    },
    check: refuseLimited,
    params: idParams,
    body: tagBody,
    response: { status: 200, schema: tagSchema },
    errors: [409],
    example: { name: 'policy' },
    handler: ({ body, caller, params }) => changeTag(deps, caller, params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/tags/{id}',
    scopes: ['knowledge:write'],
    operation: {
      id: 'deleteTag',
      summary: 'Delete a tag',
      description: 'Deletes the tag and its links; the source groups stay. Returns the deleted tag.',
    },
    check: refuseLimited,
    params: idParams,
    response: { status: 200, schema: tagSchema },
    errors: [409],
    handler: ({ caller, params }) => removeTag(deps, caller, params.id),
  }),
  route({
    method: 'POST',
    path: '/tag-source-groups',
    scopes: ['knowledge:write'],
    operation: {
      id: 'linkTag',
      summary: 'Add a tag to a source group',
      description: 'If the source group has the tag already, nothing changes and the answer is the same.',
    },
    check: refuseTagLimited,
    body: linkBody,
    response: { status: 201, schema: linkSchema, description: 'The source group has the tag.' },
    errors: [404],
    idempotent: true,
    example: LINK_EXAMPLE,
    handler: async ({ body, caller }) => toWire(await linkTag(deps, caller, fromWire(body))),
  }),
  route({
    method: 'GET',
    path: '/tag-source-groups',
    scopes: ['knowledge:read'],
    operation: { id: 'listTagLinks', summary: 'List the links between tags and source groups' },
    query: linkQuery,
    response: pageResponse('tag_source_groups', linkSchema, 'Links of this page.'),
    async handler({ caller, query }) {
      const { tag_id: tagId, source_group_id: sourceGroupId } = query;
      const listed = await deps.db.transaction(caller.tenantId, (tx) =>
        listLinks(tx, caller, { tagId, sourceGroupId }, pageRequest(query)),
      );
      return pageAnswer('tag_source_groups', query, listed, toWire);
    },
  }),
  route({
    method: 'DELETE',
    path: '/tag-source-groups',
    scopes: ['knowledge:write'],
    operation: {
      id: 'unlinkTag',
      summary: 'Remove a tag from a source group',
      description: 'The body names the link. Returns the removed link.',
    },
    check: refuseTagLimited,
    body: linkBody,
    response: { status: 200, schema: linkSchema },
    errors: [404],
    example: LINK_EXAMPLE,
    handler: async ({ body, caller }) => toWire(await unlinkTag(deps, caller, fromWire(body))),
  }),
];

function fromWire(body: z.output<typeof linkBody>): { tagId: string; sourceGroupId: string } {
  return { tagId: body.tag_id, sourceGroupId: body.source_group_id };
}

function toWire(link: { tagId: string; sourceGroupId: string }): z.input<typeof linkSchema> {
  return { tag_id: link.tagId, source_group_id: link.sourceGroupId };
}
