/**
 * Everything that is fuzzed.
 */
import { MINING_TARGETS } from '../../packages/mining/fuzz/targets.ts';
import { CODEC_TARGETS } from '../../packages/protocol/fuzz/codec-targets.ts';
import { PROOF_TARGETS } from '../../packages/protocol/fuzz/proof-targets.ts';
import type { Target } from '../../packages/protocol/fuzz/target.ts';
import { TEXT_TARGETS } from '../../packages/protocol/fuzz/text-targets.ts';
import { VERIFY_TARGETS } from '../../packages/protocol/fuzz/verify-targets.ts';

export const TARGETS: readonly Target[] = [
  ...CODEC_TARGETS,
  ...TEXT_TARGETS,
  ...VERIFY_TARGETS,
  ...PROOF_TARGETS,
  ...MINING_TARGETS,
];
