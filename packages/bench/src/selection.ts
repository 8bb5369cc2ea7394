/**
 * The selection for a template from 100,000 waiting transactions, half of them at one fee rate.
 */
import { keyAddress } from 'svc-ledger';
import {
  PooledTransaction,
  RateOrder,
  SubmittedTransaction,
  SYSTEM_RANDOM,
  selectTransactions,
} from 'svc-node';
import { type BenchOptions, formatTime, type Row } from './harness.ts';

const WAITING = 100_000;
const SELECTIONS = 200;
const LIMIT_NS = 2e6;
const TEMPLATE = { maxTransactions: 1_000, maxBytes: 64_000, maxMass: 200_000n };
const WIRE = new Uint8Array(5_500);
const ADDRESS = keyAddress('ab'.repeat(48));

function pooledAt(index: number): PooledTransaction {
  const id = index.toString(16).padStart(96, '0');
  const transaction = {
    id,
    validFromHeight: 0n,
    validUntilHeight: 100n,
    inputs: [{ transactionId: id, outputIndex: 0, inlineKeys: [] }],
    outputs: [{ address: ADDRESS, amount: 1n }],
    declaredFee: null,
    operation: null,
    mass: 9_000n,
  };
  const origin = index % 3 === 0 ? 'relayed' : 'own';
  return new PooledTransaction(new SubmittedTransaction(transaction, WIRE, origin), {
    spent: [{ address: ADDRESS, amount: 1n }],
    fee: index % 2 === 0 ? 90_000n : 90_000n + BigInt(index),
    receivedAtMillis: index,
  });
}

export function selectionRow({ smoke, size }: BenchOptions): Row {
  const order = new RateOrder();
  const waiting = smoke ? 1_000 : WAITING;
  for (let index = 0; index < waiting; index++) order.add(pooledAt(index));
  const ports = { order, random: SYSTEM_RANDOM, height: 0, cutIntervalMillis: 2_500 };
  const times = Array.from({ length: smoke ? 2 : Math.ceil(SELECTIONS * size) }, () => {
    const start = process.hrtime.bigint();
    if (selectTransactions(ports, TEMPLATE).length < 10)
      throw new Error('the template is not full');
    return Number(process.hrtime.bigint() - start);
  }).sort((a, b) => a - b);
  const median = times[times.length >> 1] as number;
  return {
    name: `selection for a template from ${waiting} waiting transactions`,
    ours: `${formatTime(median)} median`,
    peer: `${formatTime(LIMIT_NS)} allowed`,
    ratio: LIMIT_NS / median,
    limit: 1,
  };
}
