/**
 * Checks a few signatures, so that the first ones from outside do not wait for code to be compiled well.
 */
import { mlDsa65 } from 'svc-wasm/kernel';

/** After about this many checks the engine has compiled the kernel's loops for speed. */
const CHECKS = 32;

export function warmUp(): void {
  const message = new Uint8Array(48);
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32));
  const signature = mlDsa65.sign(secretKey, message);
  for (let count = 0; count < CHECKS; count++) {
    if (!mlDsa65.verify(publicKey, message, signature))
      throw new Error('the kernel refuses its own signature');
  }
}
