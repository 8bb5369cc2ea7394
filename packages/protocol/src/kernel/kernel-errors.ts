/**
 * Ties every error number of the kernel to its stable code and a message. The list is complete by
 * type: a number added to `assembly/errors.ts` without an entry does not compile.
 */
import * as numbers from '../../assembly/errors.ts';
import { SvcError } from '../base/svc-error.ts';
import type { KernelErrorEntry } from './kernel-error-entry.ts';
import { STATE_ERRORS } from './state-errors.ts';
import { TRANSACTION_ERRORS } from './transaction-errors.ts';

export type KernelErrorName = Exclude<keyof typeof numbers, 'OK'>;

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
  const { code, message } = entry;
  const item = itemOf(entry, index);
  const isBelow = path !== '' && item !== '' && !item.startsWith('[');
  return new SvcError(code, message, { path: isBelow ? `${path}.${item}` : path + item });
}

function itemOf({ list, field }: KernelErrorEntry, index: number): string {
  if (field !== undefined) return field.replace('[]', `[${index}]`);
  return list === undefined || index < 0 ? '' : `${list}[${index}]`;
}
