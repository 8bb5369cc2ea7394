/**
 * What the ledger has against registering a block in the next cut, as an answer to whoever brought it.
 */
import {
  blockFault,
  type RecentBlocks,
  type RegisteredBlock,
  type RegistrationFault,
} from 'svc-ledger';
import type { Chain } from 'svc-serve/ports';
import { late, refused, type Settled } from './check-header.ts';

type Fault = Exclude<RegistrationFault, 'block_known' | 'outside_window'>;

const FAULTS: Readonly<Record<Fault, readonly [code: string, message: string]>> = {
  body_known: ['body_used', 'the body was used for another block'],
  unknown_parent: ['bad_parents', 'a parent is no block registered in the cuts up to the anchor'],
  too_heavy: ['bad_block', 'the mass of the transactions is above the limit of a block'],
  too_large: ['bad_length', 'the body is longer than the limit of a block'],
  too_many: ['bad_block', 'there are too many blocks'],
  out_of_order: ['bad_block', 'the blocks are out of order'],
};

export function registrationRefusal(
  { view, head }: Pick<Chain, 'view' | 'head'>,
  block: RegisteredBlock,
  recent: RecentBlocks,
): Settled | undefined {
  const fault = blockFault(view, head.height + 1, block, recent);
  if (fault === null) return undefined;
  if (fault === 'block_known') return { type: 'known', id: block.id };
  if (fault === 'outside_window') return late(block.anchorHeight, head.height);
  return refused(...FAULTS[fault]);
}
