import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { say } from '../words/words.ts';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';
import { Problem } from './layout.tsx';

interface ConfirmProps {
  title: string;
  text: string;
  action: string;
  icon: IconName;
  busy: boolean;
  problem: string | null;
  run(): void;
  close(): void;
  children?: ReactNode;
}

/** Asks before something that cannot be taken back. */
export function Confirm({ title, text, action, icon, busy, problem, run, close, children }: ConfirmProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/25 dark:bg-black/55" />
        <Dialog.Popup className="pop fixed inset-x-4 top-[28vh] z-40 mx-auto max-w-md rounded-xl bg-raised p-5 shadow-2 outline-none">
          <Dialog.Title className="text-base font-semibold">{title}</Dialog.Title>
          <Dialog.Description className="mt-1.5 text-ink-2">{text}</Dialog.Description>
          {children}
          {problem !== null && (
            <div className="mt-3">
              <Problem text={problem} />
            </div>
          )}
          <div className="mt-5 flex justify-end gap-2">
            <Dialog.Close render={<Button>{say('action.cancel')}</Button>} />
            <Button look="primary" icon={icon} disabled={busy} onClick={run}>
              {action}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
