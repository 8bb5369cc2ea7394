/**
 * Waiting transactions and blocks of the ladder chain.
 */
import { bytesOf } from 'svc-ledger';
import { encodeAddress } from 'svc-wasm/base';
import {
  ladderAddress,
  ladderInput,
  ladderPayment,
} from '../../../../storage/test/testing/ladder-chain.ts';
import type { PooledBlock, PooledTransaction } from '../../../src/ports.ts';

export function textOf(address: string): string {
  return encodeAddress(bytesOf(address), 'development');
}

export function namedAddress(name: string): string {
  return textOf(ladderAddress(name));
}

/** The payment whose block cut `height` registers, as the mempool holds it. */
export function pooledPayment(height: number): PooledTransaction {
  const transaction = ladderPayment(height);
  return {
    id: transaction.id,
    wire: new Uint8Array(100),
    transaction,
    spent: [{ address: ladderAddress('bank'), amount: 77_000n }],
    fee: 1_000n,
    mass: transaction.mass,
    origin: 'own',
    receivedAtMillis: 1_700_000_000_000 + height,
  };
}

/** The block that cut `height` registers, as the pool holds it. */
export function pooledBlock(height: number): PooledBlock {
  const [block] = ladderInput(height).registered;
  if (block === undefined) throw new Error('the ladder registers a block in every cut');
  return {
    bytes: { id: block.id, header: new Uint8Array(312), body: new Uint8Array(10) },
    block,
    transactions: [ladderPayment(height)],
    minerTag: 'a miner',
    receivedAtMillis: 1_700_000_000_000,
  };
}
