/**
 * Starts a validator on a node: its files and key lock are opened, and chain, blocks, clock and messages of the node
 * become the ports of `svc-validator`.
 */
import type { Clock, Log } from 'svc-base/pure';
import { decodeSignState, type WireContext } from 'svc-finality';
import {
  EvidenceFiles,
  HeightFiles,
  indexIn,
  LocalVoteChecks,
  type SignStateChoice,
  Validator,
  type ValidatorBlocks,
  type ValidatorFaults,
  type ValidatorFiles,
  type ValidatorKey,
  type ValidatorOverlay,
  ValidatorStartError,
  type VoteChecks,
} from 'svc-validator';
import { equalBytes } from 'svc-wasm/base';
import type { ChainCore } from '../chain/chain-core.ts';
import type { Relay } from '../ports/relay.ts';
import { ChainPort } from './chain-port.ts';
import { SocketKeyLock } from './key-lock.ts';
import { isOlderThanChain } from './record-age.ts';
import type { ValidatorDisk } from './validator-disk.ts';
import { WireCodec } from './wire-codec.ts';

export interface NodeValidatorOptions {
  readonly chain: ChainCore;
  readonly blocks: ValidatorBlocks;
  readonly overlay: ValidatorOverlay;
  readonly key: ValidatorKey;
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
  const { chain, disk, relay, ...rest } = options;
  const { wire } = chain;
  const port = new ChainPort(chain);
  expectRecordOfNow(port, options.key, disk);
  return Validator.start({
    ...rest,
    checks: options.checks ?? new LocalVoteChecks(wire.chainId),
    chain: port,
    codec: new WireCodec(wire),
    files: await openFiles(disk, options.key, wire),
    soon: (call) => void setImmediate(call),
    random: Math.random,
    ...(relay === undefined ? {} : { peers: relay }),
  });
}

/** Refuses a record that was put back from a copy, whatever the log beside it says. */
function expectRecordOfNow(chain: ChainPort, key: ValidatorKey, disk: ValidatorDisk): void {
  const bytes = disk.signState.read();
  const record = bytes === undefined ? undefined : decodeSignState(bytes);
  if (record === undefined || !equalBytes(record.keyId, key.id)) return;
  const { head, headCertificate } = chain;
  if (isOlderThanChain(record, headCertificate, indexIn(chain.setAt(head.height), key)))
    throw new ValidatorStartError('sign_state_rolled_back', disk.place);
}

async function openFiles(
  disk: ValidatorDisk,
  key: ValidatorKey,
  wire: WireContext,
): Promise<ValidatorFiles> {
  const lock = await SocketKeyLock.claim(key.id, wire.chainId);
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
