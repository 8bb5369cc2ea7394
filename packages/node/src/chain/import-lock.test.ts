import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { isImporting, lockImport } from './import-lock.ts';
import { importedPath } from './replace-chain.ts';

test('one import has the lock, also where its folder goes before it does', async (t) => {
  const chain = join(temporaryDirectory(t), 'chain');
  assert.equal(await isImporting(chain), false);
  const lock = (await lockImport(chain)) ?? assert.fail('nobody else has it');
  assert.equal(await lockImport(chain), undefined);
  assert.equal(await isImporting(chain), true);
  rmSync(importedPath(chain), { recursive: true });
  assert.equal(await isImporting(chain), false);
  await lock.close();
  const next = (await lockImport(chain)) ?? assert.fail('it is free again');
  await next.close();
  assert.equal(await isImporting(chain), false, 'what is left of an import is none');
});
