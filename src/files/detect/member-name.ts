/** Cleans names of files that other people chose. Pure. */

const NAME_CODE_POINTS_MAX = 255;
const UNNAMED = 'unnamed';

/**
 * Returns a relative name for people, never a path of this machine. Steps upwards, control characters and invisible direction
 * marks are removed. A long name is truncated at its start, because its end has the file name and the extension.
 */
export function memberName(raw: string): string {
  const steps = withoutInvisible(raw)
    .split(/[/\\]/)
    .filter((step) => !/^(?:|\.|\.\.|[a-z]:)$/i.test(step.trim()));
  const points = [...steps.join('/')].slice(-NAME_CODE_POINTS_MAX);
  return points.join('').replace(/^\//, '').trim() || UNNAMED;
}

/** Returns well-formed text in NFC, without control characters and direction marks: a name must not look like another one. */
export function withoutInvisible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .normalize('NFC');
}
