import { lazy, Suspense, useEffect, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Kbd } from '../parts/layout.tsx';
import { say } from '../words/words.ts';

const PaletteDialog = lazy(() => import('./palette-dialog.tsx').then((module) => ({ default: module.PaletteDialog })));
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** ⌘K, or the button that says so, opens the commands. They are loaded when they are first needed. */
export function Palette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((now) => !now);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        title={say('palette.open')}
        onClick={() => setOpen(true)}
        className="flex h-8 w-full items-center gap-2 rounded-md border border-line bg-surface px-2 text-ink-3 shadow-1 transition-colors hover:border-line-strong max-lg:justify-center max-lg:group-data-open/menu:justify-start"
      >
        <Icon name="search" size={14} />
        <span className="max-lg:sr-only max-lg:group-data-open/menu:not-sr-only">{say('palette.open')}</span>
        <span className="ms-auto max-lg:hidden">
          <Kbd>{SHORTCUT}</Kbd>
        </span>
      </button>
      {open && (
        <Suspense>
          <PaletteDialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
