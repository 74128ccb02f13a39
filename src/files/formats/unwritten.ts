/** Recognizes text that programs wrote for programs, so that a warning can say why a search finds nothing useful in it. Pure. */

/** A shorter text proves nothing. */
const TEXT_UNITS_MIN = 1000;
/** Average length of lines above which a script or style sheet counts as minified. Written code stays below 60. */
const MINIFIED_LINE_UNITS_MIN = 300;
const MINIFIED_NAMES = /\.(?:[cm]?js|css)$/i;
/** A line of base64 or hexadecimal digits: a long word of letters and digits that are mixed. */
const ENCODED_LINE = /^(?=[^\n]{0,60}\d)[ \t]*[A-Za-z0-9+/_-]{60,}={0,2}\r?$/gm;
const ENCODED_SHARE_MIN = 0.9;

/** Returns a warning for minified code, and for text that is encoded data. */
export function unwrittenWarnings(name: string, text: string): string[] {
  if (text.length < TEXT_UNITS_MIN) return [];
  const lines = text.trimEnd().split('\n').length;
  if (MINIFIED_NAMES.test(name) && text.length > MINIFIED_LINE_UNITS_MIN * lines) {
    const average = Math.round(text.length / lines).toLocaleString('en');
    return [`The code seems to be minified: its lines have ${average} characters on average.`];
  }
  let encoded = 0;
  for (const [line] of text.matchAll(ENCODED_LINE)) encoded += line.length + 1;
  return encoded < text.length * ENCODED_SHARE_MIN ? [] : ['The text seems to be encoded data (base64 or the like).'];
}
