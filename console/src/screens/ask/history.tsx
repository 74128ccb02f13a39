import { Popover } from '@base-ui/react/popover';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { pinakes } from '../../data/api.ts';
import { buttonClass } from '../../parts/button.tsx';
import { DeleteDialog, FormDialog } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Spinner } from '../../parts/layout.tsx';
import { More } from '../../parts/listing.tsx';
import { DeleteButton, EditButton } from '../../parts/row-parts.tsx';
import { useChange } from '../../parts/use-change.ts';
import { useKept } from '../../shell/drafts.ts';
import { ago } from '../../words/format.ts';
import { say } from '../../words/words.ts';

const SHOWN = 30;
const LIST = ['conversations'];

interface Changed {
  kind: 'rename' | 'delete';
  id: string;
  title: string;
}

/** The conversations, newest first, which can be renamed and deleted. `gone` is called when the present one was deleted. */
export function History({ current, gone }: { current: string | undefined; gone(): void }) {
  const [open, setOpen] = useState(false);
  const list = useInfiniteQuery({
    queryKey: LIST,
    queryFn: ({ pageParam }) =>
      pinakes.listConversations({ query: { order: 'desc', limit: SHOWN, after_id: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.pagination.next_id ?? undefined,
    enabled: open,
  });
  const conversations = list.data?.pages.flatMap((page) => page.conversations) ?? [];
  const [changed, setChanged] = useKept<Changed | null>('history.changed', null);
  const close = () => setChanged(null);
  function begin(change: Changed) {
    setOpen(false);
    setChanged(change);
  }
  return (
    <>
      {changed?.kind === 'rename' && <Rename conversation={changed} close={close} />}
      {changed?.kind === 'delete' && (
        <DeleteDialog
          title={say('ask.deleteTitle', { name: changed.title || say('ask.untitled') })}
          text={say('ask.deleteText')}
          remove={async () => {
            await pinakes.deleteConversation({ params: { id: changed.id } });
            if (changed.id === current) gone();
          }}
          keys={[LIST]}
          close={close}
        />
      )}
      <Popover.Root open={open} onOpenChange={setOpen}>
        <Popover.Trigger className={buttonClass('ghost')}>
          <Icon name="history" size={14} />
          {say('ask.history')}
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={6} align="end" className="z-40">
            <Popover.Popup
              aria-label={say('ask.history')}
              className="pop scroll max-h-[60vh] w-96 max-w-[90vw] rounded-lg bg-raised p-1.5 shadow-2 outline-none"
            >
              {list.isPending && (
                <div className="p-2">
                  <Spinner label={say('loading')} />
                </div>
              )}
              {list.isSuccess && conversations.length === 0 && <p className="p-2 text-ink-3">{say('ask.noHistory')}</p>}
              <ul>
                {conversations.map(({ id, title, creation_time }) => (
                  <li key={id} className="group flex items-center gap-0.5">
                    <Link
                      to="/ask"
                      search={{ conversation: id }}
                      onClick={() => setOpen(false)}
                      aria-current={id === current ? 'page' : undefined}
                      className={`flex h-8 min-w-0 flex-1 items-center gap-2 rounded-md px-2 hover:bg-hover ${id === current ? 'bg-press font-medium' : ''}`}
                    >
                      <bdi className="min-w-0 truncate">{title || say('ask.untitled')}</bdi>
                      <span className="num ms-auto shrink-0 text-2xs text-ink-3">{ago(creation_time)}</span>
                    </Link>
                    <span className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
                      <EditButton name={title} run={() => begin({ kind: 'rename', id, title })} />
                      <DeleteButton name={title} run={() => begin({ kind: 'delete', id, title })} />
                    </span>
                  </li>
                ))}
              </ul>
              <More list={list} />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </>
  );
}

function Rename({ conversation: { id, title }, close }: { conversation: Changed; close(): void }) {
  const [name, setName] = useKept(`conversation.${id}.title`, title);
  const change = useChange({
    run: () => pinakes.updateConversation({ params: { id }, body: { title: name.trim() } }),
    keys: [LIST],
    done: close,
  });
  return (
    <FormDialog
      {...change}
      title={say('ask.rename')}
      action={say('action.save')}
      disabled={name.trim() === ''}
      close={close}
    >
      <NameField value={name} change={setName} />
    </FormDialog>
  );
}
