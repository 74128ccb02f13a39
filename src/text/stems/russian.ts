/**
 * Snowball's Russian stemmer, and what it leaves apart: vowels that come and go (отец, отца), nouns that it takes for verbs in some
 * of their cases (журнал, журнале), verbs of going (нашёл, найти), and nouns whose plural or cases have another stem (люди, дни).
 */
import { stemmer } from '@orama/stemmers/russian';

/** A form of the stem that is kept, and those that are taken for it. */
const IRREGULAR: readonly (readonly [kept: string, others: string])[] = [
  ['год', 'лет'],
  ['человек', 'люди людей людям людьми людях'],
  ['ребенок', 'дети детей детям детьми детях'],
  ['день', 'дня дню днем дне дни дней дням днями днях'],
  ['друг', 'друзья друзей друзьям друзьями друзьях'],
  ['матери', 'мать'],
  ['дочери', 'дочь дочерьми'],
  ['сын', 'сыновья сыновей сыновьям сыновьями сыновьях'],
  ['имени', 'имя имена имен'],
  ['времени', 'время времен'],
  ['племени', 'племя племен'],
  ['знамени', 'знамя знамен'],
  ['небо', 'небеса небес небесам небесами небесах'],
  ['чудо', 'чудеса чудес чудесам чудесами чудесах'],
  ['яйца', 'яиц'],
  ['письма', 'писем'],
  ['песни', 'песен'],
  ['башни', 'башен'],
  ['сотни', 'сотен'],
  ['проблема', 'проблем'],
  ['судьбы', 'судеб'],
  ['свадьбы', 'свадеб'],
  ['деньги', 'денег'],
  ['серьги', 'серег'],
  ['посол', 'посла послу послом послы послов послам послами послах'],
  ['льды', 'лед льда льду льдом льде льдов льдам льдами льдах'],
  ['сны', 'сон сна сну сном сне снов снам снами снах'],
  ['один', 'одна одно одного одной одному одну одним одном одни одних одними'],
  ['два', 'две двух двум двумя'],
  ['три', 'трех трем тремя'],
  ['четыре', 'четырех четырем четырьмя'],
];
const KEPT_FORMS = new Map(IRREGULAR.flatMap(([kept, others]) => others.split(' ').map((other) => [other, kept])));

/** Went, gone, will go: вошёл, вошла, войти, войдёт are войд. */
const GOING =
  /^(?:(.+)(?:ш(?:ел|ла|ло|ли)|йти|йд(?:у|ешь|ет|ем|ете|ут|и|ите|я))|(при)д(?:ти|у|ешь|ет|ем|ете|ут|и|ите|я))(?:с[яь])?$/;
/** Of verbs Snowball takes off the consonant of the past, and so it does of журнал, журнала and журналы. */
const PAST = /(?<=..[ая])[лн]$/;
const SOFT_SIGN = /ь(?=ц$)/;
const FLEETING_AFTER_VOWEL = /(?<=[аеиоуыэ])ец$/;
/** Конёк, коньки. */
const FLEETING_SOFT = /(?<=[лнр])ек$/;
const FLEETING = /(?<=[бвгджзклмнпрстфхцчшщ])[ео](?=[кц]$)/;
/** Stems that lose the vowel before another letter. Most keep it: север, опера, степень. */
const FLEETING_STEMS = new Set(
  (
    'ветер ковер костер шатер свекор сестер ведер ребер ядер бедер угол узел орел козел котел чисел кресел стекол седел ремесел кукол масел ' +
    'капел земел петел туфел сабел вафел пепел павел окон волокон полотен пятен зерен бревен сосен вишен весен спален басен кухон деревен ' +
    'уровен камен корен парен перстен гребен ливен ремен стержен ячмен огон церков любов морков'
  ).split(' '),
);
const LAST_VOWEL = /[ео](?=.$)/;
const VOWEL = /[аеиоуыэюя]/;

export function stemRussian(word: string): string {
  const plain = word.includes('ё') ? word.replaceAll('ё', 'е') : word;
  const going = GOING.exec(plain);
  if (going) return going[1] && going[1] !== 'при' ? `${going[1]}йд` : 'прид';
  const regular = stemmer(KEPT_FORMS.get(plain) ?? plain).replace(PAST, '');
  if (!regular.endsWith('к') && !regular.endsWith('ц')) {
    return FLEETING_STEMS.has(regular) ? regular.replace(LAST_VOWEL, '') : regular;
  }
  const short = regular
    .replace(SOFT_SIGN, '')
    .replace(FLEETING_AFTER_VOWEL, 'йц')
    .replace(FLEETING_SOFT, 'ьк')
    .replace(FLEETING, '');
  return VOWEL.test(short) ? short : regular;
}
