/** What API keys that are limited to source groups or tags cannot do: for `check` of routes. */
import { ServiceError } from '../errors.ts';
import type { Caller } from './route.ts';

/** A key that is limited to some groups or tags cannot make a group that it could not see. @throws ServiceError forbidden. */
export function checkMayCreateGroup(caller: Caller): void {
  if (caller.sourceGroupIds === null && caller.tagIds === null) return;
  throw new ServiceError(
    'forbidden',
    'The API key is limited to source groups or tags and cannot create a source group.',
  );
}
