/**
 * A thread that makes the blocks of a cut from payments that were signed ahead, with their proof of work: what
 * miners elsewhere do.
 */
import { openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { bytesOf } from 'svc-ledger';
import { init } from 'svc-wasm';
import { POW_SIZES, pow, powSeed } from 'svc-wasm/kernel';
import {
  decodeBlockBody,
  encodeBlockBody,
  encodeBlockHeader,
  encodeExtranonce,
  parseManifest,
} from 'svc-wasm/protocol';

export interface MinerTask {
  readonly file: string;
  readonly manifestJson: string;
  readonly wireBytes: number;
  readonly paymentsPerCut: number;
}

export interface MinerOrder {
  /** The payments of a cut in the file, or these. */
  readonly payments: number | readonly Uint8Array[];
  readonly perBlock: number;
  readonly anchor: {
    readonly height: number;
    readonly cutId: string;
    readonly target: Uint8Array;
  };
  readonly parents: readonly string[];
  readonly payout: string;
}

export interface MinedBlock {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
}

export interface MinerReply {
  readonly blocks: readonly MinedBlock[];
  /** Processor time of this thread so far. */
  readonly processorMicros: number;
}

const NONCE_AT = 288;
const NONCE_BYTES = 24;
const COUNTER_BYTES = 8;
const NONCES_MAX = 1 << 20;

await init();
const task = workerData as MinerTask;
const manifest = parseManifest(task.manifestJson);
const file = openSync(task.file, 'r');
const { cacheBytes, datasetBytes } = POW_SIZES.development;
const work = pow.makeDataset(
  pow.makeCache(powSeed(manifest.chainId, 0n), cacheBytes),
  datasetBytes,
);
let serial = 0;

function readCut(cut: number): Uint8Array[] {
  const { wireBytes, paymentsPerCut } = task;
  const bytes = Buffer.alloc(paymentsPerCut * wireBytes);
  readSync(file, bytes, 0, bytes.length, cut * bytes.length);
  return Array.from({ length: paymentsPerCut }, (_, index) =>
    bytes.subarray(index * wireBytes, (index + 1) * wireBytes),
  );
}

function mine({ anchor, parents, payout }: MinerOrder, wires: readonly Uint8Array[]): MinedBlock {
  const free = new Uint8Array(11);
  new DataView(free.buffer).setUint32(0, ++serial);
  const extranonce = encodeExtranonce('full cuts', free);
  const body = encodeBlockBody({
    payout: bytesOf(payout),
    extranonce,
    parents: parents.map(bytesOf),
    transactions: [...wires],
  }).slice();
  const { parentsRoot, bodyRoot, payoutCommitment } = decodeBlockBody(body, manifest);
  const { target } = anchor;
  const header = encodeBlockHeader(
    {
      anchorHeight: BigInt(anchor.height),
      anchorCutId: bytesOf(anchor.cutId),
      parentsRoot,
      bodyRoot,
      payoutCommitment,
      extranonce,
      target,
      nonce: new Uint8Array(NONCE_BYTES),
    },
    manifest.chainId,
  ).slice();
  const { hit } = pow.search(work, header, {
    freeBytes: COUNTER_BYTES,
    start: 0n,
    count: NONCES_MAX,
    shareTarget: target,
    blockTarget: target,
  });
  if (hit === undefined) throw new Error('no nonce was found');
  header.set(hit.nonce, NONCE_AT);
  return { header, body };
}

parentPort?.on('message', (order: MinerOrder) => {
  const { payments, perBlock } = order;
  const wires = typeof payments === 'number' ? readCut(payments) : payments;
  const blocks = Array.from({ length: Math.ceil(wires.length / perBlock) }, (_, index) =>
    mine(order, wires.slice(index * perBlock, (index + 1) * perBlock)),
  );
  const { user, system } = process.threadCpuUsage();
  const reply: MinerReply = { blocks, processorMicros: user + system };
  parentPort?.postMessage(
    reply,
    blocks.flatMap(({ header, body }) => [header.buffer, body.buffer]),
  );
});
parentPort?.postMessage('ready');
