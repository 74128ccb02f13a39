import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fold } from '../fold.ts';
import { stemTurkish } from './turkish.ts';
import { turkishRoots } from './turkish-roots.ts';

const { nouns, verbs, changedNouns } = turkishRoots();

describe('forms of a Turkish word have one stem', () => {
  for (const [what, forms] of [
    ['number, case and person', 'ülke ülkesi ülkeler ülkeleri ülkenin ülkede ülkelerin ülkeye ülkesinin'],
    ['ends like an ending', 'insan insanlar insanların insanı insanları'],
    ['ends like an ending', 'altın altını altınlar altınlarını altının'],
    ['ends like an ending', 'takım takımı takımlar takımın takımları takımının'],
    ['a last letter changes', 'kitap kitabı kitaplar kitaplarından kitabın kitapta kitaba'],
    ['a vowel falls out', 'şehir şehri şehrin şehirde şehirler şehirlerin şehre'],
    ['a letter is doubled', 'hak hakkı haklar hakları hakkın haklarını'],
    ['short', 'iş işi işler işin işle'],
    ['behind y', 'su suyu suyun sular suları suda'],
    ['front vowels behind a back one', 'gol golü golünü gollerin'],
    ['front vowels behind a back one', 'saat saati saatler saatin saatten'],
    ['a circumflex', 'makam makâm'],
    [
      'verb, passive and causative',
      'yapıldı yapılmıştır yapılan yaptı yapan yapılır yapılması yapmak yaptığı yapıyor yaptırdı',
    ],
    [
      'verb whose last vowel falls out',
      'başladı başlıyor başlayan başlayacak başlayamıyor başlamıştır başlamak başlatıldı',
    ],
    ['verb whose last letter changes', 'gitti gidiyor gider gidecek gitmek'],
    ['negative and ability', 'gördü görmeyen göremiyordu görülebilir görmediği görülmez'],
    ['noun from a verb', 'öldü ölüm ölümü ölümler ölen öldürüldü'],
    ['behind a case', 'bölge bölgedeki bölgesindeki bölgesinden'],
    ['copula', 'kadın kadındır kadındı kadınmış'],
    ['imperative', 'değiştir değiştirir değişti değiştirebilirsiniz'],
    ['no known word', 'travertenler travertenlerin traverteni travertenlerinden'],
    ['no known word', 'menenjit menenjite menenjitten menenjiti'],
  ] as const) {
    test(`${what}: ${forms}`, () => assert.equal(new Set(forms.split(' ').map(stemTurkish)).size, 1));
  }
});

describe('Turkish words with different meanings have different stems', () => {
  for (const words of [
    'kanun kan',
    'kadın kat',
    'insan in',
    'kent kendi',
    'sınır sonra',
    'yakın yak',
    'çocuk çok',
    'bağ bak',
    'deniz denedi',
    'arıcı aradı',
    'ölüm olarak',
    'başkan basmak',
    'dondurma dönmek',
    'adana at',
    'hatice hat',
    'yemen yemek',
    'istemci istemek',
    'geçici geçerli geçmek',
    'sunucu sunum sunmak',
  ]) {
    test(words, () => assert.equal(new Set(words.split(' ').map(stemTurkish)).size, words.split(' ').length));
  }
  test('an ending stays if harmony or the letter before it forbids the ending', () => {
    assert.equal(stemTurkish('kenti'), 'kent', 'not ken-ti');
    assert.equal(stemTurkish('hitan'), 'hitan', 'not hit-an');
    assert.equal(stemTurkish('merklar'), 'merklar', 'not merk-lar');
  });
});

test('a listed word is its own stem', () => {
  for (const noun of nouns) assert.equal(stemTurkish(noun).replace(/q$/, ''), noun);
  for (const [form, noun] of changedNouns) assert.ok(nouns.has(noun), form);
  for (const verb of verbs) {
    const infinitive = verb + (/[aıou][^aıoueiöü]*$/.test(verb) ? 'mak' : 'mek');
    if (!nouns.has(infinitive)) assert.equal(stemTurkish(infinitive).replace(/q$/, ''), verb);
  }
});

test('no two listed words have the same folded stem', () => {
  const stems = new Map<string, string>();
  for (const noun of nouns) stems.set(noun, stemTurkish(noun));
  for (const verb of verbs) {
    const infinitive = verb + (/[aıou][^aıoueiöü]*$/.test(verb) ? 'mak' : 'mek');
    if (!nouns.has(infinitive)) stems.set(verb, stemTurkish(infinitive));
  }
  assert.equal(new Set([...stems.values()].map(fold)).size, stems.size);
});

test('the Turkish stem of any string is not empty and not longer than the string', () => {
  for (const word of ['', 'a', 'ler', 'lerin', 'x'.repeat(64), 'lerinin'.repeat(9), 'ınınınınınınının'.repeat(4)]) {
    assert.ok(stemTurkish(word).length <= word.length);
    assert.ok(word === '' || stemTurkish(word) !== '');
  }
});
