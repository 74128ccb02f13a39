/** Spelling of Vietnamese syllables. */
import { fold } from '../fold.ts';

/** A tone mark on the second vowel of an open syllable. Writers mark either vowel: hoà, hòa; thuý, thúy. */
const LATE_TONE = /(o(?=[ae])|(?<!q)u(?=y))([aey])([\u0300\u0301\u0303\u0309\u0323])$/;
/** A y at the end of a syllable, which writers also write i: tỷ, tỉ; Mỹ, Mĩ; quý, quí. */
const FINAL_Y = /^([hklmst]|qu)y(?=[\u0300\u0301\u0303\u0309\u0323]?$)/;

/** Returns a lower-case word in one spelling for all its spellings. */
export function vietnameseSpelling(lower: string): string {
  return lower.normalize('NFD').replace(LATE_TONE, '$1$3$2').replace(FINAL_Y, '$1i').normalize('NFC');
}

const SYLLABLE = /^(?:[bdhlrsvx]|ch?|gh?|gi|kh?|m|nh?|ngh?|ph?|qu|t[hr]?)?[aeiouy]{1,3}(?:ch?|m|n[gh]?|p|t)?$/;

export function isVietnameseSyllable(word: string): boolean {
  return SYLLABLE.test(fold(word.toLowerCase()));
}
