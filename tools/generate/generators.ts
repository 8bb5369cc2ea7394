/**
 * Every generator of kernel sources.
 */
import type { GeneratedFile } from './generated-file.ts';
import { generateKeccak } from './keccak.ts';
import { generateMlDsaConstants } from './mldsa-constants.ts';
import { generatePow } from './pow.ts';
import { generateSha512 } from './sha512.ts';

export function generateAll(): GeneratedFile[] {
  return [generateKeccak, generateSha512, generateMlDsaConstants, generatePow].flatMap((generate) =>
    generate(),
  );
}
