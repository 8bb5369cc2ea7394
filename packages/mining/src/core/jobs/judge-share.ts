/**
 * The value of a share once its hash is known: nothing, a share, or a block. A body serves for one block, so the
 * first hash that meets the block target uses the job up.
 */
import { compareBytes } from 'svc-wasm/base';
import type { Job, JobBook } from './job-book.ts';

export type ShareVerdict = 'low_difficulty' | 'share' | 'block' | 'used_block';

/** `block` is answered once for a job; the caller sends that block before it does anything else. */
export function judgeShare(
  jobs: JobBook,
  { job, shareTarget }: { readonly job: Job; readonly shareTarget: Uint8Array },
  hash: Uint8Array,
): ShareVerdict {
  if (compareBytes(hash, job.blockTarget) <= 0) {
    if (jobs.stateOf(job) !== 'open') return 'used_block';
    jobs.markUsed(job);
    return 'block';
  }
  return compareBytes(hash, shareTarget) <= 0 ? 'share' : 'low_difficulty';
}
