/** What API keys that are limited to source groups or tags cannot do: for `check` of routes. */

import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';

/** A key that is limited to some groups or tags cannot make a group that it could not see. @throws ServiceError forbidden. */
export const checkMayCreateGroup = unlimitedTo('create a source group');

/** The `check` of a route that reaches beyond some groups: only a key without limits may use it. */
export function unlimitedTo(doing: string): (caller: Caller) => void {
  return ({ sourceGroupIds, tagIds }) => {
    if (sourceGroupIds === null && tagIds === null) return;
    throw new ServiceError('forbidden', `The API key is limited to source groups or tags and cannot ${doing}.`);
  };
}
