/**
 * `svcd repair`: makes a sound store of a damaged one, with the help of peers, and puts it in its place. If it is
 * broken off or cannot succeed, the damaged store is untouched.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { epochStart } from 'svc-ledger';
import { findDamage, type RepairedStore, repairStore, withStoredChain } from 'svc-storage';
import { equalBytes, SvcError } from 'svc-wasm/base';
import { decodeCutHeader, decodeValidatorSet } from 'svc-wasm/protocol';
import type { CommandOptions } from '../config-options.ts';
import { type ChainPlace, chainPlace } from './open-store.ts';
import { putInPlace, rebuild } from './reindex-store.ts';
import { RepairPeers } from './repair-peers.ts';

export async function repair(options: CommandOptions): Promise<void> {
  const place = await chainPlace(options);
  if (!existsSync(place.directory))
    throw new CliError(EXIT.failed, `there is no chain in ${place.config.dataDir} yet`);
  const damage = await findDamage(place.directory);
  if (damage === undefined) {
    await removeDamagedSets(place, place.directory);
    note('every file and record of the store is as it was written');
    result('sound');
    return;
  }
  note(damage.message);
  const target = `${place.directory}.repaired`;
  rmSync(target, { recursive: true, force: true });
  const repaired = await repairWithPeers(place, target);
  if (existsSync(join(place.directory, 'sets')))
    cpSync(join(place.directory, 'sets'), join(target, 'sets'), { recursive: true });
  await removeDamagedSets(place, target);
  tell(repaired);
  const built = repaired.mustExecute === undefined ? target : await executeAgain(place, target);
  putInPlace(place, built, options);
  note(`the store is sound up to cut ${repaired.head.height}; start the node with \`svcd run\``);
  result('repaired');
}

async function repairWithPeers(place: ChainPlace, target: string): Promise<RepairedStore> {
  const { directory, chainId, parameters, config } = place;
  const peers = new RepairPeers(place);
  try {
    return await repairStore({
      directory,
      target,
      chainId,
      parameters,
      mode: config.storage.mode,
      source: () => peers.source(),
    });
  } finally {
    await peers.close();
  }
}

/** The new store has all blocks; its state or its indexes are made by executing them. */
async function executeAgain(place: ChainPlace, target: string): Promise<string> {
  const built = `${place.directory}.reindexed`;
  rmSync(built, { recursive: true, force: true });
  await withStoredChain(target, (reader) => rebuild(place, reader, built));
  rmSync(target, { recursive: true });
  return built;
}

/** Removes files of validator sets that are not those of the chain; peers are asked for one when evidence names it. */
async function removeDamagedSets({ parameters }: ChainPlace, directory: string): Promise<void> {
  const folder = join(directory, 'sets');
  if (!existsSync(folder)) return;
  await withStoredChain(directory, async (reader) => {
    for (const name of readdirSync(folder)) {
      const cut = await reader.cut(epochStart(Number.parseInt(name, 10), parameters.interval));
      const isSound = cut === undefined || isSetOf(cut.header, readFileSync(join(folder, name)));
      if (isSound) continue;
      rmSync(join(folder, name));
      note(`${join(folder, name)} is damaged and was removed`);
    }
  });
}

function isSetOf(header: Uint8Array, encoded: Uint8Array): boolean {
  try {
    return equalBytes(decodeValidatorSet(encoded).id, decodeCutHeader(header).validatorSetId);
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

function tell(repaired: RepairedStore): void {
  const { records, mended, lost, fetched, rebuilt, shortenedAt, mustExecute, head } = repaired;
  const { headers, cutBodies, certificates, blocks, certificatesMissing } = fetched;
  note(`${records} records are sound; single bits were turned back in ${mended.length} places`);
  for (const reason of lost) note(`lost: ${reason}`);
  if (shortenedAt !== undefined)
    note(`the end of ${shortenedAt} cannot be read: cuts after ${head.height} come from peers`);
  const sum = headers + cutBodies + certificates + blocks;
  if (sum > 0)
    note(
      `fetched and proven: ${headers} headers, ${cutBodies} bodies, ${certificates} certificates, ${blocks} blocks`,
    );
  if (certificatesMissing > 0)
    note(`${certificatesMissing} certificates are missing; later ones prove the same cuts`);
  if (rebuilt.length > 0) note(`made anew: ${rebuilt.join(', ')}`);
  if (mustExecute !== undefined) note(`${mustExecute}: executing every cut again`);
}
