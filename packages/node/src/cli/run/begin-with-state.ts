/**
 * How a node without a chain begins with the state of a certified cut that its peers keep. Everything happens in
 * `<data>/state-sync`: what has come stays there over a kill, and the chain moves to its place when it is whole and
 * proven. What was fetched then becomes a state that this node keeps for others.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory, syncDirectory, syncTreeSync } from 'svc-base/node';
import { type Clock, type Log, messageOf } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import {
  bytesOf,
  type EpochRecord,
  genesisState,
  type LedgerParameters,
  SINGLE_KEY,
} from 'svc-ledger';
import { Network, SYNC_TIMING } from 'svc-network';
import { ChecksummedStore, MemoryStore, openStore, openStoreOn } from 'svc-storage';
import { importRanges } from 'svc-storage/ranges';
import { createManifest, hashLabel, type Manifest, type ValidatorSet } from 'svc-wasm/protocol';
import { placeChain } from '../../chain/replace-chain.ts';
import { setOfCommittee } from '../../chain/validator-sets.ts';
import { hostOptions } from '../../compose/peers.ts';
import { chainParameters, type NamedGenesis } from '../../config/genesis-file.ts';
import type { NodeConfig } from '../../config/node-config.ts';
import type { NodeMetrics } from '../../metrics/node-metrics.ts';
import { EmptyApplication } from '../../network/empty-application.ts';
import { FetchedState } from '../../network/fetched-state.ts';
import { ImportReport } from '../store/import-report.ts';
import { expectProven } from '../store/snapshots.ts';

/** Replaces what is at the target. */
export async function moveFolder(
  from: string,
  to: string,
  rename: (from: string, to: string) => void = renameSync,
): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  try {
    rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copy(from, to);
  }
  await syncDirectory(dirname(to));
  rmSync(from, { recursive: true, force: true });
}

