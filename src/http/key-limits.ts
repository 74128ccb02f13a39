/** `check` functions of routes that refuse API keys limited to source groups or tags. */

import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';

/** Refuses a limited key, because it could not see the group that it creates. @throws ServiceError forbidden. */
export const checkMayCreateGroup = refuseLimitedKeys('create a source group');

/** Returns a `check` that lets only keys without limits pass. `action` completes the message "… cannot <action>". */
export function refuseLimitedKeys(action: string): (caller: Caller) => void {
  return ({ sourceGroupIds, tagIds }) => {
    if (sourceGroupIds === null && tagIds === null) return;
    throw new ServiceError('forbidden', `The API key is limited to source groups or tags and cannot ${action}.`);
  };
}
