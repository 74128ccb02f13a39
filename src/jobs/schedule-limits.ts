/** Limits of recurrence rules. Not in schedule.ts, because schedule.ts loads the rule library. */

/** Length of a rule in code points. */
export const RULE_LENGTH_MAX = 500;
export const OCCURRENCE_GAP_SECONDS_MIN = 15 * 60;
/** How many of the next occurrences are stored and shown. */
export const NEXT_TIMES = 5;
