/**
 * Hands bodies and transactions to the kernel. Every function that takes one from outside uses
 * this, so that none is malformed or bound to another chain.
 */
import { MANIFEST_BYTES, TRANSACTION_BYTES_MAX } from '../../assembly/transaction/layout.ts';
import { expectBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { TransactionTable } from './table.ts';

/** Offset of a body or transaction in the kernel's input. */
export const BYTES_AT: number = MANIFEST_BYTES;
/** Offset of further arguments, after the largest transaction. */
export const ARGUMENTS_AT: number = BYTES_AT + TRANSACTION_BYTES_MAX;

/** A private copy, so that checked bytes cannot change. */
function takeBytes(value: unknown, path: string): Uint8Array {
  return expectTransactionBytes(expectBytes(value, path).slice(), path);
}

function expectTransactionBytes(value: unknown, path: string): Uint8Array {
  const bytes = expectBytes(value, path);
  if (bytes.length <= TRANSACTION_BYTES_MAX) return bytes;
  const found = `expected at most ${TRANSACTION_BYTES_MAX} bytes, found ${bytes.length}`;
  throw new SvcError('transaction_too_large', found, { path });
}

/** Writes the manifest and a transaction to the kernel's input; returns where they are. */
export function place(
  instance: KernelInstance,
  manifest: Manifest,
  bytes: Uint8Array,
): { manifestAt: number; bytesAt: number } {
  const manifestAt = instance.input;
  const bytesAt = manifestAt + BYTES_AT;
  instance.bytes.set(manifest.block, manifestAt);
  instance.bytes.set(bytes, bytesAt);
  return { manifestAt, bytesAt };
}

/** Turns an error number of a transaction call into an exception. */
export function expectAccepted(instance: KernelInstance, error: number, path: string): void {
  if (error === 0) return;
  const index = instance.invoke((exports) => exports.txErrorIndex());
  throw kernelError(error, index, path);
}

export function decodeBody(body: Uint8Array, manifest: Manifest, path = 'body'): TransactionTable {
  return decodeKeptBody(takeBytes(body, path), manifest, path);
}

/** As `decodeBody`, for bytes that were made here and are not shared. */
export function decodeKeptBody(
  body: Uint8Array,
  manifest: Manifest,
  path: string,
): TransactionTable {
  const instance = kernel();
  const bytes = expectTransactionBytes(body, path);
  const { manifestAt, bytesAt } = place(instance, manifest, bytes);
  const error = instance.invoke((exports) =>
    exports.txBodyDecode(manifestAt, bytesAt, bytes.length),
  );
  expectAccepted(instance, error, path);
  return TransactionTable.copied(bytes, instance);
}

export function decodeTransaction(
  wire: Uint8Array,
  manifest: Manifest,
  path = 'wire',
): TransactionTable {
  return decodeKeptTransaction(takeBytes(wire, path), manifest, path);
}

/** As `decodeTransaction`, for bytes that were made here and are not shared. */
export function decodeKeptTransaction(
  wire: Uint8Array,
  manifest: Manifest,
  path: string,
): TransactionTable {
  const instance = kernel();
  const bytes = expectTransactionBytes(wire, path);
  const { manifestAt, bytesAt } = place(instance, manifest, bytes);
  const error = instance.invoke((exports) => exports.txDecode(manifestAt, bytesAt, bytes.length));
  expectAccepted(instance, error, path);
  return TransactionTable.copied(bytes, instance);
}

/**
 * Decodes bytes that will not change, without a copy of anything: the result is read before the kernel is called
 * again.
 */
export function decodeOwnTransaction(wire: Uint8Array, manifest: Manifest): TransactionTable {
  const path = 'wire';
  const instance = kernel();
  const bytes = expectTransactionBytes(wire, path);
  const { manifestAt, bytesAt } = place(instance, manifest, bytes);
  const error = instance.invoke((exports) => exports.txDecode(manifestAt, bytesAt, bytes.length));
  expectAccepted(instance, error, path);
  return TransactionTable.passing(bytes, instance);
}
