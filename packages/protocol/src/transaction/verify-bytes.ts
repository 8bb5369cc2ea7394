/**
 * Verifies transactions from bytes to a verdict, without JSON: what a node's workers call for
 * every transaction they admit. The order of checks is the kernel's, signatures last.
 */
import {
  FEE_MISMATCH,
  FEE_TOO_LOW,
  PREVIOUS_OUTPUT_COUNT,
  TOO_MANY_KEYS,
  TRANSACTION_TOO_LARGE,
} from '../../assembly/errors.ts';
import {
  ADDRESS_BYTES,
  INPUTS_MAX,
  OUTPUT_BYTES,
  PUBLIC_KEY_BYTES,
  REGISTERED_KEYS_MAX,
  TRANSACTION_BYTES_MAX,
} from '../../assembly/transaction/layout.ts';
import { expectBytes } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { kernel } from '../kernel/current.ts';
import type { KernelInstance } from '../kernel/instance.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { ARGUMENTS_AT, place } from './decode.ts';
import { TransactionTable } from './table.ts';

export interface VerifyRequest {
  readonly wire: Uint8Array;
  /** Address and amount, 57 bytes, of the output that each input spends. */
  readonly previousOutputs: Uint8Array;
  /** Address, 49 bytes, that must sign the operation; null if none or if the operation names it. */
  readonly owner: Uint8Array | null;
  /** Public keys, 1,952 bytes each, that the key registry holds. */
  readonly registeredKeys: Uint8Array;
}

export type Verdict =
  | { readonly accepted: true; readonly table: TransactionTable }
  | { readonly accepted: false; readonly error: SvcError };

const PREVIOUS_AT = ARGUMENTS_AT;
const OWNER_AT = PREVIOUS_AT + INPUTS_MAX * OUTPUT_BYTES;
const KEYS_AT = OWNER_AT + ADDRESS_BYTES;

function feeTooLow({ fee, minimumFee }: TransactionTable): SvcError {
  const found = `expected a fee of at least ${minimumFee} atoms, found ${fee}`;
  return new SvcError('fee_too_low', found);
}

function feeMismatch({ fee, declaredFee }: TransactionTable): SvcError {
  const found = `the body declares a fee of ${declaredFee} atoms, the inputs leave ${fee}`;
  return new SvcError('fee_mismatch', found);
}

/** As many items of a size as there are; a remainder is a mistake of the caller. */
function expectItems(value: Uint8Array, itemBytes: number, path: string): Uint8Array {
  const bytes = expectBytes(value, path);
  if (bytes.length % itemBytes === 0) return bytes;
  const found = `expected a multiple of ${itemBytes} bytes, found ${bytes.length}`;
  throw new SvcError('bad_length', found, { path });
}

function expectRequest({
  wire,
  previousOutputs,
  owner,
  registeredKeys,
}: VerifyRequest): VerifyRequest {
  return {
    wire: expectBytes(wire, 'wire'),
    previousOutputs: expectItems(previousOutputs, OUTPUT_BYTES, 'previous_outputs'),
    owner: owner === null ? null : expectBytes(owner, 'owner', ADDRESS_BYTES),
    registeredKeys: expectItems(registeredKeys, PUBLIC_KEY_BYTES, 'registered_keys'),
  };
}

/** The table of the call before, with the very bytes that the kernel has seen. */
function tableOf(instance: KernelInstance, bytesAt: number, length: number): TransactionTable {
  return TransactionTable.copied(instance.bytes.slice(bytesAt, bytesAt + length), instance);
}

interface Run {
  /** 0 if the transaction was accepted. */
  readonly error: number;
  readonly instance: KernelInstance;
  readonly bytesAt: number;
  readonly length: number;
}

function run(request: VerifyRequest, manifest: Manifest): Run {
  const { wire, previousOutputs, owner, registeredKeys } = expectRequest(request);
  const previousCount = previousOutputs.length / OUTPUT_BYTES;
  const keyCount = registeredKeys.length / PUBLIC_KEY_BYTES;
  const instance = kernel();
  const refused = (error: number): Run => ({ error, instance, bytesAt: 0, length: 0 });
  if (wire.length > TRANSACTION_BYTES_MAX) return refused(TRANSACTION_TOO_LARGE);
  if (previousCount > INPUTS_MAX) return refused(PREVIOUS_OUTPUT_COUNT);
  if (keyCount > REGISTERED_KEYS_MAX) return refused(TOO_MANY_KEYS);
  const { bytes, input } = instance;
  const { manifestAt, bytesAt } = place(instance, manifest, wire);
  bytes.set(previousOutputs, input + PREVIOUS_AT);
  if (owner !== null) bytes.set(owner, input + OWNER_AT);
  bytes.set(registeredKeys, input + KEYS_AT);
  const error = instance.invoke((exports) =>
    exports.txVerify(
      manifestAt,
      bytesAt,
      wire.length,
      input + PREVIOUS_AT,
      previousCount,
      owner === null ? 0 : input + OWNER_AT,
      input + KEYS_AT,
      keyCount,
    ),
  );
  return { error, instance, bytesAt, length: wire.length };
}

/** Why a run refused the transaction. */
function refusalOf({ error, instance, bytesAt, length }: Run): SvcError {
  if (error === FEE_TOO_LOW) return feeTooLow(tableOf(instance, bytesAt, length));
  if (error === FEE_MISMATCH) return feeMismatch(tableOf(instance, bytesAt, length));
  const isFromKernel = length > 0;
  const index = isFromKernel ? instance.invoke((exports) => exports.txErrorIndex()) : -1;
  return kernelError(error, index);
}

export function verifyTransactionBytes(request: VerifyRequest, manifest: Manifest): Verdict {
  const done = run(request, manifest);
  if (done.error !== 0) return { accepted: false, error: refusalOf(done) };
  return { accepted: true, table: tableOf(done.instance, done.bytesAt, done.length) };
}

/** The verdict alone: the reason of a refusal, or null. */
export function checkTransactionBytes(request: VerifyRequest, manifest: Manifest): SvcError | null {
  const done = run(request, manifest);
  return done.error === 0 ? null : refusalOf(done);
}
