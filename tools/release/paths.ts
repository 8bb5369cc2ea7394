/**
 * Where the parts of a release are in the repository.
 */
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const PROTOCOL = fileURLToPath(new URL('../../packages/protocol/', import.meta.url));
export const KERNEL_FILES = ['svc.wasm', 'svc.scalar.wasm', 'svc.pow.wasm'] as const;
