import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFiles, testGroups } from './test-groups.ts';

test('every test file is in one group, and no group has more than sixteen', () => {
  const files = testFiles([]);
  const groups = testGroups(files);
  assert.deepEqual(groups.flatMap((group) => group.files).sort(), [...files].sort());
  assert.ok(groups.every((group) => group.files.length > 0 && group.files.length <= 16));
  assert.equal(new Set(groups.map(({ title }) => title)).size, groups.length);
});

test('tests of whole nodes come first, those of one folder stay together', () => {
  const files = ['packages/api/src/a.test.ts', 'packages/node/test/b.test.ts', 'tools/c.test.ts'];
  assert.deepEqual(
    testGroups([...files, 'tools/x/d.test.ts']).map(({ title, files: members }) => [
      title,
      members,
    ]),
    [
      ['packages/node/test', ['packages/node/test/b.test.ts']],
      ['tools', ['tools/c.test.ts', 'tools/x/d.test.ts']],
      ['packages/api/src', ['packages/api/src/a.test.ts']],
    ],
  );
});

test('files of one level of the simulator share a process, the rest have one, and its seeds begin first', () => {
  const folder = 'packages/simulator/test';
  const titles = testGroups(testFiles([])).map(({ title }) => title);
  assert.equal(titles[0], `${folder}, finality`);
  assert.match(
    titles[1] ?? '',
    /launch-page/,
    'what waits longest runs beside them from the beginning',
  );
  const levels = titles.filter((title) => title.startsWith(folder)).sort();
  assert.deepEqual(
    levels,
    ['finality', 'ledger', 'node', 'others'].map((level) => `${folder}, ${level}`),
  );
});

test('paths choose the files below them', () => {
  const chosen = testFiles(['tools/testing/test-g']);
  assert.deepEqual(chosen, ['tools/testing/test-groups.test.ts']);
});
