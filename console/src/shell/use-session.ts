import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { Session } from '../data/session.ts';

export const SESSION = ['session'] as const;

/** Shows the sign-in screen. Nothing that this reader saw stays for the next one. */
export function endSession(queries: QueryClient): void {
  queries.setQueryData(SESSION, null);
  queries.removeQueries({ predicate: (query) => query.queryKey[0] !== SESSION[0] });
}

/** Returns the session. Only for parts that are drawn while somebody is signed in. */
export function useSession(): Session {
  return useQueryClient().getQueryData<Session>(SESSION) ?? SIGNED_OUT;
}

/** Whether the key has one of the scopes. The service decides; the console only does not offer what would be refused. */
export function useScope(...scopes: readonly string[]): boolean {
  const session = useSession();
  return scopes.some((scope) => session.scopes.includes(scope));
}

/** Whether the key may ask for the checks of the service. */
export function useMayCheck(): boolean {
  const { scopes, source_group_ids: groups, tag_ids: tags } = useSession();
  return scopes.includes('apikeys:issue') && groups === null && tags === null;
}

/** What parts see for the moment between the end of a session and the sign-in screen. */
const SIGNED_OUT: Session = {
  api_key_id: '',
  api_key_name: '',
  scopes: [],
  source_group_ids: null,
  tag_ids: null,
  tenant_name: '',
  expires_time: 0,
  authorization: false,
};
