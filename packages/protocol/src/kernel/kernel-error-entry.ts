/**
 * An entry of the tables of kernel errors.
 */
import type { ErrorCode } from '../base/error-codes.ts';

export interface KernelErrorEntry {
  readonly code: ErrorCode;
  readonly message: string;
  /** The list in which the kernel's index names the item to blame. */
  readonly list?: 'inputs' | 'outputs' | 'witnesses';
  /** The field to blame, below the path of what was decoded; `[]` stands for the kernel's index. */
  readonly field?: string;
}
