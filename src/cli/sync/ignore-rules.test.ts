import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultRules, isIgnored, isLitter, parseRules } from './ignore-rules.ts';

test('hidden files and node_modules are ignored unless a rule includes them again; .git is always ignored', () => {
  const own = [defaultRules(), parseRules('', ['!.github\n!.*.md\n!.git\n'])];
  assert.equal(isIgnored('.env', false, own), true);
  assert.equal(isIgnored('docs/.cache', true, own), true);
  assert.equal(isIgnored('docs/node_modules', true, own), true);
  assert.equal(isIgnored('node_modules', false, own), false, 'a file of that name is none of a package manager');
  assert.equal(isIgnored('.github', true, own), false);
  assert.equal(isIgnored('docs/.notes.md', false, own), false);
  assert.equal(isIgnored('.git', true, own), true);
});

test('what systems and office programs put beside files is litter, unless a rule includes it by its name', () => {
  const sets = [defaultRules(), parseRules('', ['*\n!*.md\n!*.db\n!.*\n!~$kept.md\n!/kept/__MACOSX\n'])];
  for (const name of ['Thumbs.db', 'a/thumbs.db', 'desktop.ini', 'a/~$plan.xlsx', '~$plan.md', '.~lock.plan.ods#'])
    assert.equal(isLitter(name, false, sets), true, name);
  assert.equal(isLitter('a/__MACOSX', true, sets), true);
  assert.equal(isLitter('kept/__MACOSX', true, sets), false);
  assert.equal(isLitter('~$kept.md', false, sets), false);
  assert.equal(isIgnored('~$kept.md', false, sets), false);
  for (const name of ['plan~$.xlsx', 'my-thumbs.db', 'desktop.ini.md', '~plan.docx'])
    assert.equal(isLitter(name, false, sets), false, name);
});

test('workflows and settings of tools are hidden files that are not ignored, unless a rule says so', () => {
  const sets = [defaultRules(), parseRules('', ['.circleci/\n'])];
  assert.equal(isIgnored('.github', true, sets), false);
  assert.equal(isIgnored('.github/.cache', true, sets), true);
  assert.equal(isIgnored('.gitlab-ci.yml', false, sets), false);
  assert.equal(isIgnored('.circleci', true, sets), true);
  for (const name of ['.golangci.yml', 'web/.eslintrc.json', '.eslintrc.cjs', '.prettierrc.js', '.editorconfig'])
    assert.equal(isIgnored(name, false, sets), false);
  for (const name of ['.npmrc', '.pypirc', '.env.yml', '.eslintrc.local.env'])
    assert.equal(isIgnored(name, false, sets), true);
});

test('the last ignore rule that matches decides, and rules of inner folders come after those of outer folders', () => {
  const sets = [
    parseRules('', ['*.log\r\nbuild/\n/only-here.txt\n# comment\n\ntemp/*\n!temp/kept.txt\n', '!audit.log\n']),
    parseRules('docs/', ['!*.log\ndrafts/\n']),
  ];
  const ignored = (path: string, isFolder = false): boolean => isIgnored(path, isFolder, sets);
  assert.equal(ignored('a.log'), true);
  assert.equal(ignored('audit.log'), false, 'of .pinakesignore, behind .gitignore');
  assert.equal(ignored('docs/a.log'), false);
  assert.equal(ignored('build', true), true);
  assert.equal(ignored('build'), false, 'a file is no folder');
  assert.equal(ignored('only-here.txt'), true);
  assert.equal(ignored('docs/only-here.txt'), false);
  assert.equal(ignored('docs/drafts', true), true);
  assert.equal(ignored('drafts', true), false);
  assert.equal(ignored('temp', true), false, 'one of its files is taken back');
  assert.equal(ignored('temp/a.txt'), true);
  assert.equal(ignored('temp/kept.txt'), false);
});
