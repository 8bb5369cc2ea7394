/**
 * Repairs the chain of a node's directory as `svcd repair` does, with the sound copy of the directory in the place of
 * peers.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, LEDGER_PARAMETERS } from 'svc-ledger';
import { type ChainReader, type ChainSource, withStoredChain } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import { createManifest, decodeValidatorSet, type ValidatorSet } from 'svc-wasm/protocol';
import { DirectoryDisk } from '../../src/chain/chain-disk.ts';
import type { ChainPlace } from '../../src/cli/store/open-store.ts';
import { repairChain } from '../../src/cli/store/repair.ts';
import { readGenesisFile } from '../../src/config/genesis-file.ts';
import type { NodeConfig } from '../../src/config/node-config.ts';

export async function repairFromSound(work: string, sound: string): Promise<void> {
  const named = readGenesisFile(join(sound, 'genesis.json'));
  const { network } = named.genesis;
  const config = { dataDir: work, network, storage: { mode: 'archive' } } as NodeConfig;
  const place: ChainPlace = {
    ...named,
    config,
    directory: join(work, 'chain'),
    parameters: LEDGER_PARAMETERS[network],
    manifest: createManifest(network, bytesOf(named.chainId)),
  };
  // Opening a database changes its files, so that the sound one stays closed.
  const peer = `${work}.peer`;
  rmSync(peer, { recursive: true, force: true });
  cpSync(join(sound, 'chain'), peer, { recursive: true });
  const set = decodeValidatorSet(new DirectoryDisk(peer).read(0) ?? new Uint8Array(0));
  await withStoredChain(peer, async (reader) => {
    const source = async () => sourceOf(reader, set);
    await repairChain(place, { source, keepsOld: false, say: () => {} });
  });
}

/** What peers would answer. */
export function sourceOf(reader: ChainReader, set: ValidatorSet): ChainSource {
  return {
    header: async (height) => (await reader.cut(height))?.header,
    cutBody: (height) => reader.cutBody(height),
    certificate: (height) => reader.certificate(height),
    validatorSet: async (setId) => (toHex(set.id) === setId ? set : undefined),
    blocks: (ids) =>
      Promise.all(
        ids.map(async (id) => ({
          id,
          header: (await reader.blockHeader(id)) ?? new Uint8Array(0),
          body: (await reader.blockBody(id)) ?? new Uint8Array(0),
        })),
      ),
  };
}
