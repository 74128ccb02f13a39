/** Answers in which one number, name or negation of a passage was changed are never verified. The long form: npm run bench:altered */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citeAnswer } from '../../src/features/completions/citations.ts';
import { splitUnits } from '../../src/util/sentences.ts';
import { alterationsOf } from '../support/alterations.ts';

const PASSAGES: Readonly<Record<string, string>> = {
  en: 'The bridge at Harlow was opened by Maria Keene on 14 June 1931 and is 412 metres long. It was not damaged in the flood, although two piers had moved by 3.5 centimetres. Lorries cannot cross it without a permit. The first repair took place in the third year.',
  de: 'Die Brücke wurde am 14. Juni 1931 eröffnet und ist 412 Meter lang. Sie wurde im Hochwasser nicht beschädigt, obwohl zwei Pfeiler um 3,5 Zentimeter verschoben waren. Lastwagen haben keine Erlaubnis.',
  fr: 'Le pont a été ouvert par Marie Dupont le 14 juin 1931 et il est long de 412 mètres. Les camions passent sans contrôle depuis trois mois.',
  es: 'El puente fue abierto por Lucía Ferrer el 14 de junio de 1931 y mide 412 metros. Los camiones no pagan peaje desde hace tres meses.',
  ru: 'Мост был открыт Марией Орловой 14 июня 1931 года, его длина 412 метров. Водители не получают пропуск три месяца.',
  zh: '这座桥于1931年6月14日开放，全长412米。卡车没有许可证不能通过。第一次维修在三年后进行。',
  ja: 'この橋は1931年6月14日に開通し、全長は412メートルである。マリア・オルロワが設計した。トラックの通行は許可されていない。',
  ko: '이 다리는 1931년 6월 14일에 개통되었고 길이는 412미터이다. 트럭은 허가 없이 지나갈 수 없다.',
  th: 'สะพานนี้เปิดเมื่อวันที่ 14 มิถุนายน 1931 และยาว 412 เมตร',
};

function isVerified(sentence: string, content: string, language: string): boolean {
  const marker = { numbers: [1], at: [...sentence].length, start: 0 };
  return citeAnswer(sentence, [marker], [{ number: 1, content, language }]).citations[0]!.verified;
}

for (const [language, passage] of Object.entries(PASSAGES)) {
  test(`in ${language}`, () => {
    const kinds = new Set<string>();
    for (const unit of splitUnits(passage)) {
      const sentence = passage.slice(unit.start, unit.end);
      assert.equal(isVerified(sentence, passage, language), true, sentence);
      for (const { fact, text } of alterationsOf(sentence, language, passage)) {
        kinds.add(fact);
        assert.equal(isVerified(text, passage, language), false, `${fact}: ${text}`);
      }
    }
    assert.ok(kinds.has('number') && (kinds.has('negation') || language === 'th'), [...kinds].join());
  });
}
