/**
 * The kernel instance that the module's functions use. There is one for each realm; `init` puts it
 * here, and nothing else may.
 */
import { SvcError } from '../base/svc-error.ts';
import type { KernelInstance } from './instance.ts';
import type { KeccakForm } from './keccak-form.ts';

let current: KernelInstance | undefined;

export function installKernel(instance: KernelInstance): void {
  current = instance;
}

export function kernel(): KernelInstance {
  if (current === undefined) {
    throw new SvcError('not_initialized', 'call `await init()` before any other function');
  }
  current.ensureRunning();
  return current;
}

/** The form of Keccak that the installed kernel uses. */
export function keccakForm(): KeccakForm {
  return kernel().keccak;
}
