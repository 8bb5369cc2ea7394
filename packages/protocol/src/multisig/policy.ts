/**
 * The multisig policies there are: 2 of 3 and 3 of 5; `docs/protocol.md` 3.
 */
import { SvcError } from '../base/svc-error.ts';

export interface Policy {
  readonly threshold: number;
  readonly members: number;
}

export const POLICIES: readonly Policy[] = [
  { threshold: 2, members: 3 },
  { threshold: 3, members: 5 },
];

export function expectPolicy(threshold: bigint, members: bigint, path: string): Policy {
  const policy = POLICIES.find(
    (known) => BigInt(known.threshold) === threshold && BigInt(known.members) === members,
  );
  if (policy !== undefined) return policy;
  throw new SvcError('bad_policy', `expected 2 of 3 or 3 of 5, found ${threshold} of ${members}`, {
    path,
  });
}
