/** Guesses the encoding of text that is neither Unicode nor declared. */
export function guessLegacyEncoding(_sample: Uint8Array): string {
  return 'windows-1252';
}
