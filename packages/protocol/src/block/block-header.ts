/**
 * Headers of work blocks, 312 bytes; `docs/protocol.md` 6.1. The kernel checks them; here they are
 * written and their fields taken out.
 */
import {
  CHAIN_TAG_BYTES,
  EXTRANONCE_BYTES,
  HEADER_ANCHOR_HEIGHT,
  HEADER_ANCHOR_ID,
  HEADER_BODY_ROOT,
  HEADER_BYTES,
  HEADER_EXTRANONCE,
  HEADER_NONCE,
  HEADER_PARENTS_ROOT,
  HEADER_PAYEE,
  HEADER_TARGET,
  HEADER_VERSION,
  HEADER_WINDOW_END,
  NONCE_BYTES,
  REGISTRATION_CUTS,
  RESERVED_BYTES,
  TARGET_BYTES,
} from '../../assembly/block/layout.ts';
import { copyBytes, expectBytes } from '../base/bytes.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { kernelError } from '../kernel/kernel-errors.ts';

export const BLOCK_HEADER_BYTES: number = HEADER_BYTES;
/** Offset of the header in the kernel's input, after the chain id. */
const HEADER_AT = 64;

export interface BlockHeader {
  readonly anchorHeight: bigint;
  readonly anchorCutId: Uint8Array;
  readonly parentsRoot: Uint8Array;
  readonly bodyRoot: Uint8Array;
  readonly payoutCommitment: Uint8Array;
  readonly extranonce: Uint8Array;
  /** Big-endian. */
  readonly target: Uint8Array;
  readonly nonce: Uint8Array;
}

export interface DecodedBlockHeader extends BlockHeader {
  readonly id: Uint8Array;
  /** First height at which the block can no longer be registered. */
  readonly registrationWindowEnd: bigint;
}

export function encodeBlockHeader(
  header: BlockHeader,
  chainId: Uint8Array,
  path = 'header',
): Uint8Array {
  const bytes = (name: keyof BlockHeader, length: number) =>
    expectBytes(header[name], `${path}.${name}`, length);
  return new Writer(HEADER_BYTES)
    .u32(HEADER_VERSION)
    .raw(expectBytes(chainId, 'chainId', ID_BYTES).subarray(0, CHAIN_TAG_BYTES))
    .u64(header.anchorHeight)
    .raw(bytes('anchorCutId', ID_BYTES))
    .raw(bytes('parentsRoot', ID_BYTES))
    .raw(bytes('bodyRoot', ID_BYTES))
    .raw(bytes('payoutCommitment', ID_BYTES))
    .raw(bytes('extranonce', EXTRANONCE_BYTES))
    .u64(header.anchorHeight + BigInt(REGISTRATION_CUTS))
    .raw(new Uint8Array(RESERVED_BYTES))
    .raw(bytes('target', TARGET_BYTES))
    .raw(bytes('nonce', NONCE_BYTES))
    .finish();
}

/** Checks everything that follows from the bytes alone; anchor, target and proof of work do not. */
export function decodeBlockHeader(
  header: Uint8Array,
  chainId: Uint8Array,
  path = 'header',
): DecodedBlockHeader {
  const instance = kernel();
  const headerAt = checkHeader(instance, header, chainId, path);
  const { bytes, view, output } = instance;
  const part = (at: number, length: number) => copyBytes(bytes, headerAt + at, length);
  return {
    id: copyBytes(bytes, output, ID_BYTES),
    anchorHeight: view.getBigUint64(headerAt + HEADER_ANCHOR_HEIGHT, true),
    anchorCutId: part(HEADER_ANCHOR_ID, ID_BYTES),
    parentsRoot: part(HEADER_PARENTS_ROOT, ID_BYTES),
    bodyRoot: part(HEADER_BODY_ROOT, ID_BYTES),
    payoutCommitment: part(HEADER_PAYEE, ID_BYTES),
    extranonce: part(HEADER_EXTRANONCE, EXTRANONCE_BYTES),
    registrationWindowEnd: view.getBigUint64(headerAt + HEADER_WINDOW_END, true),
    target: part(HEADER_TARGET, TARGET_BYTES),
    nonce: part(HEADER_NONCE, NONCE_BYTES),
  };
}

/** Returns the offset of the bytes that the kernel has checked in its memory. */
function checkHeader(
  instance: KernelInstance,
  header: Uint8Array,
  chainId: Uint8Array,
  path: string,
): number {
  const { bytes, input } = instance;
  const headerAt = input + HEADER_AT;
  bytes.set(expectBytes(header, path, HEADER_BYTES), headerAt);
  bytes.set(expectBytes(chainId, 'chainId', ID_BYTES), input);
  const error = instance.invoke((exports) =>
    exports.blockHeaderCheck(headerAt, HEADER_BYTES, input),
  );
  if (error !== 0) throw kernelError(error, -1, path);
  return headerAt;
}
