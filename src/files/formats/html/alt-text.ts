/** Reads descriptions of pictures. Pure. */

/** Returns the description of a picture, or "" for file names, single words and descriptions that programs generate. */
export function usefulAltText(description: string): string {
  const text = description.replace(/\s+/g, ' ').trim();
  if (/AI-generated content may be incorrect|description automatically generated/i.test(text)) return '';
  return /\.(png|jpe?g|gif|bmp|svg|tiff?|emf|wmf)$/i.test(text) || !/\s/.test(text) ? '' : text;
}
