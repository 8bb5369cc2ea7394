/** The SPIN models, explored exhaustively, and the rules they are about, each broken once. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../spin.sh', import.meta.url));
const TOOLS = ['spin', 'gcc'].filter((tool) => spawnSync(tool, ['--version']).error === undefined);
const skip = TOOLS.length < 2 ? 'spin or gcc is not installed: passed over' : false;

const CASES: readonly (readonly [string, readonly string[], boolean])[] = [
  ['locks: two cuts are never decided in three rounds', ['locking'], true],
  ['control: votes that ignore the lock; two cuts are decided', ['locking', '-DNO_LOCK'], false],
  ['hand-over: every claim can be held', ['handover', '-DSLOTS=2', '-DROUNDS=5'], true],
  [
    'control: rounds held as they come; a claim cannot be held',
    ['handover', '-DFIRST_COME'],
    false,
  ],
];

for (const [name, args, isHeld] of CASES)
  test(name, { skip }, (t) => {
    const { status, stdout, stderr } = spawnSync(SCRIPT, args, { encoding: 'utf8' });
    t.diagnostic(stdout.trim());
    assert.equal(stderr, '');
    assert.equal(status === 0, isHeld);
    assert.match(stdout, isHeld ? /errors: 0/ : /assertion violated/);
  });
