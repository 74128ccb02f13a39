/** The routes that delete a source group of one type, or of any. */
import type { OriginKind } from '../corpus/origin.ts';
import { requestDeletion } from '../ingest/removal/delete-group.ts';
import type { Deps } from './deps.ts';
import type { Declaration, Route, routesOf } from './route.ts';
import { idParams, sourceGroupIdAnswer } from './schemas.ts';

const DESCRIPTION =
  'The content is hidden when the request is answered; a background job removes it. Until then, a repeated request gets the same answer.';

/** @param sourceType groups of other types do not exist for the route. */
export function deleteGroupRoute(
  deps: Deps,
  route: ReturnType<typeof routesOf>,
  path: string,
  operation: Declaration['operation'],
  sourceType?: OriginKind | 'local_file',
): Route {
  return route({
    method: 'DELETE',
    path: `${path}/{id}`,
    scopes: ['ingestion:manage'],
    operation: { description: DESCRIPTION, ...operation },
    params: idParams,
    response: { status: 202, schema: sourceGroupIdAnswer, description: 'The deletion was accepted.' },
    async handler({ caller, params }) {
      await requestDeletion(deps, caller, params.id, sourceType);
      return { source_group_id: params.id };
    },
  });
}
