import { Outlet, useLocation } from '@tanstack/react-router';
import { Empty, Header } from '../parts/layout.tsx';
import { oneOf } from '../words/format.ts';
import { say } from '../words/words.ts';
import { refusedScreen } from './screens.ts';
import { Sidebar } from './sidebar.tsx';
import { useSession } from './use-session.ts';

export function Shell() {
  const { scopes } = useSession();
  const refused = refusedScreen(useLocation().pathname, scopes);
  return (
    <>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:start-2 focus:top-2 focus:z-50 focus:rounded-md focus:bg-ink focus:px-3 focus:py-1.5 focus:text-surface"
      >
        {say('shell.skip')}
      </a>
      <div className="relative grid h-full grid-cols-[56px_minmax(0,1fr)] lg:grid-cols-[232px_minmax(0,1fr)] print:block">
        <Sidebar />
        <main
          id="main"
          tabIndex={-1}
          className="relative col-start-2 my-2 me-2 flex min-h-0 min-w-0 flex-col overflow-hidden rounded-xl bg-surface shadow-panel outline-none print:block print:overflow-visible print:shadow-none"
        >
          {refused === undefined ? (
            <Outlet />
          ) : (
            <>
              <Header title={say(refused.name)} />
              <Empty
                icon="lock"
                title={say('shell.refused')}
                text={say('shell.refusedText', { scopes: oneOf(refused.scopes) })}
              />
            </>
          )}
        </main>
      </div>
    </>
  );
}
