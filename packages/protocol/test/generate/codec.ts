/**
 * One encoded type: how to make valid encodings of it and how to decode and encode one again. The
 * conformance hashes and the fuzzer both run on these.
 */
import type { Random } from './random.ts';

export interface Codec {
  readonly name: string;
  /** A valid encoding. */
  generate(random: Random): Uint8Array;
  /** Decodes and encodes again; refuses what is not valid. */
  again(bytes: Uint8Array): Uint8Array;
}
