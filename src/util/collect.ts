/** What `work` makes of the items, one after the other, in their order; those of which it makes nothing are left out. */
export async function collect<T, R>(items: Iterable<T>, work: (item: T) => Promise<R | undefined>): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) {
    const one = await work(item);
    if (one !== undefined) made.push(one);
  }
  return made;
}
