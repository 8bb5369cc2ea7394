/**
 * Verifies transactions from bytes to a verdict, without JSON: what a node's workers call for
 * every transaction they admit. The order of checks is the kernel's, signatures last.
 */

import {
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
  /** Address, 49 bytes, of who must sign the operation; null if none or if the operation names it. */
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

function refuse(error: number, index = -1): Verdict {
  return { accepted: false, error: kernelError(error, index) };
}

function feeTooLow({ fee, minimumFee }: TransactionTable): SvcError {
  const found = `expected a fee of at least ${minimumFee} atoms, found ${fee}`;
  return new SvcError('fee_too_low', found);
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
  return new TransactionTable(instance.bytes.slice(bytesAt, bytesAt + length), instance);
}

export function verifyTransactionBytes(request: VerifyRequest, manifest: Manifest): Verdict {
  const { wire, previousOutputs, owner, registeredKeys } = expectRequest(request);
  const previousCount = previousOutputs.length / OUTPUT_BYTES;
  const keyCount = registeredKeys.length / PUBLIC_KEY_BYTES;
  if (wire.length > TRANSACTION_BYTES_MAX) return refuse(TRANSACTION_TOO_LARGE);
  if (previousCount > INPUTS_MAX) return refuse(PREVIOUS_OUTPUT_COUNT);
  if (keyCount > REGISTERED_KEYS_MAX) return refuse(TOO_MANY_KEYS);
  const instance = kernel();
  const { bytes, input } = instance;
  const { manifestAt, bytesAt } = place(instance, manifest, wire);
  bytes.set(previousOutputs, input + PREVIOUS_AT);
  if (owner !== null) bytes.set(owner, input + OWNER_AT);
  bytes.set(registeredKeys, input + KEYS_AT);
  const error = instance.run((exports) =>
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
  if (error === 0) return { accepted: true, table: tableOf(instance, bytesAt, wire.length) };
  if (error === FEE_TOO_LOW) {
    return { accepted: false, error: feeTooLow(tableOf(instance, bytesAt, wire.length)) };
  }
  return refuse(
    error,
    instance.run((exports) => exports.txErrorIndex()),
  );
}
