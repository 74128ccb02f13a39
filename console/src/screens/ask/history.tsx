import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Spinner } from '../../parts/layout.tsx';
import { ago } from '../../words/format.ts';
import { say } from '../../words/words.ts';

const SHOWN = 30;

/** The latest conversations. */
export function History({ current }: { current: string | undefined }) {
  const [open, setOpen] = useState(false);
  const list = useQuery({
    queryKey: ['conversations'],
    queryFn: () => pinakes.listConversations({ query: { order: 'desc', limit: SHOWN } }),
    enabled: open,
  });
  const conversations = list.data?.conversations ?? [];
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={buttonClass('ghost')}>
        <Icon name="history" size={14} />
        {say('ask.history')}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="end" className="z-40">
          <Popover.Popup
            aria-label={say('ask.history')}
            className="pop scroll max-h-[60vh] w-80 rounded-lg bg-raised p-1.5 shadow-2 outline-none"
          >
            {list.isPending && (
              <div className="p-2">
                <Spinner label={say('loading')} />
              </div>
            )}
            {list.isSuccess && conversations.length === 0 && <p className="p-2 text-ink-3">{say('ask.noHistory')}</p>}
            <ul>
              {conversations.map(({ id, title, creation_time }) => (
                <li key={id}>
                  <Link
                    to="/ask"
                    search={{ conversation: id }}
                    onClick={() => setOpen(false)}
                    aria-current={id === current ? 'page' : undefined}
                    className={`flex h-8 items-center gap-2 rounded-md px-2 hover:bg-hover ${id === current ? 'bg-press font-medium' : ''}`}
                  >
                    <bdi className="min-w-0 truncate">{title || say('ask.untitled')}</bdi>
                    <span className="num ms-auto shrink-0 text-2xs text-ink-3">{ago(creation_time)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
