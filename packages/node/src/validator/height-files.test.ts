import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { decodeCut, type EncodedCut } from 'svc-finality';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { HeightFiles } from './height-files.ts';

async function cutOf(chain: ChainFixture): Promise<EncodedCut> {
  const { headerBytes, height } = await chain.cut();
  const reader = chain.reader();
  const body = (await reader.cutBody(height)) as Uint8Array;
  await reader.close();
  return decodeCut(headerBytes, body);
}

test('cuts and inputs come back after a restart; what was torn at the end is cut off', async (t) => {
  const chain = await ChainFixture.create();
  const directory = mkdtempSync(join(tmpdir(), 'svc-height-'));
  t.after(async () => {
    await chain.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const [first, second] = [await cutOf(chain), await cutOf(chain)];
  const files = new HeightFiles(directory);
  files.storeCut(first);
  files.append(Uint8Array.of(1, 2, 3));
  files.sync();
  files.storeCut(first);
  files.storeCut(second);
  files.sync();
  files.close();
  const size = statSync(join(directory, 'cuts')).size;
  appendFileSync(join(directory, 'cuts'), Uint8Array.of(5, 5, 5));

  const again = new HeightFiles(directory);
  assert.deepEqual(
    again.foundCuts.map(({ value }) => value),
    [first.value, second.value],
  );
  assert.equal(statSync(join(directory, 'cuts')).size, size);
  assert.ok(again.found.length > 3);
  again.resume(again.found.length, 1);
  again.storeCut(second);
  again.reset();
  again.close();
  assert.equal(statSync(join(directory, 'log')).size, 0);
  assert.equal(statSync(join(directory, 'cuts')).size, size);
});
