/** What a file inside another is called. Pure. */

const NAME_CODE_POINTS_MAX = 255;
const UNNAMED = 'unnamed';

/**
 * A name for people, never a path of the machine: relative, without steps upwards, control characters and invisible direction
 * marks. Of one that is too long the end is kept, where the name and its extension stand.
 */
export function memberName(raw: string): string {
  const steps = raw
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .normalize('NFC')
    .split(/[/\\]/)
    .filter((step) => !/^(?:|\.|\.\.|[a-z]:)$/i.test(step.trim()));
  const points = [...steps.join('/')].slice(-NAME_CODE_POINTS_MAX);
  return points.join('').replace(/^\//, '').trim() || UNNAMED;
}
