/**
 * The validators that run inside a node: none, one, or the several of a development network.
 */
import type { Clock, Log } from 'svc-base/pure';
import {
  HeartbeatSender,
  type SeatKey,
  type SignerLease,
  type SignStateChoice,
  type Validator,
  type ValidatorFaults,
  type ValidatorKey,
  type ValidatorOverlay,
} from 'svc-consensus/shell';
import { isCurrent, NO_PEERS, type Relay } from 'svc-serve/ports';
import { HeartbeatChainPort } from '../validator/heartbeat-chain.ts';
import { startNodeValidator } from '../validator/start-validator.ts';
import type { ValidatorDisk } from '../validator/validator-disk.ts';
import type { NodeCore } from './node-core.ts';

export interface SeatHeartbeat {
  /** The one that holds the consensus key if null. */
  readonly validatorId: string | null;
  readonly feeKey: ValidatorKey;
  readonly maxFeeAtoms: bigint;
  /** The lowest rate that the network accepts if null. */
  readonly feeRatePerMass: bigint | null;
}

export interface Seat {
  /** Names the folder of its sign state. */
  readonly name: string;
  readonly key: SeatKey;
  /** The key is with a remote signer. */
  readonly lease?: SignerLease;
  /** The seat is left when this settles; it stays for good if absent. */
  readonly until?: Promise<void>;
  /** What ends with the seat; with the node if absent. */
  readonly closing?: AsyncDisposableStack;
  readonly overlay: ValidatorOverlay;
  /** A further way onto the same overlay, for the key that follows this one. */
  readonly shareOverlay?: () => ValidatorOverlay;
  /** Whether the key follows that of the node's first seat by a rotation: both belong to one validator. */
  readonly isNext?: boolean;
  readonly signState: SignStateChoice;
  /** Null if heartbeats are sent by hand. */
  readonly heartbeat: SeatHeartbeat | null;
  readonly faults?: ValidatorFaults;
  readonly onStarted?: (driver: Validator) => void;
  readonly onRunning?: (seat: RunningSeat) => void;
  /** Bytes exchanged with other validators over connections of this seat; absent if it has none. */
  readonly traffic?: () => SeatTraffic;
}

export interface SeatTraffic {
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

const NO_TRAFFIC: SeatTraffic = { receivedBytes: 0, sentBytes: 0 };

export interface SeatPorts {
  readonly core: NodeCore;
  readonly relay: Relay;
  readonly clock: Clock;
  readonly log: Log;
  readonly onNewRules: (height: number) => void;
  readonly onFatal: (error: unknown) => void;
}

/** A validator at work: it signs cuts and tells the chain in each epoch that it is there. */
export class RunningSeat {
  readonly key: SeatKey;
  /** Keys that sign heartbeats: that of the seat, and those that follow it. */
  readonly heartbeatKeys: SeatKey[];
  readonly driver: Validator;
  readonly heartbeats: HeartbeatSender | null;
  readonly traffic: () => SeatTraffic;

  static async start(seat: Seat, ports: SeatPorts): Promise<RunningSeat> {
    const disk = ports.core.disks.validator(seat.name);
    const driver = await startDriver(seat, disk, ports);
    seat.onStarted?.(driver);
    const heartbeatKeys = [seat.key];
    const heartbeats = startHeartbeats(seat, { disk, heartbeatKeys }, ports);
    const running = new RunningSeat(seat, driver, { heartbeats, heartbeatKeys });
    seat.onRunning?.(running);
    return running;
  }

  private constructor(
    { key, traffic = () => NO_TRAFFIC }: Seat,
    driver: Validator,
    { heartbeats, heartbeatKeys }: Pick<RunningSeat, 'heartbeats' | 'heartbeatKeys'>,
  ) {
    this.key = key;
    this.heartbeatKeys = heartbeatKeys;
    this.driver = driver;
    this.traffic = traffic;
    this.heartbeats = heartbeats;
  }

  async close(): Promise<void> {
    this.driver.close();
    await this.heartbeats?.close();
  }
}

function startDriver(
  { key, lease, overlay, signState, faults }: Seat,
  disk: ValidatorDisk,
  { core, relay, clock, log, onNewRules, onFatal }: SeatPorts,
): Promise<Validator> {
  const { chain, proposalBlocks, workers } = core;
  return startNodeValidator({
    key,
    overlay,
    signState,
    ...(lease === undefined ? {} : { lease }),
    ...(faults === undefined ? {} : { faults }),
    ...(mayBeBehind(chain, relay) ? { isCurrent: () => isCurrent(chain, relay) } : {}),
    chain,
    blocks: proposalBlocks,
    relay,
    checks: {
      learnSet: (encoded) => workers.learnSet(encoded),
      verify: (messages) => workers.checkMessages(messages),
    },
    disk,
    clock,
    log: log.part('validator'),
    onNewRules,
    onFatal,
  });
}

/** Whether others may be ahead; a validator that decides alone is never behind. */
export function mayBeBehind({ next }: NodeCore['chain'], relay: Relay): boolean {
  return relay !== NO_PEERS && next.validators.validators.length > 1;
}

function startHeartbeats(
  { heartbeat }: Seat,
  { disk, heartbeatKeys }: { disk: ValidatorDisk; heartbeatKeys: readonly SeatKey[] },
  { core, log, onFatal }: SeatPorts,
): HeartbeatSender | null {
  if (heartbeat === null) return null;
  const { chain, mempool } = core;
  return new HeartbeatSender({
    ...heartbeat,
    chain: new HeartbeatChainPort(chain),
    mempool,
    keys: () => heartbeatKeys,
    store: disk.heartbeats,
    log: log.part('validator'),
    onFatal,
  });
}
