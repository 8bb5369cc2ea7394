/**
 * A thread that signs the payments of some lanes, those of the next cut whenever it is asked, and writes them to the shared
 * file: cut by cut, within a cut lane by lane, all of the same length.
 */
import { openSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { init } from 'svc-wasm';
import { parseManifest } from 'svc-wasm/protocol';
import { signPayment } from './full-cuts-payment.ts';
import {
  type Coin,
  GENERATIONS,
  LANE_AMOUNT,
  lanesOf,
  openingOutput,
  type Payer,
  type Plan,
  payerAt,
  payersOf,
} from './full-cuts-plan.ts';

export interface SigningTask {
  readonly file: string;
  readonly manifestJson: string;
  readonly plan: Plan;
  /** The lanes of this thread. */
  readonly from: number;
  readonly to: number;
  /** The ids of the opening payments, by payer. */
  readonly openings: readonly string[];
}

await init();
const { file, manifestJson, plan, from, to, openings } = workerData as SigningTask;
const manifest = parseManifest(manifestJson);
const payers = Array.from({ length: payersOf(plan) }, (_, index) => payerAt(index));

function firstCoin(lane: number, cut: number): Coin {
  const transactionId = openings[lane % payers.length] as string;
  return { transactionId, outputIndex: openingOutput(plan, lane, cut), amount: LANE_AMOUNT };
}

/** By lane, then by the cut modulo the generations. */
const coins = Array.from({ length: to - from }, (_, index) =>
  Array.from({ length: GENERATIONS }, (__, cut) => firstCoin(from + index, cut)),
);

function signCut(cut: number): Buffer {
  const wires = coins.map((ring, index) => {
    const payer = payers[(from + index) % payers.length] as Payer;
    const [wire, change] = signPayment(payer, ring[cut % GENERATIONS] as Coin, cut, manifest);
    ring[cut % GENERATIONS] = change;
    return wire;
  });
  return Buffer.concat(wires);
}

const handle = openSync(file, 'r+');
let next = 0;
parentPort?.on('message', () => {
  const signed = signCut(next);
  const wireBytes = signed.length / (to - from);
  writeSync(handle, signed, 0, signed.length, (next * lanesOf(plan) + from) * wireBytes);
  next++;
  parentPort?.postMessage(wireBytes);
});
