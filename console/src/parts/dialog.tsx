/** Dialogs that ask: a form, or whether something shall be done. */
import { Dialog } from '@base-ui/react/dialog';
import type { QueryKey } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { inWords } from '../data/api.ts';
import { say } from '../words/words.ts';
import { Button } from './button.tsx';
import type { IconName } from './icon.tsx';
import { Problem } from './layout.tsx';
import { useChange } from './use-change.ts';

interface DialogProps {
  title: string;
  text?: ReactNode;
  close(): void;
  children?: ReactNode;
}

/** Gives an element the focus if nothing has it, or the screen if there is no such element. */
export function focusScreen(wanted: Element | null = null): void {
  if (document.activeElement !== document.body) return;
  const target = wanted instanceof HTMLElement && wanted.isConnected ? wanted : document.getElementById('main');
  target?.focus();
}

/** Gives the screen the focus if the focus is lost with this component. */
export function useFocusToScreen(): void {
  useEffect(() => () => void setTimeout(() => focusScreen()), []);
}

/**
 * Gives the focus back to what had it before this component, also before a field of it took it at once. If that is gone at the end, such
 * as the row that was deleted, the screen gets the focus. Returns what had it, for a dialog.
 */
export function useFocusBack(): () => HTMLElement | null {
  const [before] = useState(() => document.activeElement);
  useEffect(() => () => void setTimeout(() => focusScreen(before)), [before]);
  return () => (before instanceof HTMLElement ? before : null);
}

/** The window around the content of a dialog. A press beside it keeps it, and what was typed in it. `wide` gives room for two columns. */
export function Window({ title, text, close, wide, children }: DialogProps & { wide?: boolean }) {
  const focusBack = useFocusBack();
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/25 dark:bg-black/55" />
        <Dialog.Popup
          finalFocus={focusBack}
          className={`pop scroll fixed inset-x-4 top-[10vh] z-40 mx-auto max-h-[80vh] rounded-xl bg-raised p-5 shadow-2 outline-none ${wide ? 'max-w-2xl' : 'max-w-md'}`}
        >
          <Dialog.Title className="text-base font-semibold break-words">{title}</Dialog.Title>
          {text && <Dialog.Description className="mt-1 break-words text-ink-2">{text}</Dialog.Description>}
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface AskProps extends DialogProps {
  /** What the main button says. */
  action: string;
  icon?: IconName;
  pending: boolean;
  error: Error | null;
  submit(): void;
  wide?: boolean;
  disabled?: boolean;
}

interface DeleteProps extends DialogProps {
  remove(): Promise<unknown>;
  /** What is read again afterwards. */
  keys: readonly QueryKey[];
}

/** Asks before something is deleted. */
export function DeleteDialog({ remove, keys, ...dialog }: DeleteProps) {
  const change = useChange({ run: remove, keys, done: dialog.close });
  return <FormDialog {...dialog} {...change} action={say('action.delete')} icon="trash-2" />;
}

/**
 * A form in a dialog. Enter sends it, Escape leaves it unless it is being sent, and an error of the service stands above the buttons.
 */
export function FormDialog({ action, icon, pending, error, submit, disabled, children, ...window }: AskProps) {
  function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (!pending && !disabled) submit();
  }
  const close = () => !pending && window.close();
  return (
    <Window {...window} close={close}>
      <form onSubmit={onSubmit}>
        {children && <div className="mt-4 flex flex-col gap-4">{children}</div>}
        {error && (
          <div className="mt-4">
            <Problem text={inWords(error)} />
          </div>
        )}
        <div className="sticky -bottom-5 -mx-5 mt-5 -mb-5 flex justify-end gap-2 border-t border-line bg-raised px-5 py-3.5">
          <Button onClick={close}>{say('action.cancel')}</Button>
          <Button type="submit" look="primary" busy={pending} disabled={disabled} {...(icon && { icon })}>
            {action}
          </Button>
        </div>
      </form>
    </Window>
  );
}
