import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { zipEntryNames } from './zip-names.ts';

const NAMES: readonly (readonly [encoding: string, ...names: string[]])[] = [
  ['cp437', 'Übersicht größe.txt'],
  ['cp850', 'São João.txt', 'Blåbær.txt'],
  ['cp852', 'Zażółć gęślą jaźń.txt', 'příloha č. 3.doc'],
  ['cp857', 'Fatura açıklaması.pdf'],
  ['cp866', 'Документы/Отчёт за год.txt', 'Инструкция.txt'],
  ['win1251', 'Документы/Отчёт за год.txt'],
  ['gb18030', '报告/年度报告.txt'],
  ['big5', '報告/年度報告.txt'],
  ['cp949', '보고서/연간 보고서.txt'],
  ['shift_jis', '資料/議事録.txt', '取扱説明書.txt'],
];

for (const [encoding, ...names] of NAMES) {
  test(`names in ${encoding} are decoded although a zip archive names no encoding`, () => {
    const raw = (bytes: Uint8Array) => ({ bytes, extra: new Uint8Array() });
    const read = zipEntryNames([
      ...names.map((name) => raw(iconv.encode(name, encoding))),
      raw(Buffer.from('für.txt')),
    ]);
    assert.deepEqual(read, [...names, 'für.txt']);
  });
}

test('short names of Western Europe are not taken for another encoding', () => {
  for (const name of ['Straßenplan.pdf', 'Maße.xlsx', 'fête', 'Gâteau.jpg', 'Ñandú.txt', 'São Paulo.txt', 'Élan.txt'])
    assert.deepEqual(zipEntryNames([{ bytes: iconv.encode(name, 'cp850'), extra: new Uint8Array() }]), [name]);
});
