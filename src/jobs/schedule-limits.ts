/** Limits of recurrence rules. Apart from schedule.ts, which loads the library that works rules out. */

/** Code points. */
export const RULE_LENGTH_MAX = 500;
export const OCCURRENCE_GAP_SECONDS_MIN = 15 * 60;
/** Occurrences that are told and stored. */
export const NEXT_TIMES = 5;
