import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { signOut } from '../data/session.ts';
import { Button, Hint } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { say } from '../words/words.ts';
import { keepDraftsOf } from './drafts.ts';
import { LanguageButton, ThemeButton } from './footer.tsx';
import { Logo } from './logo.tsx';
import { Palette } from './palette.tsx';
import { type Screen, screensFor } from './screens.ts';
import { endSession, useSession } from './use-session.ts';

/** The menu. Narrow windows see its icons only, until a button opens it over the screen. */
export function Sidebar() {
  const session = useSession();
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <nav
      aria-label={say('shell.menu')}
      data-open={open || undefined}
      onKeyDown={(event) => event.key === 'Escape' && close()}
      className="group/menu flex min-h-0 flex-col gap-3 p-2 max-lg:absolute max-lg:inset-y-0 max-lg:start-0 max-lg:z-30 max-lg:w-14 max-lg:data-open:w-60 max-lg:data-open:bg-canvas max-lg:data-open:shadow-2 print:hidden"
    >
      {open && <div className="fixed inset-0 start-60 lg:hidden" onClick={close} />}
      <div className="flex items-center gap-2 px-2 pt-2 max-lg:flex-col max-lg:px-0 max-lg:group-data-open/menu:flex-row">
        <Logo />
        <span className="text-base font-semibold tracking-tight max-lg:sr-only max-lg:group-data-open/menu:not-sr-only">
          Pinakes
        </span>
        <bdi className="ms-auto min-w-0 truncate text-xs text-ink-3 max-lg:hidden">{session.tenant_name}</bdi>
        <Button
          look="ghost"
          icon={open ? 'x' : 'menu'}
          aria-label={say('shell.menu')}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="max-lg:group-data-open/menu:ms-auto lg:hidden"
        />
      </div>
      {/* Also for a choice in its dialog. */}
      <div onClick={close}>
        <Palette />
      </div>
      <div className="scroll relative -mx-2 flex min-h-0 flex-1 flex-col gap-4 px-2">
        {screensFor(session.scopes).map(({ title, screens }) => (
          <div key={title ?? ''}>
            {title && (
              <div className="px-2 pb-1 text-2xs font-medium text-ink-3 max-lg:hidden max-lg:group-data-open/menu:block">
                {say(title)}
              </div>
            )}
            <ul className="flex flex-col gap-px">
              {screens.map((screen) => (
                <li key={screen.to}>
                  <MenuLink screen={screen} chosen={close} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <Account name={session.api_key_name} scopes={session.scopes} />
    </nav>
  );
}

function MenuLink({ screen, chosen }: { screen: Screen; chosen(): void }) {
  return (
    <Link
      to={screen.to}
      title={say(screen.name)}
      onClick={chosen}
      className="flex h-8 items-center gap-2 rounded-md px-2 transition-colors duration-75 max-lg:justify-center max-lg:group-data-open/menu:justify-start lg:h-7"
      activeProps={{ className: 'bg-press font-medium text-ink' }}
      inactiveProps={{ className: 'text-ink-2 hover:bg-hover' }}
    >
      <Icon name={screen.icon} size={15} className="text-ink-3" />
      <span className="max-lg:sr-only max-lg:group-data-open/menu:not-sr-only">{say(screen.name)}</span>
    </Link>
  );
}

function Account({ name, scopes }: { name: string; scopes: readonly string[] }) {
  const queries = useQueryClient();
  async function leave() {
    await signOut();
    keepDraftsOf('');
    endSession(queries);
  }
  return (
    <div className="flex items-center gap-0.5 px-1 pb-1 max-lg:flex-col max-lg:group-data-open/menu:flex-row">
      <Hint label={say('session.scopes', { scopes: scopes.join(', ') })}>
        <span className="flex min-w-0 items-center gap-2 px-1 text-xs text-ink-2 max-lg:hidden">
          <Icon name="key-round" size={13} className="text-ink-3" />
          <bdi className="truncate">{name}</bdi>
        </span>
      </Hint>
      <span className="ms-auto max-lg:hidden" />
      <LanguageButton />
      <ThemeButton />
      <Hint label={say('session.leave')}>
        <Button look="ghost" icon="log-out" aria-label={say('session.leave')} onClick={leave} />
      </Hint>
    </div>
  );
}
