import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHex } from 'svc-wasm/base';
import { encodeCutBody } from 'svc-wasm/protocol';
import { withChecksum } from '../codec/checksum.ts';
import { heightKey } from '../commit/keys.ts';
import { MemoryStore } from '../key-value/memory-store.ts';
import { readRecentBlockIds } from './cut-reader.ts';

const EMPTY_CUTS = 1_050;

async function chainWithBlockAt(height: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  const operations = Array.from({ length: EMPTY_CUTS }, (_, at) => {
    const key = heightKey('cutBodies', at);
    const blockIds = at === height ? [new Uint8Array(48).fill(7)] : [];
    const value = withChecksum(key, encodeCutBody({ blockIds, evidence: [] }));
    return { type: 'put', key, value } as const;
  });
  await store.write(operations);
  return store;
}

test('recent blocks are looked for in the newest 1,024 cuts and no further', async () => {
  const id = toHex(new Uint8Array(48).fill(7));
  const [oldest, beyond] = [EMPTY_CUTS - 1_024, EMPTY_CUTS - 1_025];
  assert.deepEqual(await readRecentBlockIds(await chainWithBlockAt(oldest), 5), [id]);
  assert.deepEqual(await readRecentBlockIds(await chainWithBlockAt(beyond), 5), []);
});
