import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noAnswerText } from './no-answer.ts';

test('the sentence that says that there is no answer is in the language of the question', () => {
  for (const [question, start] of [
    ['How many vacation days do staff get?', 'The available'],
    ['zebra?', 'The available'],
    ['Whose IBAN is DE75 5121 0800 1245 1261 99?', 'The available'],
    ['Wie viele Urlaubstage haben Mitarbeiter?', 'Die vorhandenen'],
    ['Combien de jours de congé ont les employés ?', 'Les sources'],
    ['¿Cuántos días de vacaciones tienen los empleados?', 'Las fuentes'],
    ['Quanti giorni di ferie ci sono?', 'Le fonti'],
    ['Quantos dias de férias há?', 'As fontes'],
    ['Çalışanların kaç gün izni var?', 'Mevcut'],
    ['Nhân viên có bao nhiêu ngày phép?', 'Các nguồn'],
    ['Сколько дней отпуска?', 'Доступные'],
    ['Скільки днів відпустки є?', 'Доступні'],
    ['有給休暇は何日ですか？', '利用できる'],
    ['年假有多少天？', '现有'],
    ['年假有幾天嗎？', '現有'],
    ['磁碟配額', '現有'],
    ['台灣的面積是多少？', '現有'],
    ['这个软件的默認设置是什么？', '现有'],
    ['휴가는 며칠인가요?', '사용할'],
    ['มีวันหยุดกี่วัน', 'แหล่ง'],
    ['कितने दिन की छुट्टी है?', 'उपलब्ध'],
    ['كم عدد أيام الإجازة؟', 'لا تحتوي'],
    ['Πόσες ημέρες άδειας;', 'Οι διαθέσιμες'],
    ['What does 休暇 mean in the handbook?', 'The available'],
    ['Who wrote the book 灯台の案内?', 'The available'],
    ['Was bedeutet die Aufschrift «Осторожно» auf dem Schild?', 'Die vorhandenen'],
    ['apt-get remove と purge の違いは何ですか?', '利用できる'],
    ['kubectl get pods と kubectl describe の違い', '利用できる'],
    ['Чем apt-get remove отличается от apt-get purge?', 'Доступные'],
    ['apt-get remove 和 apt-get purge 有什么区别？', '现有'],
    ['', 'The available'],
  ] as const) {
    assert.ok(noAnswerText(question, []).startsWith(start), `${question} → ${noAnswerText(question, [])}`);
  }
});

test('the languages of the passages decide when the words of a question may be of several languages', () => {
  for (const [question, found, start] of [
    ['Was macht tail -f?', ['en', 'ja', 'de', 'de'], 'Die vorhandenen'],
    ['What does tail -f do?', ['de', 'de'], 'The available'],
    ['Jak skopiować katalog rekurencyjnie?', ['pl'], 'Dostępne'],
    ['Jak ugotować bigos?', [], 'Dostępne'],
    ['Jak zkopírovat soubor?', ['cs', 'pl'], 'Dostupné'],
    ['Jak zmenit prava', ['cs', 'pl', 'pl'], 'Dostępne'],
    ['Ilu mieszkańców ma Gdańsk?', ['it'], 'Dostępne'],
    ['Mehlpreis', ['de'], 'Die vorhandenen'],
    ['Mehlpreis', ['ru', null], 'The available'],
  ] as const) {
    assert.ok(noAnswerText(question, found).startsWith(start), `${question} → ${noAnswerText(question, found)}`);
  }
});
