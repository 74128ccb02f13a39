/** Light or dark. `public/theme.js` sets the theme before the first paint. */
import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark';
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  return document.documentElement.dataset['theme'] === 'dark' ? 'dark' : 'light';
}

export function changeTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  localStorage.setItem('theme', theme);
  for (const listener of listeners) listener();
}

// Paper is white in every theme.
let onScreen: Theme = 'light';
let isPrinting = false;
addEventListener('beforeprint', () => {
  if (!isPrinting) onScreen = currentTheme();
  isPrinting = true;
  document.documentElement.dataset['theme'] = 'light';
});
addEventListener('afterprint', () => {
  isPrinting = false;
  document.documentElement.dataset['theme'] = onScreen;
});

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentTheme);
}
