/** Descriptions of pictures. Pure. */

/** The description of a picture unless it says nothing: names of files, and what programs guess. */
export function usefulAltText(description: string): string {
  const text = description.replace(/\s+/g, ' ').trim();
  if (/AI-generated content may be incorrect|description automatically generated/i.test(text)) return '';
  return /\.(png|jpe?g|gif|bmp|svg|tiff?|emf|wmf)$/i.test(text) || !/\s/.test(text) ? '' : text;
}
