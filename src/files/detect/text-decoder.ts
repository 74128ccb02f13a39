/** `TextDecoder` of Node.js 22.18 to 24.13 reads the bytes 80 to 9F of windows-1252 as control characters: no €, œ and curly quotes. */

type Decoder = typeof TextDecoder;

/** Returns the class itself, or one that reads windows-1252 correctly. All bytes are valid in it, and none waits for another. */
export function correctTextDecoder(Given: Decoder): Decoder {
  if (new Given('windows-1252').decode(Uint8Array.of(0x80)) === '€') return Given;
  return class extends Given {
    override decode(...[bytes, options]: Parameters<InstanceType<Decoder>['decode']>): string {
      // Only decoding in one piece takes the wrong way.
      return super.decode(bytes, this.encoding === 'windows-1252' ? { stream: true } : options);
    }
  };
}
