/**
 * `svcd repair`: makes a sound store of a damaged one, with the help of peers, and puts it in its place. If it is
 * broken off or cannot succeed, the damaged store is untouched.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, EXIT, note, result } from 'svc-base/cli';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { epochStart } from 'svc-ledger';
import { Network, type PastFetch } from 'svc-network';
import {
  type ChainSource,
  findDamage,
  isUnreadable,
  type RepairedStore,
  readWhole,
  repairStore,
  StoreDamagedError,
  withStoredChain,
} from 'svc-storage';
import { equalBytes, SvcError } from 'svc-wasm/base';
import { decodeCutHeader, decodeValidatorSet } from 'svc-wasm/protocol';
import { finishReplacing } from '../../chain/replace-chain.ts';
import { hostOptions } from '../../compose/peers.ts';
import { EmptyApplication } from '../../network/empty-application.ts';
import { VERSION } from '../../version.ts';
import type { CommandOptions } from '../config-options.ts';
import { genesisSet } from '../run/begin-with-state.ts';
import { type ChainPlace, chainPlace } from './open-store.ts';
import { putInPlace, rebuild } from './reindex-store.ts';

interface Connected {
  readonly network: Network;
  readonly past: PastFetch;
}

/** Connects on first use. */
class RepairPeers {
  readonly #place: ChainPlace;
  #connecting: Promise<Connected> | undefined;

  constructor(place: ChainPlace) {
    this.#place = place;
  }

  async source(): Promise<ChainSource> {
    this.#connecting ??= this.#connect();
    return (await this.#connecting).past;
  }

  async close(): Promise<void> {
    const connected = await this.#connecting;
    connected?.past.close();
    await connected?.network.close();
  }

  async #connect(): Promise<Connected> {
    const { config, manifest, genesis } = this.#place;
    const set = await genesisSet(this.#place);
    const network = await Network.create(
      {
        ...hostOptions(config, VERSION),
        listenHosts: [],
        follows: false,
        clock: SYSTEM_CLOCK,
        log: SILENT_LOG,
      },
      new EmptyApplication(manifest, set, genesis.timeMillis),
    );
    const past = network.pastFetch();
    await network.start();
    return { network, past };
  }
}

/** What becomes of a set that is lost. */
const ASKED = 'peers are asked for the set when evidence names it';

export async function repair(options: CommandOptions): Promise<void> {
  const place = await chainPlace(options);
  finishReplacing(place.directory);
  if (!existsSync(place.directory))
    throw new CliError(EXIT.failed, `there is no chain in ${place.config.dataDir} yet`);
  const peers = new RepairPeers(place);
  try {
    const keepsOld = options['keepOld'] === true;
    const source = () => peers.source();
    result(await repairChain(place, { source, keepsOld, say: note }));
  } finally {
    await peers.close();
  }
}

interface ChainRepairOptions {
  readonly source: () => Promise<ChainSource>;
  readonly keepsOld: boolean;
  readonly say: (words: string) => void;
}

/** Leaves a sound store in its place, or throws and leaves the damaged one. */
export async function repairChain(
  place: ChainPlace,
  { source, keepsOld, say }: ChainRepairOptions,
): Promise<'sound' | 'repaired'> {
  const { directory, chainId, parameters, config } = place;
  const damage = await findDamage(directory);
  if (damage === undefined) {
    const removed = await removeDamagedSets(place, directory, say);
    if (removed === 0) say('every file and record of the store is as it was written');
    return removed === 0 ? 'sound' : 'repaired';
  }
  say(damage.message);
  const target = `${directory}.repaired`;
  rmSync(target, { recursive: true, force: true });
  const { mode } = config.storage;
  const repaired = await repairStore({ directory, target, chainId, parameters, mode, source });
  copySets(setsOf(directory), setsOf(target), say);
  await removeDamagedSets(place, target, say);
  tell(repaired, say);
  const built = repaired.mustExecute === undefined ? target : await executeAgain(place, target);
  putInPlace(place, built, keepsOld);
  say(`the store is sound up to cut ${repaired.head.height}; start the node with \`svcd run\``);
  return 'repaired';
}

/** The new store has all blocks; its state or its indexes are made by executing them. */
async function executeAgain(place: ChainPlace, target: string): Promise<string> {
  const built = `${place.directory}.reindexed`;
  rmSync(built, { recursive: true, force: true });
  await withStoredChain(target, (reader) => rebuild(place, reader, built));
  rmSync(target, { recursive: true });
  return built;
}

function setsOf(directory: string): string {
  return join(directory, 'sets');
}

/** The files of a folder of validator sets; none if the disk cannot read the folder. */
function filesOf(folder: string, say: (words: string) => void): string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    say(
      `the disk cannot read the folder ${folder}: remove it if the node does not start; ${ASKED}`,
    );
    return [];
  }
}

/** Undefined if the disk cannot read the file. */
function readSet(path: string): Uint8Array | undefined {
  try {
    return readWhole(path, ASKED);
  } catch (error) {
    if (error instanceof StoreDamagedError) return undefined;
    throw error;
  }
}

function copySets(from: string, to: string, say: (words: string) => void): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of filesOf(from, say)) {
    const encoded = readSet(join(from, name));
    if (encoded === undefined)
      say(`the disk cannot read ${join(from, name)}, it is left out: ${ASKED}`);
    else writeFileSync(join(to, name), encoded, { mode: 0o600 });
  }
}

/** Removes files of validator sets that are not those of the chain, or that cannot be read. */
async function removeDamagedSets(
  { parameters }: ChainPlace,
  directory: string,
  say: (words: string) => void,
): Promise<number> {
  const folder = setsOf(directory);
  const names = filesOf(folder, say);
  if (names.length === 0) return 0;
  return await withStoredChain(directory, async (reader) => {
    let removed = 0;
    for (const name of names) {
      const cut = await reader.cut(epochStart(Number.parseInt(name, 10), parameters.interval));
      const encoded = readSet(join(folder, name));
      const isRead = encoded !== undefined;
      if (isRead && (cut === undefined || isSetOf(cut.header, encoded))) continue;
      rmSync(join(folder, name));
      removed++;
      const what = isRead ? 'is damaged' : 'cannot be read by the disk';
      say(`${join(folder, name)} ${what} and was removed: ${ASKED}`);
    }
    return removed;
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

function tell(repaired: RepairedStore, say: (words: string) => void): void {
  const { records, mended, lost, fetched, rebuilt, shortenedAt, mustExecute, head } = repaired;
  const { headers, cutBodies, certificates, blocks, certificatesMissing } = fetched;
  say(`${records} records are sound; single bits were turned back in ${mended.length} places`);
  for (const reason of lost) say(`lost: ${reason}`);
  if (shortenedAt !== undefined)
    say(`the end of ${shortenedAt} cannot be read: cuts after ${head.height} come from peers`);
  const sum = headers + cutBodies + certificates + blocks;
  if (sum > 0)
    say(
      `fetched and proven: ${headers} headers, ${cutBodies} bodies, ${certificates} certificates, ${blocks} blocks`,
    );
  if (certificatesMissing > 0)
    say(`${certificatesMissing} certificates are missing; later ones prove the same cuts`);
  if (rebuilt.length > 0) say(`made anew: ${rebuilt.join(', ')}`);
  if (mustExecute !== undefined) say(`${mustExecute}: executing every cut again`);
}