async function copy(from: string, to: string): Promise<void> {
  const unfinished = `${to}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  try {
    await cp(from, unfinished, { recursive: true, preserveTimestamps: true });
    syncTreeSync(unfinished);
    renameSync(unfinished, to);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

export interface BeginContext extends NamedGenesis {
  readonly version: string;
  readonly log: Log;
  readonly stopping: AbortSignal;
  readonly metrics: Pick<NodeMetrics, 'watchStateSync'>;
  /** By which trust expires. */
  readonly clock: Pick<Clock, 'now'>;
}

interface Place extends BeginContext {
  readonly config: NodeConfig;
  readonly parameters: LedgerParameters;
  readonly manifest: Manifest;
  /** `<data>/state-sync`. */
  readonly directory: string;
}

/** Answers of ranges may be slow to begin: the peer reads them from its disk. */
const SILENCE_MILLIS_MAX = 15_000;
const PUTTING = 'putting the state in its place';

/**
 * Resolves with true when there is a chain to follow; with one there already it does nothing. Resolves with false if the
 * node is told to stop before.
 */
export async function beginWithState(config: NodeConfig, context: BeginContext): Promise<boolean> {
  const log = context.log.part('sync');
  const chain = join(config.dataDir, 'chain');
  const directory = join(config.dataDir, 'state-sync');
  if (existsSync(chain)) {
    log.info({}, 'there is a chain already, so no state is fetched');
    rmSync(directory, { recursive: true, force: true });
    return true;
  }
  const place: Place = {
    ...context,
    log,
    config,
    parameters: chainParameters(config, context),
    manifest: createManifest(config.network, bytesOf(context.chainId)),
    directory,
  };
  await makeDirectory(place.directory);
  const set = await genesisSet(place);
  const state = await openState(place, set);
  let height: number;
  try {
    if (!(await fetchState(place, set, state))) return false;
    height = await installState(place, state);
  } finally {
    await state.close();
  }
  placeChain(chain, join(place.directory, 'chain'));
  await keepForOthers(place, height);
  rmSync(place.directory, { recursive: true, force: true });
  log.info({ height }, 'the state is proven and in its place; the chain goes on from its cut');
  return true;
}

/** The set that signs the first cut. */
export async function genesisSet({
  chainId,
  parameters,
  genesis,
}: Pick<Place, 'chainId' | 'parameters' | 'genesis'>): Promise<ValidatorSet> {
  const store = await openStoreOn(new MemoryStore(), { chainId, parameters, mode: 'full' });
  const ports = { parameters, hash: hashLabel, commitments: store.commitments };
  await store.initialize(genesisState(ports, genesis));
  const set = setOfCommittee(store.view.get('epoch', SINGLE_KEY) as EpochRecord);
  await store.close();
  return set;
}

function openState(place: Place, { encoded: encodedSet }: ValidatorSet): Promise<FetchedState> {
  const { config, genesis, manifest, directory, clock } = place;
  const { chainId } = manifest;
  const time = BigInt(genesis.timeMillis);
  return FetchedState.open({
    directory: join(directory, 'fetched'),
    trust: { network: config.network, chainId, height: 0n, time, cutId: chainId, encodedSet },
    checkpoint: config.sync.trust ?? undefined,
    recoveries: place.parameters.recoveries,
    clock,
  });
}

/** With nothing but peers: who asks this node for anything gets nothing. */
async function fetchState(place: Place, set: ValidatorSet, state: FetchedState): Promise<boolean> {
  const { config, version, manifest, genesis, log, stopping } = place;
  const application = new EmptyApplication(manifest, set, genesis.timeMillis);
  const network = await Network.create(
    {
      ...hostOptions(config, version),
      follows: false,
      syncTiming: { ...SYNC_TIMING, silenceMillisMax: SILENCE_MILLIS_MAX },
      clock: SYSTEM_CLOCK,
      log,
    },
    application,
  );
  try {
    await network.start();
    const fetching = network.stateFetch(state);
    place.metrics.watchStateSync(() => fetching.progress);
    stopping.addEventListener('abort', () => fetching.close());
    if (stopping.aborted || (await fetching.run()) === undefined) return false;
    const { receivedBytes } = network.traffic;
    log.info({ receivedBytes }, 'all ranges have come');
    return true;
  } finally {
    await network.close();
  }
}

/** The store is made anew from all ranges, whatever a kill has left of an earlier one. */
async function installState(place: Place, state: FetchedState): Promise<number> {
  const { config, chainId, parameters, manifest, log } = place;
  const mode = config.storage.mode === 'pruned' ? 'pruned' : 'full';
  const directory = join(place.directory, 'chain');
  rmSync(directory, { recursive: true, force: true });
  await makeDirectory(directory);
  const { cut, files } = state.whole;
  const { bytes, outputs } = files;
  log.info({ bytes, outputs }, PUTTING);
  const report = new ImportReport(SYSTEM_CLOCK, (percent) => log.info({ percent }, PUTTING));
  const level = await ChecksummedStore.open(join(directory, 'db'));
  try {
    await importRanges(level, files, cut, {
      chainId,
      mode,
      directory,
      // The cut was believed before its first range came, and the state must have its root.
      checkCertificate: () => {},
      onProgress: ({ outputsRead, outputsPlaced }) => {
        report.report(outputsRead / outputs, outputsPlaced / outputs);
      },
    });
  } finally {
    await level.close();
  }
  const store = await openStore({ directory, chainId, parameters, mode });
  try {
    await expectProven(store, { manifest });
  } finally {
    await store.close();
  }
  return files.manifest.height;
}

/** What was fetched is what others fetch; the chain does not depend on it. */
async function keepForOthers({ config, directory, log }: Place, height: number): Promise<void> {
  if (config.storage.stateEveryCuts === 0) return;
  const states = join(config.dataDir, 'states');
  try {
    await makeDirectory(states);
    await moveFolder(join(directory, 'fetched'), join(states, String(height)));
  } catch (error) {
    log.warn({ height, reason: messageOf(error) }, 'the state is not kept for newcomers');
  }
}
