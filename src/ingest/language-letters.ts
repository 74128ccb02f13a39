/** Which languages a Cyrillic text cannot be in, by its letters: Ukrainian has no ы, Russian no ї, Serbian no я. */

const LETTERS: Record<string, string> = {
  ru: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  uk: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
  be: 'абвгдеёжзійклмнопрстуўфхцчшыьэюя',
  bg: 'абвгдежзийклмнопрстуфхцчшщъьюяѝ',
  sr: 'абвгдђежзијклљмнњопрстћуфхцчџш',
  mk: 'абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ',
  kk: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюяәғқңөұүһі',
};
/** A Kazakh text of so many letters has one that its neighbours have not. */
const KAZAKH_LETTERS_MIN = 20;
const KAZAKH = /[әғқңөұүһ]/;

const CYRILLIC = /[\u0400-\u04ff]/g;
/** Names and quotations bring letters of other languages. */
const FOREIGN_SHARE_MIN = 0.01;

/** Those of the languages above whose letters do not fit; none when no language fits. */
export function excludedByLetters(sample: string): ReadonlySet<string> {
  const letters =
    sample
      .normalize('NFC')
      .match(CYRILLIC)
      ?.map((letter) => letter.toLowerCase()) ?? [];
  const foreignMax = letters.length * FOREIGN_SHARE_MIN;
  const excluded = Object.entries(LETTERS).filter(([, own]) => {
    const foreign = letters.filter((letter) => !own.includes(letter)).length;
    return foreign > 0 && foreign >= foreignMax;
  });
  const languages = new Set(excluded.map(([language]) => language));
  if (letters.length >= KAZAKH_LETTERS_MIN && !KAZAKH.test(letters.join(''))) languages.add('kk');
  return languages.size === Object.keys(LETTERS).length ? new Set() : languages;
}
