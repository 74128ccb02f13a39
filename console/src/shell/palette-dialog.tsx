import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { focusScreen, useFocusBack } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { say } from '../words/words.ts';
import { type Screen, screensFor } from './screens.ts';
import { changeTheme, currentTheme } from './theme.ts';
import { useSession } from './use-session.ts';

interface Command {
  id: string;
  label: string;
  icon: IconName;
  run(): Promise<void> | void;
}

/** The commands: goes to a screen, searches and asks from anywhere. */
export function PaletteDialog({ close }: { close(): void }) {
  const focusBack = useFocusBack();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const commands = useCommands(text.trim());

  async function run(command: Command | undefined) {
    if (!command) return;
    close();
    await command.run();
    // What had the focus may have gone with its screen.
    setTimeout(() => focusScreen());
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setChosen((at) => (at + step + commands.length) % Math.max(1, commands.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      void run(commands[chosen]);
    }
  }

  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/25 dark:bg-black/55" />
        <Dialog.Popup
          finalFocus={focusBack}
          aria-label={say('palette.title')}
          className="pop fixed inset-x-4 top-[16vh] z-40 mx-auto max-w-[560px] overflow-hidden rounded-xl bg-raised shadow-2 outline-none"
        >
          <input
            autoFocus
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-commands"
            aria-activedescendant={commands[chosen] && `command-${commands[chosen].id}`}
            aria-label={say('palette.title')}
            placeholder={say('palette.placeholder')}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
            className="h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none placeholder:text-ink-3"
          />
          <div
            role="listbox"
            id="palette-commands"
            aria-label={say('palette.title')}
            className="scroll max-h-[50vh] p-1.5"
          >
            {commands.map((command, at) => (
              <div
                key={command.id}
                id={`command-${command.id}`}
                role="option"
                aria-selected={at === chosen}
                onClick={() => void run(command)}
                onPointerMove={() => setChosen(at)}
                className={`flex h-9 items-center gap-2.5 rounded-md px-2.5 ${at === chosen ? 'bg-press' : ''}`}
              >
                <Icon name={command.icon} size={15} className="text-ink-3" />
                <span className="truncate">{command.label}</span>
                {at === chosen && (
                  <Icon name="corner-down-left" size={13} className="ms-auto text-ink-3 rtl:-scale-x-100" />
                )}
              </div>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useCommands(text: string): Command[] {
  const navigate = useNavigate();
  const { scopes } = useSession();
  const allowed = screensFor(scopes).flatMap(({ screens }) => screens);
  const dark = currentTheme() === 'dark';
  const fixed: Command[] = [
    ...allowed.map(({ to, name, icon }) => ({
      id: to.slice(1),
      label: say('palette.go', { screen: say(name) }),
      icon,
      run: () => navigate({ to }),
    })),
    {
      id: 'theme',
      label: say(dark ? 'theme.light' : 'theme.dark'),
      icon: dark ? 'sun' : 'moon',
      run: () => changeTheme(dark ? 'light' : 'dark'),
    },
  ];
  if (text === '') return fixed;
  const typed: (Command & { to: Screen['to'] })[] = [
    {
      id: 'do-ask',
      to: '/ask',
      label: say('palette.ask', { text }),
      icon: 'message-circle-question-mark',
      run: () => navigate({ to: '/ask', search: { q: text } }),
    },
    {
      id: 'do-search',
      to: '/search',
      label: say('palette.search', { text }),
      icon: 'search',
      run: () => navigate({ to: '/search', search: { q: text } }),
    },
    {
      id: 'do-find',
      to: '/sources',
      label: say('palette.find', { text }),
      icon: 'file-text',
      run: () => navigate({ to: '/sources', search: { q: text } }),
    },
  ];
  const wanted = text.toLowerCase();
  const found = fixed.filter(({ label }) => label.toLowerCase().includes(wanted));
  return [...found, ...typed.filter(({ to }) => allowed.some((screen) => screen.to === to))];
}
