/**
 * Starts a validator on a node: its files and key lock are opened, and chain, blocks, clock and messages of the node
 * become the ports of `svc-validator`.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
import { FileLog } from './file-log.ts';
import { FileSignState } from './file-sign-state.ts';
import { SocketKeyLock } from './key-lock.ts';
import { isOlderThanChain } from './record-age.ts';
import { WireCodec } from './wire-codec.ts';

export interface NodeValidatorOptions {
  readonly chain: ChainCore;
  readonly blocks: ValidatorBlocks;
  readonly overlay: ValidatorOverlay;
  readonly key: ValidatorKey;
  /** `<data>/validator/<name>`. */
  readonly directory: string;
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
  const { chain, directory, relay, ...rest } = options;
  const { wire } = chain;
  const port = new ChainPort(chain);
  expectRecordOfNow(port, options.key, directory);
  return Validator.start({
    ...rest,
    checks: options.checks ?? new LocalVoteChecks(wire.chainId),
    chain: port,
    codec: new WireCodec(wire),
    files: await openFiles(directory, options.key, wire),
    soon: (call) => void setImmediate(call),
    random: Math.random,
    ...(relay === undefined ? {} : { peers: relay }),
  });
}

/** Refuses a record that was put back from a copy, whatever the log beside it says. */
function expectRecordOfNow(chain: ChainPort, key: ValidatorKey, directory: string): void {
  const bytes = existsSync(directory) ? new FileSignState(directory).read() : undefined;
  const record = bytes === undefined ? undefined : decodeSignState(bytes);
  if (record === undefined || !equalBytes(record.keyId, key.id)) return;
  const { head, headCertificate } = chain;
  if (isOlderThanChain(record, headCertificate, indexIn(chain.setAt(head.height), key)))
    throw new ValidatorStartError('sign_state_rolled_back', directory);
}

async function openFiles(
  directory: string,
  key: ValidatorKey,
  wire: WireContext,
): Promise<ValidatorFiles> {
  const lock = await SocketKeyLock.claim(key.id, wire.chainId);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const log = new FileLog(join(directory, 'log'));
    const cuts = new FileLog(join(directory, 'cuts'));
    const records = new HeightFiles({ wire, log, cuts });
    const votes = [0, 1].map((turn) => new FileLog(join(directory, `votes-${turn}`)));
    const conflicts = new FileLog(join(directory, 'evidence'));
    const evidence = new EvidenceFiles({ wire, votes: votes as [FileLog, FileLog], conflicts });
    const signState = new FileSignState(directory);
    return { place: directory, lock, signState, records, evidence };
  } catch (error) {
    lock.release();
    throw error;
  }
}
