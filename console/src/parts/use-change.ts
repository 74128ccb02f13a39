import {
  type QueryKey,
  replaceEqualDeep,
  type UseMutationOptions,
  useQueryClient,
  // biome-ignore lint/style/noRestrictedImports: the one place that uses it
  useMutation as useUnguardedMutation,
} from '@tanstack/react-query';
import { useRef } from 'react';

/**
 * `useMutation` of the library, but `mutate` sends nothing while its last request is in flight and would be sent again: a second press may
 * come before the first has drawn its button as busy. Files are compared by identity. An older request counts no more: on, off and on
 * again are three.
 */
export function useMutation<T, Given = void>(options: UseMutationOptions<T, Error, Given>) {
  const last = useRef<{ given: Given }>(undefined);
  const { mutateAsync, ...mutation } = useUnguardedMutation(options);
  const mutate = (given: Given) => {
    if (last.current && replaceEqualDeep(last.current.given, given) === last.current.given) return;
    const one = { given };
    last.current = one;
    const end = () => {
      if (last.current === one) last.current = undefined;
    };
    mutateAsync(given).then(end, end);
  };
  const reset = () => {
    last.current = undefined;
    mutation.reset();
  };
  return { ...mutation, mutate, reset };
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
