/**
 * What a peer would send of a cut of a fixture's chain.
 */
import type { FinalizedCut } from 'svc-serve/ports';
import type { CutToInstall } from '../chain/chain-core.ts';
import type { ChainFixture } from './chain-fixture.ts';

export async function cutToInstall(fixture: ChainFixture, height: number): Promise<CutToInstall> {
  const reader = fixture.reader();
  try {
    const cut = fixture.cuts[height - 1] as FinalizedCut;
    const body = (await reader.cutBody(height)) as Uint8Array;
    const blocks = cut.input.registered.map(async ({ id }) => ({
      id,
      header: (await reader.blockHeader(id)) as Uint8Array,
      body: (await reader.blockBody(id)) as Uint8Array,
    }));
    const { headerBytes: header, certificate } = cut;
    return { header, body, certificate, blocks: await Promise.all(blocks) };
  } finally {
    await reader.close();
  }
}
