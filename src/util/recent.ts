/** Stores an entry as the most recent one of a map, and removes the oldest entries above `max`. */
export function setRecent<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= max) break;
    map.delete(oldest);
  }
}

/** Returns the value of an entry, and makes the entry the most recent one. */
export function getRecent<K, V>(map: Map<K, V>, key: K): V | undefined {
  const value = map.get(key);
  if (value !== undefined) setRecent(map, key, value, map.size);
  return value;
}
