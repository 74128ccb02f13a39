import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateTokens } from './token-estimate.ts';

const PROSE = {
  english:
    'The library of Alexandria was one of the largest and most significant libraries of the ancient world. It was part of a larger research institution called the Mouseion, which was dedicated to the Muses.',
  german:
    'Die Bibliothek von Alexandria war die bedeutendste antike Bibliothek. Sie entstand am Anfang des dritten Jahrhunderts vor Christus und wurde von Kallimachos in einem Katalog beschrieben.',
  russian:
    'Александрийская библиотека была одной из крупнейших библиотек древности. Она была основана в третьем веке до нашей эры.',
  japanese:
    'アレクサンドリア図書館は古代世界で最大かつ最も重要な図書館の一つであった。学術研究所の一部として建てられた。',
  chinese: '亚历山大图书馆是古代世界最大和最重要的图书馆之一。它是一个更大的研究机构的一部分，藏有大量的书籍。',
  korean:
    '알렉산드리아 도서관은 고대 세계에서 가장 크고 중요한 도서관 가운데 하나였다. 그것은 더 큰 연구 기관의 일부였다.',
  thai: 'หอสมุดแห่งอะเล็กซานเดรียเป็นหนึ่งในหอสมุดที่ใหญ่ที่สุดและสำคัญที่สุดในโลกยุคโบราณ',
};

for (const [language, text] of Object.entries(PROSE)) {
  test(`the token estimate for ${language} is within a third of a real tokenizer's count`, () => {
    const ratio = estimateTokens(text) / encode(text).length;
    assert.ok(ratio > 0.67 && ratio < 1.5, `ratio ${ratio.toFixed(2)}`);
  });
}

test('the token estimate grows with every character of any kind', () => {
  for (const char of ['a', ' ', '\n', '1', '.', 'é', '\u0301', '漢', 'ก', '😀', '\u200b']) {
    assert.ok(estimateTokens(char.repeat(10_000)) >= 190, JSON.stringify(char));
  }
});

test('an empty range is estimated at zero tokens, any other range at one or more', () => {
  assert.equal(estimateTokens(''), 0);
  assert.equal(estimateTokens(' '), 1);
});
