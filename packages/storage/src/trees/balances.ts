/**
 * Balances out of the tree of outputs, so that no old balance has to be read.
 */
import type { Balance } from '../codec/index-records.ts';
import type { BucketTree } from '../tree/bucket-tree.ts';
import { prefixSubtree } from '../tree/prefix-subtree.ts';
import type { OutputLeaf } from './output-leaves.ts';

/** Bits of an output's key that its address decides. */
const ADDRESS_BITS = 256;

export interface AddressBalance extends Balance {
  readonly address: string;
}

/**
 * The balances of addresses with created or spent outputs. Outputs of one address are mostly adjacent; a balance that is listed
 * twice is the same.
 */
export function balancesIn(tree: BucketTree, outputs: readonly OutputLeaf[]): AddressBalance[] {
  const balances: AddressBalance[] = [];
  let last = '';
  for (const { leaf, output } of outputs) {
    const { address } = output;
    if (address === last) continue;
    last = address;
    const { sum, count } = prefixSubtree(tree, leaf, ADDRESS_BITS);
    balances.push({ address, amount: sum, outputs: count });
  }
  return balances;
}
