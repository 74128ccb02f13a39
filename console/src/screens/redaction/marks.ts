/** Cuts a text at the matches of redaction rules. Pure. */

interface Match {
  rule: string;
  start: number;
  end: number;
}

export interface Piece {
  text: string;
  /** The rule that matches; null between matches. */
  rule: string | null;
}

/** Returns the pieces of a text. Offsets are code points; matches are in order and do not overlap. */
export function cutAtMatches(text: string, matches: readonly Match[]): Piece[] {
  const points = [...text];
  const pieces: Piece[] = [];
  let at = 0;
  const add = (end: number, rule: string | null) => {
    if (end > at) pieces.push({ text: points.slice(at, end).join(''), rule });
    at = Math.max(at, end);
  };
  for (const { rule, start, end } of matches) {
    add(start, null);
    add(end, rule);
  }
  add(points.length, null);
  return pieces;
}

/** Returns the position of the rule that an error of the service is about, and the rest of the message; null if it is about none. */
export function ruleOfError(message: string): { rule: number; text: string } | null {
  const [, rule, text] = /^(?:\/policy)?\/rules\/(\d+)(.*)$/s.exec(message) ?? [];
  return rule === undefined || text === undefined ? null : { rule: Number(rule), text: text.replace(/^[/:]\s*/, '') };
}
