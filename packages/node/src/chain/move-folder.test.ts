import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { moveFolder } from '../cli/run/begin-with-state.ts';

function folders(t: TestContext): { data: string; from: string; to: string } {
  const data = temporaryDirectory(t);
  const [from, to] = [join(data, 'from'), join(data, 'to')];
  for (const folder of [from, to]) mkdirSync(folder);
  writeFileSync(join(from, 'ranges'), 'new');
  writeFileSync(join(to, 'old'), 'old');
  return { data, from, to };
}

function failsWith(code: string): () => void {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

test('a folder is moved in the place of another, by its name or as a copy', async (t) => {
  for (const rename of [undefined, failsWith('EXDEV')]) {
    const { data, from, to } = folders(t);
    mkdirSync(`${to}.new`);
    writeFileSync(join(`${to}.new`, 'rest'), 'of a crash');
    await moveFolder(from, to, rename);
    assert.deepEqual(readdirSync(to), ['ranges']);
    assert.equal(readFileSync(join(to, 'ranges'), 'utf8'), 'new');
    assert.ok(!readdirSync(data).includes('from'));
  }
});

test('a folder that cannot be moved for another reason stays', async (t) => {
  const { from, to } = folders(t);
  await assert.rejects(moveFolder(from, to, failsWith('EACCES')), { code: 'EACCES' });
  assert.deepEqual(readdirSync(from), ['ranges']);
});
