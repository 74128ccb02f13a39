/** Maps items by an async function, one after the other and in order. `undefined` results are dropped. */
export async function collect<T, R>(items: Iterable<T>, work: (item: T) => Promise<R | undefined>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) {
    const result = await work(item);
    if (result !== undefined) results.push(result);
  }
  return results;
}
