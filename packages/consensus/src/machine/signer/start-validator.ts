/**
 * How a validator starts: the log of the height is read and replayed, the sign state is opened, and the two are
 * compared. A mismatch is refused with its reason: a validator that stays away costs the others little, one that
 * signs what it forgot costs its bond.
 */
import { type LogReading, readLog } from 'svc-base/pure';
import { SvcError } from 'svc-wasm/base';
import type { SignedMessage, UnsignedMessage } from '../base/messages.ts';
import type { CutId } from '../base/types.ts';
import type { PreviousCommits } from '../keeper/previous-commits.ts';
import type { Recovery } from '../step/recover.ts';
import { recover } from '../step/recover.ts';
import type { HeightContext } from '../step/state.ts';
import type { Rules } from '../step/transition.ts';
import type { LoggedInput } from '../wire/log-input.ts';
import { decodeInput } from '../wire/log-input.ts';
import { signedBytesOf } from '../wire/signed-message.ts';
import type { WireContext } from '../wire/wire-context.ts';
import type { SignPosition, SignRequest } from './sign-state.ts';
import { comparePositions, signStepOf } from './sign-state.ts';
import type { OpenFault, OpenOptions, Signer, SignerPorts } from './signer.ts';
import { openSigner } from './signer.ts';

export type StartFault =
  | OpenFault
  /** A record that was on disk is damaged, or records are missing in the middle. */
  | 'log_rotten_record'
  | 'log_wrong_sequence'
  /** A record is intact but is no input of this release, chain or validator set. */
  | 'log_undecodable'
  | 'log_of_another_validator'
  /** The chain's store is older than the log. */
  | 'log_ahead_of_chain';

/** The inputs of a log in their order, up to where it is intact, or why it is not to be trusted. */
export type FoundLog =
  | {
      readonly type: 'read';
      readonly inputs: readonly LoggedInput[];
      readonly intactBytes: number;
    }
  | { readonly type: 'refused'; readonly reason: StartFault };

export interface LogSources {
  readonly ports: SignerPorts;
  readonly options: Omit<OpenOptions, 'lastLogged'>;
  readonly log: FoundLog;
  /** The bytes that the key signs for a message. */
  readonly signedBytes: (message: UnsignedMessage) => Uint8Array;
  /** What the chain says about the height in progress. */
  readonly context: HeightContext;
  readonly previous: PreviousCommits | undefined;
  readonly holdsCut: (value: CutId) => boolean;
  /** The rules that the log was written under; those of the main network unless said otherwise. */
  readonly rules?: Rules;
  /** Replays the log; a simulation passes a broken function. */
  readonly recover?: typeof recover;
}

export interface StartSources extends Omit<LogSources, 'log' | 'signedBytes'> {
  readonly wire: WireContext;
  /** The bytes of the log; none if there is no file. */
  readonly log: Uint8Array;
}

export type StartResult =
  | { readonly type: 'refused'; readonly reason: StartFault }
  | {
      readonly type: 'started';
      readonly signer: Signer;
      /** `silent`: the log does not account for the last signature; nothing is signed this height. */
      readonly signing: 'resumed' | 'silent';
      /** The state played back; `undefined` if the height begins with a new log. */
      readonly recovered: Recovery | undefined;
      /** The log is to be truncated to this length, durably, before it is written to. */
      readonly intactBytes: number;
      readonly intactRecords: number;
    };

/** Starts from the bytes of a log. */
export function startValidator({ wire, log, ...sources }: StartSources): StartResult {
  const signedBytes = (message: UnsignedMessage) => signedBytesOf(wire, message);
  return startFromLog({ ...sources, signedBytes, log: readInputs(wire, log) });
}

/** Starts from a log that has been read. */
export function startFromLog(sources: LogSources): StartResult {
  const { log, context } = sources;
  if (log.type === 'refused') return log;
  const fault = checkContext(log.inputs, context);
  if (fault !== undefined) return refuse(fault);
  const lastLogged = lastSigned(log.inputs);
  const options = lastLogged === undefined ? sources.options : { ...sources.options, lastLogged };
  const opened = openSigner(sources.ports, options);
  if (opened.type === 'refused') return opened;
  return resume(sources, opened.signer, log);
}

function resume(
  sources: LogSources,
  signer: Signer,
  { inputs, intactBytes }: Extract<FoundLog, { type: 'read' }>,
): StartResult {
  const { context, previous, holdsCut, signedBytes, rules } = sources;
  const play = sources.recover ?? recover;
  const isCurrent = startOf(inputs)?.height === context.height;
  const recovered = isCurrent ? play({ log: inputs, previous, holdsCut }, rules) : undefined;
  const asked = (recovered?.asked ?? []).map((message) => requestOf(message, signedBytes));
  return {
    type: 'started',
    signer,
    signing: signer.resume(context.height, asked),
    recovered,
    intactBytes: isCurrent ? intactBytes : 0,
    intactRecords: isCurrent ? inputs.length : 0,
  };
}

/** Reads the inputs from the bytes of a log. */
export function readInputs(wire: WireContext, bytes: Uint8Array): FoundLog {
  const reading = readLog(bytes);
  if (reading.type === 'refused') return { type: 'refused', reason: `log_${reading.reason}` };
  const inputs = decodeLog(reading, wire);
  if (inputs === undefined) return { type: 'refused', reason: 'log_undecodable' };
  return { type: 'read', inputs, intactBytes: reading.intactBytes };
}

function decodeLog(
  reading: Extract<LogReading, { type: 'read' }>,
  wire: WireContext,
): LoggedInput[] | undefined {
  try {
    const log = reading.records.map(({ payload }) => decodeInput(wire, payload));
    return log.length > 0 && startOf(log) === undefined ? undefined : log;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

/** A log of an earlier height is left over from a crash between a decision and the next height. */
function checkContext(log: readonly LoggedInput[], context: HeightContext): StartFault | undefined {
  const start = startOf(log);
  if (start === undefined || start.height < context.height) return undefined;
  if (start.height > context.height) return 'log_ahead_of_chain';
  const isOurs = start.self === context.self && start.set.id === context.set.id;
  return isOurs ? undefined : 'log_of_another_validator';
}

function startOf(log: readonly LoggedInput[]): HeightContext | undefined {
  const [first] = log;
  return first?.type === 'startHeight' ? first.context : undefined;
}

function lastSigned(log: readonly LoggedInput[]): SignPosition | undefined {
  let last: SignPosition | undefined;
  for (const input of log) {
    if (input.type !== 'signed') continue;
    const position = positionOf(input.message);
    if (comparePositions(position, last) > 0) last = position;
  }
  return last;
}

function positionOf({ kind, height, round }: SignedMessage | UnsignedMessage): SignPosition {
  return { height, round, step: signStepOf(kind) };
}

function requestOf(message: UnsignedMessage, signedBytes: LogSources['signedBytes']): SignRequest {
  return { ...positionOf(message), signedBytes: signedBytes(message) };
}

function refuse(reason: StartFault): StartResult {
  return { type: 'refused', reason };
}
