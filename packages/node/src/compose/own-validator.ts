/**
 * The validator that a node's configuration asks for: its keys from their files, its way to the others, and what
 * it may take for granted of its own past.
 */
import { join } from 'node:path';
import type { Clock, Log } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import {
  holderOf,
  indexIn,
  type SeatKey,
  type SignStateChoice,
  ValidatorHistoryError,
  type ValidatorOverlay,
} from 'svc-consensus/shell';
import { isCurrent, type Relay } from 'svc-serve/ports';
import type { ChainCore } from '../chain/chain-core.ts';
import { type NodeConfig, wantsPeers } from '../config/node-config.ts';
import { readConsensusKeyFile, readFeeKeyFile } from '../validator/key-files.ts';
import { LocalHub } from '../validator/local-overlay.ts';
import { SharedOverlay } from '../validator/shared-overlay.ts';
import { recordFolderOf } from '../validator/validator-disk.ts';
import { AwaitedRegistration } from './await-registration.ts';
import type { NodeCore } from './node-core.ts';
import type { Seat, SeatHeartbeat } from './seats.ts';

export interface OwnKeys {
  readonly key: SeatKey;
  readonly heartbeat: SeatHeartbeat | null;
}

export interface OwnValidatorOptions {
  readonly config: NodeConfig;
  readonly keys: OwnKeys;
  readonly core: NodeCore;
  /** The operator asked to begin a new record of what the key signed. */
  readonly newSignState: boolean;
  /** Tells whether the genesis time has passed. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Reads the keys of the validator; null if the node has none. Refuses files that others can read. */
export function readOwnKeys(config: NodeConfig): OwnKeys | null {
  const { validator, network } = config;
  if (validator === null || validator.signer !== null) return null;
  return { key: readConsensusKeyFile(validator, network), heartbeat: readHeartbeat(config) };
}

/** What pays for heartbeats; null if they are sent by hand. */
export function readHeartbeat({ validator, network }: NodeConfig): SeatHeartbeat | null {
  const heartbeat = validator?.heartbeat ?? null;
  if (heartbeat === null) return null;
  const { validatorId, maxFeeAtoms, feeRatePerMass } = heartbeat;
  return { validatorId, feeKey: readFeeKeyFile(heartbeat, network), maxFeeAtoms, feeRatePerMass };
}

/** Whether the seat can only be opened later: validators are reached by their registration, and there is none. */
export function mustWait({ config, keys, core }: OwnValidatorOptions): boolean {
  const { key, heartbeat } = keys;
  const isNamed = (heartbeat?.validatorId ?? null) !== null;
  return wantsPeers(config.peers) && !isNamed && holderOf(core.chain.view, key) === null;
}

/** `proof` is given after a wait for the registration: what the chain has shown of the key's past. */
export async function openOwnSeat(
  wish: OwnValidatorOptions,
  closing: AsyncDisposableStack,
  proof?: SignStateChoice,
): Promise<Seat> {
  const { keys, core, newSignState, clock, config } = wish;
  const { key, heartbeat } = keys;
  const { chain } = core;
  expectFromGenesis(chain);
  const signState = newSignState ? 'new' : (proof ?? signStateOf(chain, key, clock));
  const name = recordFolderOf(join(config.dataDir, 'validator'), key);
  const seat = { name, key, heartbeat, signState };
  const validatorId = heartbeat?.validatorId ?? holderOf(chain.view, key);
  if (validatorId !== null && wantsPeers(config.peers))
    return { ...seat, ...(await openOverlay(wish, validatorId, closing)) };
  return { ...seat, ...shared(new LocalHub(SYSTEM_CLOCK).join(validatorId ?? key.keyHash)) };
}

function shared(overlay: ValidatorOverlay): Pick<Seat, 'overlay' | 'shareOverlay'> {
  const sharing = new SharedOverlay(overlay);
  return { overlay: sharing.join(), shareOverlay: () => sharing.join() };
}

/** Waits until a validator of the chain holds the key, then opens its seat. */
export async function openWhenRegistered(
  wish: OwnValidatorOptions,
  relay: Relay,
  closing: AsyncDisposableStack,
): Promise<Seat> {
  const { keys, core, clock, log } = wish;
  const { chain } = core;
  expectFromGenesis(chain);
  const part = log.part('validator');
  const waiting = new AwaitedRegistration({
    chain,
    isCurrent: () => isCurrent(chain, relay),
    key: keys.key,
    clock,
    log: part,
  });
  closing.defer(() => waiting.close());
  return openOwnSeat(wish, closing, await waiting.registered);
}

/** Refuses a store from a snapshot or a pruned one: a validator has executed every cut itself. */
function expectFromGenesis({ retention }: ChainCore): void {
  const { firstHeight, indexedFrom } = retention;
  if (firstHeight <= 1 && indexedFrom <= 1) return;
  throw new ValidatorHistoryError(
    `this node has nothing before cut ${Math.max(firstHeight, indexedFrom)}: it started from a snapshot or was pruned, and a validator syncs from the genesis; start with an empty data directory and keep the folders validator and network`,
  );
}

/**
 * A record of signatures may be missing only if the key cannot have signed: the chain has not begun, or the key
 * is the whole committee and no other node has seen its cuts.
 */
function signStateOf(chain: ChainCore, key: SeatKey, clock: Clock): SignStateChoice {
  const { validators } = chain.next;
  const isWhole = validators.validators.length === 1 && indexIn(validators, key) === 0;
  return isWhole || clock.now() < chain.genesis.timeMillis ? 'first' : 'existing';
}

async function openOverlay(
  { config, core, log }: OwnValidatorOptions,
  validatorId: string,
  closing: AsyncDisposableStack,
): Promise<Pick<Seat, 'overlay' | 'shareOverlay' | 'onStarted' | 'traffic'>> {
  const { OverlayNetwork } = await import('../network/overlay-network.ts');
  const overlay = await OverlayNetwork.open({
    chain: core.chain,
    checks: { verify: (messages) => core.workers.checkMessages(messages) },
    directory: join(config.dataDir, 'network', 'validator-overlay'),
    validatorId,
    listen: config.validatorOverlay.listen,
    announcedRoutes: config.validatorOverlay.announcedRoutes.map(({ host, port }) => {
      return { host, port, tcp: true, quic: false };
    }),
    // Others may look for a validator with a remote signer where the node before this one was.
    ...(config.validator?.signer ? { dialBackMillis: 0 } : {}),
    clock: SYSTEM_CLOCK,
    log: log.part('overlay'),
  });
  // The node may have ended meanwhile, and a stack that is disposed of takes nothing more.
  if (closing.disposed) await overlay.close();
  closing.defer(() => overlay.close());
  await overlay.start();
  return {
    ...shared(overlay),
    onStarted: (driver) => overlay.useRound(() => driver.status.round),
    traffic: () => overlay.traffic,
  };
}
