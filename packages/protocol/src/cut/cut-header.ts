/**
 * Headers of cuts, 558 bytes; `docs/protocol.md` 8.1. The kernel checks them; here they are written
 * and their fields taken out. Whether the fields follow from the chain is not decided here.
 */

import { BODY_BYTES_MAX } from '../../assembly/block/layout.ts';
import {
  CUT_CHAIN_ID,
  CUT_CHANGES_ROOT,
  CUT_EVIDENCE_ROOT,
  CUT_HEADER_VERSION,
  CUT_HEIGHT,
  CUT_HISTORY_ROOT,
  CUT_NEXT_SET_ID,
  CUT_OUTCOME_ROOT,
  CUT_PARENT_ID,
  CUT_PREVIOUS_ROUND,
  CUT_PREVIOUS_SIGNERS,
  CUT_PROPOSER,
  CUT_PROTOCOL_VERSION,
  CUT_REGISTERED_BYTES,
  CUT_REGISTERED_COUNT,
  CUT_REGISTERED_ROOT,
  CUT_SET_ID,
  CUT_STATE_ROOT,
  CUT_TIME,
  CUT_WORK_TARGET,
  CUT_HEADER_BYTES as HEADER_BYTES,
} from '../../assembly/cut/layout.ts';
import { copyBytes, expectBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import { expectAtMost } from './check.ts';
import { REGISTERED_BLOCKS_MAX, TARGET_BYTES, VALIDATORS_MAX } from './limits.ts';

export const CUT_HEADER_BYTES: number = HEADER_BYTES;

export interface CutHeader {
  readonly protocolVersion: number;
  readonly chainId: Uint8Array;
  readonly height: bigint;
  readonly parentCutId: Uint8Array;
  /** Root of the list of all earlier cut ids, the chain id first. */
  readonly historyRoot: Uint8Array;
  /** Index of the original proposer in the validator set. */
  readonly proposer: number;
  /** Unix milliseconds. */
  readonly time: bigint;
  readonly validatorSetId: Uint8Array;
  /** The set that signs the cut at the next height. */
  readonly nextValidatorSetId: Uint8Array;
  /** Round in which the parent was decided, and who signed it then. */
  readonly previousRound: number;
  readonly previousSigners: bigint;
  readonly registeredRoot: Uint8Array;
  readonly registeredCount: number;
  readonly registeredBytes: number;
  readonly evidenceRoot: Uint8Array;
  readonly outcomeRoot: Uint8Array;
  /** Root of the list of outputs that came and went, by address. */
  readonly changesRoot: Uint8Array;
  readonly stateRoot: Uint8Array;
  /** Big-endian. */
  readonly workTarget: Uint8Array;
}

export function encodeCutHeader(header: CutHeader, path = 'header'): Uint8Array {
  checkCutHeader(header, path);
  const id = (name: keyof CutHeader) => expectBytes(header[name], `${path}.${name}`, ID_BYTES);
  return new Writer(CUT_HEADER_BYTES)
    .u32(CUT_HEADER_VERSION)
    .u32(header.protocolVersion)
    .raw(id('chainId'))
    .u64(header.height)
    .raw(id('parentCutId'))
    .raw(id('historyRoot'))
    .u16(header.proposer)
    .u64(header.time)
    .raw(id('validatorSetId'))
    .raw(id('nextValidatorSetId'))
    .u32(header.previousRound)
    .u64(header.previousSigners)
    .raw(id('registeredRoot'))
    .u32(header.registeredCount)
    .u32(header.registeredBytes)
    .raw(id('evidenceRoot'))
    .raw(id('outcomeRoot'))
    .raw(id('changesRoot'))
    .raw(id('stateRoot'))
    .raw(expectBytes(header.workTarget, `${path}.workTarget`, TARGET_BYTES))
    .finish();
}

export function decodeCutHeader(header: Uint8Array, path = 'header'): CutHeader {
  const instance = kernel();
  const { bytes, view, input } = instance;
  bytes.set(expectBytes(header, path, CUT_HEADER_BYTES), input);
  const error = instance.invoke((exports) => exports.cutHeaderDecode(input, CUT_HEADER_BYTES));
  if (error !== 0) throw kernelError(error, -1, path);
  const part = (at: number, length: number) => copyBytes(bytes, input + at, length);
  return {
    protocolVersion: view.getUint32(input + CUT_PROTOCOL_VERSION, true),
    chainId: part(CUT_CHAIN_ID, ID_BYTES),
    height: view.getBigUint64(input + CUT_HEIGHT, true),
    parentCutId: part(CUT_PARENT_ID, ID_BYTES),
    historyRoot: part(CUT_HISTORY_ROOT, ID_BYTES),
    proposer: view.getUint16(input + CUT_PROPOSER, true),
    time: view.getBigUint64(input + CUT_TIME, true),
    validatorSetId: part(CUT_SET_ID, ID_BYTES),
    nextValidatorSetId: part(CUT_NEXT_SET_ID, ID_BYTES),
    previousRound: view.getUint32(input + CUT_PREVIOUS_ROUND, true),
    previousSigners: view.getBigUint64(input + CUT_PREVIOUS_SIGNERS, true),
    registeredRoot: part(CUT_REGISTERED_ROOT, ID_BYTES),
    registeredCount: view.getUint32(input + CUT_REGISTERED_COUNT, true),
    registeredBytes: view.getUint32(input + CUT_REGISTERED_BYTES, true),
    evidenceRoot: part(CUT_EVIDENCE_ROOT, ID_BYTES),
    outcomeRoot: part(CUT_OUTCOME_ROOT, ID_BYTES),
    changesRoot: part(CUT_CHANGES_ROOT, ID_BYTES),
    stateRoot: part(CUT_STATE_ROOT, ID_BYTES),
    workTarget: part(CUT_WORK_TARGET, TARGET_BYTES),
  };
}

export function cutId(header: Uint8Array): Uint8Array {
  return hashLabel(LABELS.cut, expectBytes(header, 'header', CUT_HEADER_BYTES));
}

function checkCutHeader(header: CutHeader, path: string): void {
  expectAtMost(header.proposer, VALIDATORS_MAX - 1, `${path}.proposer`);
  expectAtMost(header.registeredCount, REGISTERED_BLOCKS_MAX, `${path}.registeredCount`);
  const bytesMax = header.registeredCount * BODY_BYTES_MAX;
  expectAtMost(header.registeredBytes, bytesMax, `${path}.registeredBytes`);
}
