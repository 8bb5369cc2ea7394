import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { finishReplacing, replaceChain, replacing } from './replace-chain.ts';

/** A data directory with a chain and one that was built beside it. */
function dataWithTwo(t: TestContext): { data: string; chain: string; built: string } {
  const data = temporaryDirectory(t);
  const [chain, built] = [join(data, 'chain'), join(data, 'chain.repaired')];
  for (const [folder, words] of [
    [chain, 'old'],
    [built, 'new'],
  ] as const) {
    mkdirSync(join(folder, 'db'), { recursive: true });
    writeFileSync(join(folder, 'db', 'words'), words);
  }
  return { data, chain, built };
}

function wordsIn(folder: string): string {
  return readFileSync(join(folder, 'db', 'words'), 'utf8');
}

test('a crash after any step leaves the old chain or, at the next start, the new one', (t) => {
  for (const keepsOld of [false, true]) {
    const found: string[] = [];
    for (let steps = 0; ; steps++) {
      const { data, chain, built } = dataWithTwo(t);
      const moves = replacing(chain, built, keepsOld);
      let isDone = false;
      for (let step = 0; step < steps && !isDone; step++) isDone = moves.next().done === true;
      finishReplacing(chain);
      found.push(wordsIn(chain));
      const others = readdirSync(data).filter((name) => name !== 'chain');
      const isNew = wordsIn(chain) === 'new';
      assert.equal(others.includes('chain.old'), keepsOld && isNew, others.join());
      if (isNew) assert.deepEqual(others, keepsOld ? ['chain.old'] : []);
      if (isDone) break;
    }
    assert.deepEqual([found[0], found.at(-1)], ['old', 'new']);
    assert.deepEqual(found.toSorted(), found.toReversed(), 'the new one stays once it is there');
  }
});

test('what an earlier call left does not stop the next', (t) => {
  const { data, chain, built } = dataWithTwo(t);
  const moves = replacing(chain, built, false);
  moves.next();
  assert.ok(existsSync(`${chain}.new`));
  mkdirSync(join(built, 'db'), { recursive: true });
  writeFileSync(join(built, 'db', 'words'), 'newer');
  replaceChain(chain, built, false);
  assert.deepEqual([readdirSync(data), wordsIn(chain)], [['chain'], 'newer']);
});

test('a data directory without a chain is left as it is', (t) => {
  const data = temporaryDirectory(t);
  mkdirSync(join(data, 'chain.old'));
  mkdirSync(join(data, 'chain.repaired'));
  finishReplacing(join(data, 'chain'));
  assert.deepEqual(readdirSync(data).sort(), ['chain.old', 'chain.repaired']);
});
