/** What was typed and is not saved. It outlives its screen and a session that ended, for the same key and in the same page only. */
import { useQueryClient } from '@tanstack/react-query';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { SESSION } from './use-session.ts';

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

/**
 * Returns the state of a window or of a form, like `useState`. When the session ends under it, the state waits until the same key has
 * signed in again. A window that is closed is forgotten.
 */
export function useKept<T>(name: string, initial: T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => takeKept(name) ?? initial);
  useKeep(name, value);
  return [value, setValue];
}

/** Returns what was kept under the name when a session ended; undefined if nothing was. */
export function takeKept<T>(name: string): T | undefined {
  return drafts.get(name)?.value as T | undefined;
}

/** Keeps a value for the next sign-in of the same key if the session ends while it is shown. */
export function useKeep(name: string, value: unknown): void {
  const queries = useQueryClient();
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  useEffect(() => {
    drafts.delete(name);
    return () => {
      if (queries.getQueryData(SESSION) === null) putDraft(name, latest.current);
    };
  }, [name, queries]);
}
