import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeTerm } from './encode.ts';
import { askedNames, lastName, nameTerms, onlyAskedName } from './names.ts';

test('the name of a definition is its last identifier', () => {
  const names = ['bar', 'exports.bar', 'Foo.prototype.bar', '#bar', 'bar<T>', 'bar!', 'a::bar', "['bar']"];
  assert.deepEqual(new Set(names.map(lastName)), new Set(['bar']));
  assert.equal(lastName('HashMap<K, V>'), 'HashMap');
  assert.equal(lastName('größe'), 'größe');
  assert.equal(lastName('~'), undefined);
});

test('a name has a term as it is written and a term in lower case, and neither is a term of a word', () => {
  const [written, lower, ...more] = nameTerms('Command');
  assert.deepEqual([[lower], []], [nameTerms('command'), more]);
  assert.notEqual(written, lower);
  assert.notEqual(lower, encodeTerm('command'));
  assert.ok(nameTerms('x'.repeat(5000)).join('').length < 300, 'the length of a term is limited');
});

test('a query that is one name asks for it', () => {
  for (const query of [
    'Session',
    ' session ',
    'res.sendFile',
    'Error::new',
    'parse()',
    'ensure!',
    '#close',
    '$ZodError',
  ])
    assert.deepEqual(askedNames(query), [query.trim()]);
});

test('words such as class and function, stop words and names of source groups do not count', () => {
  for (const query of [
    'Command class',
    'the function Command',
    'where is Command',
    'Command in click',
    'where is Command defined',
    'Command fields',
  ])
    assert.deepEqual(askedNames(query, ['click']), ['Command'], query);
  assert.deepEqual(askedNames('where is RealCall.execute').flatMap(nameTerms), nameTerms('execute'));
  for (const query of ['click Command', 'Click.Command', 'Command (my.notes*)'])
    assert.match(askedNames(query, ['click', 'my.notes*']).join(), /^\W*Command$/, query);
  assert.deepEqual(askedNames('click Command'), []);
  assert.deepEqual(askedNames('clicks Command', ['click']), []);
  assert.deepEqual(askedNames('click', ['click']), ['click']);
  assert.deepEqual(askedNames('the function', ['click']), []);
});

test('another query asks for its words with low lines or changes of case, and for no other word', () => {
  assert.deepEqual(askedNames('What does exitOverride do in Commander?'), ['exitOverride']);
  assert.deepEqual(askedNames('when is MAX_SIZE or maxSize or __init__ used'), ['MAX_SIZE', 'maxSize', '__init__']);
  assert.deepEqual(askedNames('the WHO report on vitamin B12 and e-mail'), []);
});

test('a question asks for a definition alone if all its other words are stop words or words such as "defined"', () => {
  const asked: [string, string][] = [
    ['where is apply_async defined', 'apply_async'],
    ['Flask.run', 'run'],
    ['fields of Engine', 'Engine'],
  ];
  for (const [query, name] of asked) assert.equal(onlyAskedName(query), name, query);
  for (const query of ['what raises apply_async', 'is the', 'open session from cookie'])
    assert.equal(onlyAskedName(query), undefined, query);
});
