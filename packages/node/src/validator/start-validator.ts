/**
 * Starts a validator on a node: its files and key lock are opened, and chain, blocks, clock and messages of the node
 * become the ports of `svc-consensus/shell`.
 */
import { mkdirSync } from 'node:fs';
import type { Clock, Log } from 'svc-base/pure';
import {
  type CommitCertificate,
  type ConsensusKey,
  decodeSignState,
  height,
  isBitSet,
  type KeyLock,
  openSigner,
  type SignState,
  type WireContext,
} from 'svc-consensus/machine';
import {
  EvidenceFiles,
  HeightFiles,
  indexIn,
  LocalVoteChecks,
  type SeatKey,
  type SignerLease,
  type SignStateChoice,
  Validator,
  type ValidatorBlocks,
  type ValidatorFaults,
  type ValidatorFiles,
  type ValidatorOverlay,
  ValidatorStartError,
  type VoteChecks,
} from 'svc-consensus/shell';
import { FileSignState, SocketKeyLock } from 'svc-consensus/signer';
import type { Relay } from 'svc-serve/ports';
import { equalBytes } from 'svc-wasm/base';
import type { ChainCore } from '../chain/chain-core.ts';
import { ChainPort } from './chain-port.ts';
import type { ValidatorDisk } from './validator-disk.ts';
import { WireCodec } from './wire-codec.ts';

type Record = Pick<SignState, 'silentThrough' | 'last'>;
type Certificate = Pick<CommitCertificate, 'height' | 'signers'>;

/** `certificate` is that of the head, `own` the key's place in the set that signed it. */
export function isOlderThanChain(
  record: Record,
  certificate: Certificate | undefined,
  own: number | undefined,
): boolean {
  if (certificate === undefined || own === undefined) return false;
  if (!isBitSet(certificate.signers, own)) return false;
  const { height } = certificate;
  // A new record that is still silent reaches no signature of the lost one, and says so.
  return record.silentThrough < height && (record.last?.height ?? 0) < height;
}

/** `key` has just been made and has never left this process. `directory` has no record yet. */
export function beginRecord(directory: string, key: ConsensusKey): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = { acquire: () => true, release: () => {} };
  const opened = openSigner(
    { storage: new FileSignState(directory), lock, key },
    { chainHeight: height(0), newSignState: true, firstUse: true },
  );
  if (opened.type === 'refused')
    throw new Error(`${directory}: no record of signatures can be begun: ${opened.reason}`);
  opened.signer.close();
}

export interface NodeValidatorOptions {
  readonly chain: ChainCore;
  readonly blocks: ValidatorBlocks;
  readonly overlay: ValidatorOverlay;
  readonly key: SeatKey;
  /** The key is with a remote signer, which keeps the record too. */
  readonly lease?: SignerLease;
  readonly disk: ValidatorDisk;
  readonly signState: SignStateChoice;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
  /** Checks signatures elsewhere; in this thread if absent. */
  readonly checks?: VoteChecks;
  readonly isCurrent?: () => boolean;
  readonly onNewRules?: (height: number) => void;
  /** Ordinary peers, asked for blocks that no validator gave. */
  readonly relay?: Relay;
  /** Refused on every network but the development network. */
  readonly faults?: ValidatorFaults;
}

/** Throws a `ValidatorStartError` that says what to do. */
export async function startNodeValidator(options: NodeValidatorOptions): Promise<Validator> {
  const { chain, relay, lease, ...rest } = options;
  const { wire } = chain;
  const port = new ChainPort(chain);
  const disk = lease === undefined ? options.disk : leasedDisk(options.disk, lease);
  expectRecordOfNow(port, options.key, disk);
  if (disk.lock !== undefined && port.network !== 'development')
    throw new Error('disks with a lock of their own are for the development network');
  const lock = lease === undefined ? (disk.lock ?? (await claimKey(options, disk))) : lockOf(lease);
  return Validator.start({
    ...rest,
    checks: options.checks ?? new LocalVoteChecks(wire.chainId),
    chain: port,
    codec: new WireCodec(wire),
    files: openFiles(disk, lock, wire),
    ...(lease === undefined ? {} : { remoteSigner: lease }),
    soon: (call) => void setImmediate(call),
    random: Math.random,
    ...(relay === undefined ? {} : { peers: relay }),
  });
}

async function claimKey(
  { key, chain, log, clock }: NodeValidatorOptions,
  disk: ValidatorDisk,
): Promise<KeyLock> {
  const { id, proveHeld } = key;
  if (proveHeld === undefined) throw new Error('a key that is elsewhere is locked there');
  const { chainId } = chain.wire;
  const held = { id, proveHeld: (challenge: Uint8Array) => proveHeld.call(key, challenge) };
  return await SocketKeyLock.claim({ key: held, chainId, folder: disk.place, log, clock });
}

/** Refuses a record that was put back from a copy, whatever the log beside it says. */
function expectRecordOfNow(chain: ChainPort, key: SeatKey, disk: ValidatorDisk): void {
  const bytes = disk.signState.read();
  const record = bytes === undefined ? undefined : decodeSignState(bytes);
  if (record === undefined || !equalBytes(record.keyId, key.id)) return;
  const { head, headCertificate } = chain;
  if (isOlderThanChain(record, headCertificate, indexIn(chain.setAt(head.height), key)))
    throw new ValidatorStartError('sign_state_rolled_back', disk.place);
}

/** The record is the one that the signer shows; everything else of the height in progress is the node's own. */
function leasedDisk(disk: ValidatorDisk, { storage }: SignerLease): ValidatorDisk {
  const { place, heartbeats } = disk;
  return {
    ...{ place, heartbeats },
    signState: storage,
    open: () => disk.open(),
    openLog: (name) => disk.openLog(name),
  };
}

/** The signer lets one node at a time have the key. */
function lockOf(lease: SignerLease): KeyLock {
  return { acquire: () => true, release: () => lease.end('the validator has ended') };
}

function openFiles(disk: ValidatorDisk, lock: KeyLock, wire: WireContext): ValidatorFiles {
  try {
    disk.open();
    const records = new HeightFiles({ wire, log: disk.openLog('log'), cuts: disk.openLog('cuts') });
    const votes = [disk.openLog('votes-0'), disk.openLog('votes-1')] as const;
    const evidence = new EvidenceFiles({ wire, votes, conflicts: disk.openLog('evidence') });
    return { place: disk.place, lock, signState: disk.signState, records, evidence };
  } catch (error) {
    lock.release();
    throw error;
  }
}
