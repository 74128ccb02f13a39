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

export interface RuleProblem {
  /** Position of the rule. */
  rule: number;
  /** The member of the rule that is wrong; undefined if it is the rule itself. */
  member: string | undefined;
  text: string;
}

/** Returns what is wrong in which rule; null if an error of the service is not about a rule. */
export function ruleOfError({ pointer, message }: { pointer: string | null; message: string }): RuleProblem | null {
  const [rules, rule, member] = /^(?:\/policy)?\/rules\/(\d+)(?:\/([^/]+))?/.exec(pointer ?? '') ?? [];
  if (rules === undefined || rule === undefined) return null;
  const start = member === undefined ? rules.length : rules.length - member.length;
  const isBegin = pointer !== null && message.startsWith(pointer);
  return { rule: Number(rule), member, text: isBegin ? message.slice(start).replace(/^:\s*/, '') : message };
}
