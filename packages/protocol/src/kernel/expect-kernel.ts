/**
 * Refuses every file that is not a kernel of this very release, before anything of it runs: by the hash of its
 * bytes. The hash is computed here, since engines offer none on pages without TLS. A module that was compiled
 * elsewhere shows no bytes and is checked by its exports alone.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { KERNEL_EXPORTS, KERNEL_SHA256 } from '../../build/kernel-facts.ts';
import { toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';

const MAGIC = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];

function unavailable(message: string): SvcError {
  return new SvcError('kernel_unavailable', message);
}

export function expectKernelBytes(bytes: Uint8Array): void {
  if (!MAGIC.every((byte, i) => bytes[i] === byte)) {
    const start = new TextDecoder().decode(bytes.subarray(0, 24)).replaceAll(/[^\x20-\x7e]/g, '.');
    throw unavailable(
      `expected a WebAssembly module, found ${bytes.length} bytes that begin with ${JSON.stringify(start)}`,
    );
  }
  const found = toHex(sha256(bytes));
  if (KERNEL_SHA256.includes(found)) return;
  throw unavailable(
    `expected the kernel of this release, SHA-256 ${KERNEL_SHA256.join(' or ')}; found ${found}`,
  );
}

export function expectKernelExports(module: WebAssembly.Module): void {
  const found = WebAssembly.Module.exports(module).map(({ name }) => name);
  const missing = KERNEL_EXPORTS.filter((name) => !found.includes(name));
  if (missing.length === 0 && found.length === KERNEL_EXPORTS.length) return;
  throw unavailable(
    `expected a kernel with ${KERNEL_EXPORTS.length} exports, found ${found.length}` +
      (missing.length === 0 ? '' : `, without ${missing.join(', ')}`),
  );
}
