/**
 * The keys under which the numbers of a claim and of a passage meet: a passage has a number of the claim if it has one of its keys. With
 * the reading 7, `#7` is the number alone, `#7%` has a sign, `#7 day` has the next word, and `day<7` has the word before.
 */
import type { FoundNumber } from './numbers.ts';
import { UNIT_TERMS } from './unit-words.ts';

/** Returns the keys that a text with these numbers has. The second of equal keys ends with `×2`, the third with `×3`. */
export function numberKeys(numbers: readonly FoundNumber[]): string[] {
  const counting = new Set(numbers.flatMap(({ readings, words }) => (words.length > 0 ? readings : [])));
  const keys = numbers.flatMap(({ readings, sign, words: [first, second], wordBefore, isAlone }) =>
    readings.flatMap((reading) => {
      if (sign !== '') return [`#${reading}`, `#${reading}${sign}`];
      // Where the text counts something with this number, the number alone stands for that too: "10 to 16 weeks, 4 to 10 years".
      const mayStandAlone = isAlone && !counting.has(reading);
      const next = first === undefined ? (mayStandAlone ? ['.'] : []) : [` ${first}`, `  ${second ?? ''}`];
      return [`#${reading}`, `#${reading}~`, `${wordBefore}<${reading}`, ...next.map((unit) => `#${reading}${unit}`)];
    }),
  );
  const times = openCounter();
  return keys.map((key) => key + times(key));
}

/**
 * Returns the keys of which a text needs one to have this number with its unit. A word may stand between number and unit on one side:
 * "20 dollars", "20 US dollars". A number without a unit in the text may have any next word in the claim: "in 1990", "1990 ships sank".
 * Where no word follows, the word before may be the unit: "days 0 to 42". Other words before it are not compared: "level 6".
 */
export function neededKeys({ readings, sign, words: [first, second], wordBefore }: FoundNumber): string[] {
  return readings.flatMap((reading) => {
    if (sign !== '') return [`#${reading}${sign}`];
    if (first === undefined)
      return UNIT_TERMS.has(wordBefore) ? [`${wordBefore}<${reading}`, `<${reading}`] : [`#${reading}~`];
    const next = second === undefined ? [] : [`#${reading} ${second}`];
    return [`#${reading} ${first}`, `#${reading}  ${first}`, `#${reading}.`, ...next];
  });
}

/** Returns what a text needs to have numbers as often: "43 (43%)" is not "43 (43)", "60 years, 60 months" not "60 months" twice. */
export function repeated(numbers: readonly FoundNumber[]): { text: string; keys: string[] }[] {
  const times = openCounter();
  return numbers.flatMap((number) => {
    const { readings, sign, unit, withUnit } = number;
    const anyUnit = readings.map((reading) => `#${reading}${sign === '' ? '~' : sign}`);
    // With a sign, or where no word follows, both lists of keys are the same.
    return (sign === unit ? [anyUnit] : [anyUnit, neededKeys(number)]).flatMap((keys) => {
      const count = times(keys[0]!);
      return count === '' ? [] : [{ text: `${withUnit} (${count.slice(1)}×)`, keys: keys.map((key) => key + count) }];
    });
  });
}

/** Returns a function that counts keys: empty for the first of equal keys, `×2` for the second, and so on. */
function openCounter(): (key: string) => string {
  const counts = new Map<string, number>();
  return (key) => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? '' : `×${count}`;
  };
}
