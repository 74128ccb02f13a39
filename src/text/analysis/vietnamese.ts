/** Vietnamese syllables: how they are spelled, and what is one. */
import { fold } from '../fold.ts';

/** The tone of an open syllable is marked on either vowel: hoà, hòa; thuý, thúy. */
const LATE_TONE = /(o(?=[ae])|(?<!q)u(?=y))([aey])([\u0300\u0301\u0303\u0309\u0323])$/;
/** Where nothing follows, y and i are one: tỷ, tỉ; Mỹ, Mĩ; quý, quí. */
const FINAL_Y = /^([hklmst]|qu)y(?=[\u0300\u0301\u0303\u0309\u0323]?$)/;

/** A lower-case word in one of its spellings. */
export function vietnameseSpelling(lower: string): string {
  return lower.normalize('NFD').replace(LATE_TONE, '$1$3$2').replace(FINAL_Y, '$1i').normalize('NFC');
}

const SYLLABLE = /^(?:[bdhlrsvx]|ch?|gh?|gi|kh?|m|nh?|ngh?|ph?|qu|t[hr]?)?[aeiouy]{1,3}(?:ch?|m|n[gh]?|p|t)?$/;

/** One letter more or less makes another syllable of nearly every one: none is misspelled for certain. */
export function isVietnameseSyllable(lower: string): boolean {
  return SYLLABLE.test(fold(lower));
}
