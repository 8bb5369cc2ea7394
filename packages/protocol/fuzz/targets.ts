/**
 * Everything that is fuzzed.
 */
import { MINING_TARGETS } from '../../mining/fuzz/targets.ts';
import { CODEC_TARGETS } from './codec-targets.ts';
import { PROOF_TARGETS } from './proof-targets.ts';
import type { Target } from './target.ts';
import { TEXT_TARGETS } from './text-targets.ts';
import { VERIFY_TARGETS } from './verify-targets.ts';

export const TARGETS: readonly Target[] = [
  ...CODEC_TARGETS,
  ...TEXT_TARGETS,
  ...VERIFY_TARGETS,
  ...PROOF_TARGETS,
  ...MINING_TARGETS,
];
