import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { inWords, onSessionEnd } from './data/api.ts';
import { readSession, signIn, takeLinkToken } from './data/session.ts';
import { Button } from './parts/button.tsx';
import { Empty, Opening } from './parts/layout.tsx';
import { router } from './routes.tsx';
import { keepDraftsOf } from './shell/drafts.ts';
import { SignIn } from './shell/sign-in.tsx';
import { endSession, SESSION } from './shell/use-session.ts';
import { say } from './words/words.ts';

const linkToken = takeLinkToken();

/** Signs in with the link that opened the page, if it was one. A used or old link leads to the sign-in screen. */
async function openSession() {
  if (linkToken !== null) await signIn({ token: linkToken }).catch(() => undefined);
  return readSession();
}
let opened: ReturnType<typeof openSession> | undefined;

/** Shows the sign-in screen, or the screen of the address. The address stays when a session ends. */
export function App() {
  const queries = useQueryClient();
  const session = useQuery({
    queryKey: SESSION,
    queryFn: () => {
      const first = opened === undefined;
      opened ??= openSession();
      return first ? opened : readSession();
    },
    // Who signs in again in one window comes back to the others signed in.
    staleTime: ({ state }) => (state.data === null ? 0 : 60_000),
  });
  const [notice, setNotice] = useState<'usedLink' | 'ended' | null>(linkToken === null ? null : 'usedLink');
  useEffect(
    () =>
      onSessionEnd(() => {
        if (queries.getQueryData(SESSION)) setNotice('ended');
        endSession(queries);
      }),
    [queries],
  );
  useEffect(() => {
    if (session.data) setNotice(null);
  }, [session.data]);
  if (session.data) keepDraftsOf(session.data.api_key_id);

  if (session.isPending) return <Opening />;
  // Without an answer, the reader stays signed in as far as is known.
  if (session.isLoadingError)
    return (
      <main className="grid h-full place-items-center">
        <Empty icon="circle-alert" title={say('session.unreachable')} text={inWords(session.error)}>
          <Button onClick={() => session.refetch()}>{say('action.retry')}</Button>
        </Empty>
      </main>
    );
  if (session.data === null) return <SignIn notice={notice} />;
  return <RouterProvider router={router} />;
}
