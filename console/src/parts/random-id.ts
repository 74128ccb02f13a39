const BYTES = 16;

/** Returns an id that nobody has. `crypto.randomUUID` is missing where the page comes over http from another machine. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
