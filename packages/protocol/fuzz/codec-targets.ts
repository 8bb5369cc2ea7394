/**
 * Every encoded type as a target: what is accepted must encode to the same bytes again.
 */
import { toHex } from '../src/base/bytes.ts';
import type { Codec } from '../test/generate/codec.ts';
import { BYTE_CODECS } from '../test/generate/codecs.ts';
import { Random } from '../test/generate/random.ts';
import type { Target } from './target.ts';

const SEEDS = 24;

/** Types that take longer to decode and encode get fewer executions. */
function shareOf(name: string): number {
  if (name.startsWith('package_') || name.endsWith('_proof')) return 2;
  return /^(transaction|witness|block_body|cut_body)/.test(name) ? 5 : 20;
}

function codecTarget(codec: Codec): Target {
  const random = new Random(`seeds of ${codec.name}`);
  return {
    name: codec.name,
    share: shareOf(codec.name),
    seeds: Array.from({ length: SEEDS }, () => codec.generate(random)),
    run: (input) => {
      const again = codec.again(input);
      if (Buffer.compare(input, again) === 0) return;
      throw new Error(`accepted, but encodes to ${toHex(again)}`);
    },
  };
}

export const CODEC_TARGETS: readonly Target[] = BYTE_CODECS.map(codecTarget);
