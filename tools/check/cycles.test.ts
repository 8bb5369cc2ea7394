import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importCycles } from './cycles.ts';

const ENTRIES = new Map([['svc-b', 'packages/b/src/index.ts']]);

test('cycles: files that import each other are found, types and re-exports too', () => {
  const sources = [
    { path: 'packages/a/src/a.ts', text: "import type { B } from './b.ts';" },
    { path: 'packages/a/src/b.ts', text: "export { c } from './inner/c.ts';" },
    { path: 'packages/a/src/inner/c.ts', text: "const a = await import('../a.ts');" },
  ];
  assert.deepEqual(importCycles(sources, ENTRIES), [
    'imports in a circle: packages/a/src/a.ts → packages/a/src/b.ts → packages/a/src/inner/c.ts → packages/a/src/a.ts',
  ]);
});

test('cycles: a circle through the entry of another package is found', () => {
  const sources = [
    { path: 'packages/a/src/a.ts', text: "import { b } from 'svc-b';" },
    { path: 'packages/b/src/index.ts', text: "export { b } from './b.ts';" },
    { path: 'packages/b/src/b.ts', text: "import { a } from '../../a/src/a.ts';" },
  ];
  assert.equal(importCycles(sources, ENTRIES).length, 1);
});

test('cycles: two ways to one file are no circle, and prose imports nothing', () => {
  const sources = [
    { path: 'packages/a/src/a.ts', text: "import './b.ts';\nimport './c.ts';" },
    { path: 'packages/a/src/b.ts', text: "import './c.ts';" },
    { path: 'packages/a/src/c.ts', text: "// import './a.ts';\n/* import './b.ts'; */" },
  ];
  assert.deepEqual(importCycles(sources, ENTRIES), []);
});
