import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionProblems, pageProblems, sizeProblems, walkProblems } from './documents.ts';

const PAGE = `# 0007 Cats sleep at noon

**Status.** Accepted. **Date.** 2026-11-15.

**Context.** It is warm.

**Decision.** They sleep.

**Consequences.** No cat is awake.
`;
const PATH = 'docs/adr/0007-cats-sleep-at-noon.md';
const LIST = '| [0007](0007-cats-sleep-at-noon.md) | Cats sleep at noon |\n';

function problemsOf(text: string, list = LIST): string[] {
  return decisionProblems([{ path: PATH, text }], list);
}

test('a decision with its form and its place in the list is accepted', () => {
  assert.deepEqual(problemsOf(PAGE), []);
  const replaced = PAGE.replace('Accepted.', 'Replaced by 0008.');
  assert.deepEqual(problemsOf(replaced), []);
});

for (const [lack, text] of [
  ['status', PAGE.replace('**Status.** Accepted. ', '')],
  ['date', PAGE.replace('2026-11-15', 'today')],
  ['context', PAGE.replace('**Context.** ', '')],
  ['decision', PAGE.replace('**Decision.** ', '')],
  ['consequences', PAGE.replace('**Consequences.** No cat is awake.', '**Consequences.**')],
  ['order', PAGE.replace('Context', 'x').replace('Decision', 'Context').replace('x', 'Decision')],
  ['number', PAGE.replace('# 0007', '# 0008')],
] as const) {
  test(`a decision without its ${lack} is refused`, () => {
    assert.equal(problemsOf(text).length, 1);
  });
}

test('a decision is refused that the list leaves out or that has the number of another', () => {
  assert.equal(problemsOf(PAGE, '').length, 1);
  assert.equal(problemsOf(PAGE, LIST.replace('noon |', 'night |')).length, 1);
  const twice = [
    { path: PATH, text: PAGE },
    { path: 'docs/adr/0007-dogs.md', text: PAGE },
  ];
  const list = `${LIST}| [0007](0007-dogs.md) | Cats sleep at noon |`;
  assert.equal(decisionProblems(twice, list).length, 1);
});

test('every package has a page of at most forty lines', () => {
  const page = { path: 'packages/cats/README.md', text: 'line\n'.repeat(40) };
  assert.deepEqual(pageProblems(['cats'], [page]), []);
  assert.equal(pageProblems(['cats'], [{ ...page, text: `${page.text}one more\n` }]).length, 1);
  assert.equal(pageProblems(['cats', 'dogs'], [page]).length, 1);
});

test('documents have a limit of words and of decisions', () => {
  assert.deepEqual(sizeProblems(['one two\nthree'], 40), []);
  assert.deepEqual(sizeProblems(['word '.repeat(70_000), 'word '.repeat(41_001)], 41), [
    'docs: 111001 words, at most 111000',
    'docs/adr: 41 decisions, at most 40',
  ]);
});

test('a walk has a limit of files, and each file counts once', () => {
  const links = (count: number) =>
    Array.from({ length: count }, (_, at) => `[a](../a/${at}.ts), again [a](../a/${at}.ts)`).join();
  const walks = (balance: number) =>
    `# Walks\n## A payment\n## A balance read: x\n${links(balance)}\n## A cut\n## A wallet's send`;
  assert.deepEqual(walkProblems(walks(14)), []);
  assert.equal(walkProblems(walks(15)).length, 1);
  assert.equal(walkProblems('# Walks\n## A payment\n## A cut').length, 2);
});
