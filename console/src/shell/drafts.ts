/** What was typed and is not saved. It outlives its screen and a session that ended, for the same key and in the same page only. */
import { useState } from 'react';

interface Draft {
  value: unknown;
  /** Whether the browser asks before it closes or reloads the page. */
  asks: boolean;
}

const drafts = new Map<string, Draft>();
let owner = '';

addEventListener('beforeunload', (event) => {
  if ([...drafts.values()].some(({ asks }) => asks)) event.preventDefault();
});

/** Forgets the drafts of every other key. */
export function keepDraftsOf(keyId: string): void {
  if (keyId !== owner) drafts.clear();
  owner = keyId;
}

type Next<T> = (old: T | undefined) => T | undefined;

/** Returns a draft, and what changes it. Undefined: there is none. */
export function useDraft<T>(name: string, asks: boolean): [T | undefined, (next: Next<T>) => void] {
  const stored = () => drafts.get(name)?.value as T | undefined;
  const [value, setValue] = useState(stored);
  function change(next: Next<T>): void {
    putDraft(name, next(stored()), asks);
    setValue(stored());
  }
  return [value, change];
}

/** Puts a draft, unless there is one already, which is newer. */
export function restoreDraft(name: string, value: unknown): void {
  if (!drafts.has(name)) putDraft(name, value);
}

export function putDraft(name: string, value: unknown, asks = false): void {
  if (value === undefined) drafts.delete(name);
  else drafts.set(name, { value, asks });
}
