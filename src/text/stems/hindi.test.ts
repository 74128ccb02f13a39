import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fold } from '../fold.ts';
import { stemHindi } from './hindi.ts';

describe('forms of a Hindi word have one stem', () => {
  for (const forms of [
    'लड़का लड़के लड़कों लड़को',
    'किताब किताबें किताबों',
    'नदी नदियाँ नदियों नदियां',
    'भाषा भाषाएँ भाषाएं भाषाओं',
    'वस्तु वस्तुएँ वस्तुओं',
    'चिड़िया चिड़ियाँ चिड़ियों',
    'प्रक्रिया प्रक्रियाएँ प्रक्रियाओं',
    'रुपया रुपये रुपए रुपयों',
    'नया नये नए नई नयी',
    'पढ़ना पढ़ा पढ़कर पढ़ेगा पढ़ाया पढ़वाया पढ़वाने',
    'बनाया बनवाया बनवाई बनवाकर',
    'खाना खाया खाए खाता खाकर',
  ]) {
    test(forms, () => {
      const stems = forms.split(' ').map((form) => stemHindi(fold(form)));
      assert.deepEqual([...new Set(stems)], [stems[0]]);
    });
  }
});

describe('Hindi words with different meanings have different stems', () => {
  for (const [a, b] of [
    ['खाना', 'खो'],
    ['गाना', 'गई'],
    ['माता', 'में'],
    ['दवाई', 'दाई'],
  ] as const) {
    test(`${a} ${b}`, () => assert.notEqual(stemHindi(fold(a)), stemHindi(fold(b))));
  }
});
