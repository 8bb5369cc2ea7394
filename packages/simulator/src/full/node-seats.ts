/**
 * The consensus keys of one simulated process: one, or two beside each other while the key is rotated, as a node runs
 * them. Each key has files of its own; in networks with short epochs a validator sends heartbeats too.
 */
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import { decodeSignState, SILENT_FOR_GOOD, type SignedMessage } from 'svc-consensus/machine';
import {
  EvidenceFiles,
  type HeartbeatChain,
  type HeartbeatMempool,
  HeartbeatSender,
  HeightFiles,
  isReplaced,
  LocalVoteChecks,
  type MessageCodec,
  type SignStateChoice,
  Validator,
  type ValidatorBlocks,
  type ValidatorKey,
  type ValidatorOverlay,
} from 'svc-consensus/shell';
import {
  AwaitedRegistration,
  type ChainCore,
  ChainPort,
  HeartbeatChainPort,
  type RotatingSeat,
  RotatingSeats,
  SharedOverlay,
  type TransactionPool,
} from 'svc-node/chain';
import type { ByteDisk } from './byte-disk.ts';
import type { NodePeers } from './node-peers.ts';
import type { NodeRules } from './node-rules.ts';

export interface NodeSeatsPorts {
  readonly place: string;
  readonly chain: ChainCore;
  readonly blocks: ValidatorBlocks;
  readonly mempool: TransactionPool | undefined;
  readonly peers: NodePeers | undefined;
  readonly overlay: ValidatorOverlay;
  readonly codec: MessageCodec;
  readonly disk: ByteDisk;
  readonly clock: Clock;
  readonly rules: NodeRules;
  readonly random: () => number;
  /** The turn of the world does not end before this promise has settled. */
  readonly await: (promise: Promise<unknown>) => void;
  readonly onEffect: () => void;
  readonly onSigned: (message: SignedMessage, key: ValidatorKey) => void;
  readonly onFatal: (error: unknown) => void;
}

interface NodeSeatsOptions {
  readonly key: ValidatorKey;
  /** The record of the key is gone with the disk. */
  readonly hasLostDisk: boolean;
  /** Its file is there from the beginning; undefined if the key is not rotated. */
  readonly next: ValidatorKey | undefined;
  /** Pays for heartbeats; undefined if none are sent. */
  readonly feeKey: ValidatorKey | undefined;
}

const HEARTBEAT_FEE_MAX = 10_000_000n;

export class NodeSeats {
  readonly #ports: NodeSeatsPorts;
  readonly #overlay: SharedOverlay;
  readonly #drivers = new Map<string, Validator>();
  readonly #seats: RotatingSeats;
  readonly #heartbeats: HeartbeatSender | null;
  #waiting: AwaitedRegistration | undefined;
  #endRotation: () => void = () => {};

