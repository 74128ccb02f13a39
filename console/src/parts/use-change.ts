import {
  type QueryKey,
  type UseMutationOptions,
  type UseMutationResult,
  useQueryClient,
  // biome-ignore lint/style/noRestrictedImports: the one place that uses it
  useMutation as useUnguardedMutation,
} from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * `useMutation` of the library, but `mutate` sends nothing while the same is in flight: a second press may come before the first has drawn
 * its button as busy.
 */
export function useMutation<T, Given = void>(options: UseMutationOptions<T, Error, Given>) {
  const inFlight = useRef(new Set<string>());
  const mutation = useUnguardedMutation(options);
  const mutate = (given: Given) => {
    const all = inFlight.current;
    const sent = JSON.stringify([given]);
    if (all.has(sent)) return;
    all.add(sent);
    const end = () => void all.delete(sent);
    mutation.mutateAsync(given).then(end, end);
  };
  const reset = () => {
    inFlight.current = new Set();
    mutation.reset();
  };
  return { ...mutation, mutate, reset } as UseMutationResult<T, Error, Given>;
}

interface Change<T> {
  run(): Promise<T>;
  /** What is read again afterwards. */
  keys: readonly QueryKey[];
  done(result: T): void;
}

/** Returns what a form dialog needs in order to change something in the service, and what forgets its error. */
export function useChange<T>({ run, keys, done }: Change<T>) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: run,
    async onSuccess(result) {
      await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
      done(result);
    },
  });
  return { pending: change.isPending, error: change.error, submit: () => change.mutate(), reset: change.reset };
}
