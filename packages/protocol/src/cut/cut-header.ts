/**
 * Headers of cuts, 462 bytes; `docs/protocol.md` 8.1. Whether the fields follow from the chain is
 * not decided here.
 */

import { BODY_BYTES_MAX } from '../../assembly/block/layout.ts';
import { expectBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { expectAtMost, expectThat } from './check.ts';
import { REGISTERED_BLOCKS_MAX, TARGET_BYTES, VALIDATORS_MAX } from './limits.ts';

export const CUT_HEADER_BYTES = 462;
const CUT_HEADER_VERSION = 1;

export interface CutHeader {
  readonly protocolVersion: number;
  readonly chainId: Uint8Array;
  readonly height: bigint;
  readonly parentCutId: Uint8Array;
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
    .raw(id('stateRoot'))
    .raw(expectBytes(header.workTarget, `${path}.workTarget`, TARGET_BYTES))
    .finish();
}

export function decodeCutHeader(bytes: Uint8Array, path = 'header'): CutHeader {
  const reader = new Reader(expectBytes(bytes, path, CUT_HEADER_BYTES), path);
  const version = reader.u32();
  expectThat(
    version === CUT_HEADER_VERSION,
    'unsupported_version',
    `expected version ${CUT_HEADER_VERSION}, found ${version}`,
    `${path}.version`,
  );
  const header: CutHeader = {
    protocolVersion: reader.u32(),
    chainId: reader.raw(ID_BYTES),
    height: reader.u64(),
    parentCutId: reader.raw(ID_BYTES),
    proposer: reader.u16(),
    time: reader.u64(),
    validatorSetId: reader.raw(ID_BYTES),
    nextValidatorSetId: reader.raw(ID_BYTES),
    previousRound: reader.u32(),
    previousSigners: reader.u64(),
    registeredRoot: reader.raw(ID_BYTES),
    registeredCount: reader.u32(),
    registeredBytes: reader.u32(),
    evidenceRoot: reader.raw(ID_BYTES),
    outcomeRoot: reader.raw(ID_BYTES),
    stateRoot: reader.raw(ID_BYTES),
    workTarget: reader.raw(TARGET_BYTES),
  };
  reader.end();
  checkCutHeader(header, path);
  return header;
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