  constructor(ports: NodeSeatsPorts, options: NodeSeatsOptions) {
    const { chain, disk, rules, clock } = ports;
    const { key, next, hasLostDisk, feeKey } = options;
    this.#ports = ports;
    this.#overlay = new SharedOverlay(ports.overlay);
    const isOver = next !== undefined && (isReplaced(chain.view, key) || isRetired(disk, key));
    const first = isOver ? next : key;
    const isNew = disk.filesOf(first).signState.read() === undefined;
    const firstRecord = hasLostDisk
      ? 'new'
      : rules.keys.firstRecordOf(clock.now() - chain.genesis.timeMillis);
    const signState = isNew ? firstRecord : 'existing';
    const driver = this.#startDriver(first, signState, next !== undefined);
    const heartbeatKeys = [first];
    this.#heartbeats = feeKey === undefined ? null : this.#startHeartbeats(heartbeatKeys, feeKey);
    const seat = { key: first, heartbeatKeys, driver, heartbeats: this.#heartbeats };
    this.#seats = new RotatingSeats(chain, rules.keys.seatOf(seat), SILENT_LOG);
    if (next !== undefined && first !== next) this.#awaitNext(next);
  }

  /** Of the key that signs now. */
  get status(): Validator['status'] {
    return this.#seats.driver.status;
  }

  get heartbeats(): HeartbeatSender | null {
    return this.#heartbeats;
  }

  /** Whether a key has a validator that has not ended. */
  isRunning({ keyHash }: ValidatorKey): boolean {
    const driver = this.#drivers.get(keyHash);
    return driver !== undefined && !isRetired(this.#ports.disk, { keyHash });
  }

  close(): void {
    this.#waiting?.close();
    this.#endRotation();
    for (const driver of this.#drivers.values()) driver.close();
    this.#heartbeats?.close().catch(() => {});
  }

  /** As a running node does once it has found the file of the next key. */
  #awaitNext(key: ValidatorKey): void {
    const { chain, peers, clock, rules, onFatal } = this.#ports;
    const isCurrent = () => peers?.isCurrent !== false;
    const ports = { chain, isCurrent, key, clock, log: SILENT_LOG };
    this.#waiting = new AwaitedRegistration(ports);
    this.#waiting.registered
      .then((proof) => {
        const driver = this.#startDriver(key, rules.keys.recordOf(proof), true);
        const seat: RotatingSeat = { key, heartbeatKeys: [key], driver, heartbeats: null };
        this.#endRotation = this.#seats.add(rules.keys.seatOf(seat));
      })
      .catch(onFatal);
  }

  #startDriver(key: ValidatorKey, signState: SignStateChoice, isRotated: boolean): Validator {
    const { chain, peers, clock, rules, blocks, codec, onFatal, onEffect, onSigned } = this.#ports;
    const { wire } = chain;
    const { log, cuts, votes, conflicts, signState: record } = this.#ports.disk.filesOf(key);
    const port = new ChainPort(chain);
    const driver = Validator.start<Uint8Array>({
      chain: isRotated ? rules.keys.chainOf(port) : port,
      blocks,
      key,
      ...(peers === undefined ? {} : { peers, isCurrent: () => peers.isCurrent }),
      files: {
        place: this.#ports.place,
        lock: { acquire: () => true, release: () => {} },
        signState: record,
        records: new HeightFiles({ wire, log, cuts }),
        evidence: new EvidenceFiles({ wire, votes, conflicts }),
      },
      signState,
      clock,
      soon: (call) => void clock.after(0, call),
      random: this.#ports.random,
      log: SILENT_LOG,
      onFatal,
      checks: new LocalVoteChecks(wire.chainId),
      codec,
      overlay: this.#overlay.join(),
      probe: { onEffect, onSigned: (message) => onSigned(message, key) },
    });
    this.#drivers.set(key.keyHash, driver);
    return driver;
  }

  #startHeartbeats(keys: readonly ValidatorKey[], feeKey: ValidatorKey): HeartbeatSender | null {
    const { chain, mempool, disk, onFatal } = this.#ports;
    if (mempool === undefined) return null;
    return new HeartbeatSender({
      chain: this.#heartbeatChain(new HeartbeatChainPort(chain)),
      mempool: this.#heartbeatMempool(mempool),
      validatorId: null,
      keys: () => keys,
      feeKey,
      maxFeeAtoms: HEARTBEAT_FEE_MAX,
      feeRatePerMass: null,
      store: disk.heartbeat,
      log: SILENT_LOG,
      onFatal,
    });
  }

  #heartbeatChain(port: HeartbeatChainPort): HeartbeatChain {
    const coinsOf = port.coinsOf.bind(port);
    port.coinsOf = (address) => this.#awaited(coinsOf(address));
    return port;
  }

  #heartbeatMempool(mempool: TransactionPool): HeartbeatMempool {
    return {
      submit: (wire, origin) => this.#awaited(mempool.submit(wire, origin)),
      get: (id) => mempool.get(id),
      spenderOf: (outpoint) => mempool.spenderOf(outpoint),
    };
  }

  #awaited<T>(promise: Promise<T>): Promise<T> {
    this.#ports.await(promise.catch(() => {}));
    return promise;
  }
}

function isRetired(disk: ByteDisk, key: Pick<ValidatorKey, 'keyHash'>): boolean {
  const bytes = disk.filesOf(key).signState.read();
  const record = bytes === undefined ? undefined : decodeSignState(bytes);
  return record?.silentThrough === SILENT_FOR_GOOD;
}
