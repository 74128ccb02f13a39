import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';

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
