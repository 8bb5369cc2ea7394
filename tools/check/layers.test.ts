import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layerProblems, testProblems } from './layers.ts';

const cases: readonly { name: string; path: string; text: string; problem: RegExp | undefined }[] =
  [
    {
      name: 'a Node module in a pure package',
      path: 'packages/ledger/src/a.ts',
      text: "import { readFileSync } from 'node:fs';",
      problem: /imports node:fs/,
    },
    {
      name: 'a dynamic import of a Node module',
      path: 'packages/ledger/src/a.ts',
      text: "const fs = await import('node:fs');",
      problem: /imports node:fs/,
    },
    {
      name: 'an import against the arrows',
      path: 'packages/protocol/src/a.ts',
      text: "import { x } from 'svc-ledger';",
      problem: /may not import ledger/,
    },
    {
      name: 'a library that is not listed',
      path: 'packages/consensus/src/machine/a.ts',
      text: "import x from 'left-pad';",
      problem: /may not import left-pad/,
    },
    {
      name: 'a clock',
      path: 'packages/consensus/src/machine/a.ts',
      text: 'const now = Date.now();',
      problem: /names Date/,
    },
    {
      name: 'a timer',
      path: 'packages/consensus/src/machine/a.ts',
      text: 'setTimeout(() => {}, 1);',
      problem: /names setTimeout/,
    },
    {
      name: 'weak randomness',
      path: 'packages/ledger/src/a.ts',
      text: 'const x = Math.random();',
      problem: /Math\.random/,
    },
    {
      name: 'the network',
      path: 'packages/protocol/src/a.ts',
      text: "await fetch('/x');",
      problem: /names fetch/,
    },
    {
      name: 'a clock in prose',
      path: 'packages/ledger/src/a.ts',
      text: '// Date.now() is not for us\n/* setTimeout( */',
      problem: undefined,
    },
    {
      name: 'a sibling below',
      path: 'packages/ledger/src/a.ts',
      text: "import { x } from 'svc-wasm/kernel';",
      problem: undefined,
    },
    {
      name: 'a Node module in a shell package',
      path: 'packages/storage/src/a.ts',
      text: "import { open } from 'node:fs';",
      problem: undefined,
    },
    {
      name: 'the one entry of a package that is allowed',
      path: 'packages/devnet/src/a.ts',
      text: "import type { Clock } from 'svc-base/pure';",
      problem: undefined,
    },
    {
      name: 'another entry of that package',
      path: 'packages/devnet/src/a.ts',
      text: "import { SYSTEM_CLOCK } from 'svc-base/system-clock';",
      problem: /may not import svc-base\/system-clock/,
    },
    {
      name: 'a clock in a pure folder of a shell package',
      path: 'packages/base/src/pure/a.ts',
      text: 'const now = Date.now();',
      problem: /names Date/,
    },
    {
      name: 'a way out of a pure folder',
      path: 'packages/base/src/pure/a.ts',
      text: "import { SYSTEM_CLOCK } from '../system-clock.ts';",
      problem: /a pure folder imports/,
    },
    {
      name: 'a Node module in a test of a pure package',
      path: 'packages/ledger/src/a.test.ts',
      text: "import { test } from 'node:test';",
      problem: undefined,
    },
  ];

for (const { name, path, text, problem } of cases) {
  test(`layers: ${name} is ${problem === undefined ? 'allowed' : 'found'}`, () => {
    const problems = layerProblems({ path, text });
    if (problem === undefined) assert.deepEqual(problems, []);
    else assert.match(problems.join('\n'), problem);
  });
}

test('tests, fuzzers and demonstrations follow the arrows too', () => {
  const imports = (path: string, target: string) =>
    testProblems({ path, text: `import { x } from '${target}';` });
  assert.deepEqual(imports('packages/protocol/fuzz/a.ts', '../../mining/fuzz/targets.ts'), [
    'packages/protocol/fuzz/a.ts: tests of protocol may not import mining',
  ]);
  assert.equal(imports('packages/ledger/test/a.test.ts', 'svc-node').length, 1);
  assert.deepEqual(imports('packages/mining/fuzz/a.ts', '../../protocol/fuzz/target.ts'), []);
  assert.deepEqual(imports('packages/bridge/test/a.test.ts', 'svc-miner'), []);
});
