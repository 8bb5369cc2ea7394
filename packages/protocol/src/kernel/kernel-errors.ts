/**
 * Ties every error number of the kernel to its stable code and a message. The list is complete by
 * type: a number added to `assembly/errors.ts` without an entry does not compile.
 */
import * as numbers from '../../assembly/errors.ts';
import type { ErrorCode } from '../base/error-codes.ts';
import { SvcError } from '../base/svc-error.ts';
import { STATE_ERRORS } from './state-errors.ts';
import { TRANSACTION_ERRORS } from './transaction-errors.ts';

export type KernelErrorName = Exclude<keyof typeof numbers, 'OK'>;

export interface KernelErrorEntry {
  readonly code: ErrorCode;
  readonly message: string;
  /** The list in which the kernel's index names the item to blame. */
  readonly list?: 'inputs' | 'outputs' | 'witnesses';
}

export const KERNEL_ERRORS: Readonly<Record<KernelErrorName, KernelErrorEntry>> = {
  ...TRANSACTION_ERRORS,
  ...STATE_ERRORS,
};

const entriesByNumber = new Map<number, KernelErrorEntry>(
  Object.entries(numbers).flatMap(([name, number]) =>
    name === 'OK' ? [] : [[number, KERNEL_ERRORS[name as KernelErrorName]]],
  ),
);

/** The error for a number above 0 that the kernel returned; `index` is the item to blame, or -1. */
export function kernelError(number: number, index = -1, path = ''): SvcError {
  const entry = entriesByNumber.get(number);
  if (entry === undefined) {
    return new SvcError('kernel_unavailable', `the kernel returned the unknown error ${number}`);
  }
  const { code, message, list } = entry;
  const item = list === undefined || index < 0 ? '' : `${list}[${index}]`;
  return new SvcError(code, message, {
    path: path === '' || item === '' ? path + item : `${path}.${item}`,
  });
}
