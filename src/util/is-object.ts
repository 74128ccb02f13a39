/** Returns whether a value is an object and no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the objects of a member that is an array; none if it is not. */
export function objectsAt(value: Record<string, unknown>, key: string): Record<string, unknown>[] {
  const list = value[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Returns the object that a JSON text is; undefined for another text. */
export function readObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
