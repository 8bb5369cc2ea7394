/**
 * The development network that carries full cuts, its payments signed ahead, and the threads beside it.
 */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SILENT_LOG } from 'svc-base/pure';
import { chainIdOf, formatGenesis, type Genesis, LEDGER_PARAMETERS, targetBytes } from 'svc-ledger';
import { type DevNetwork, devKeys, NodeMetrics, startDevNetwork } from 'svc-node/dev';
import { fromHex, toHex } from 'svc-wasm/base';
import { createManifest, hashLabel, type Manifest } from 'svc-wasm/protocol';
import type { MinedBlock, MinerOrder, MinerReply, MinerTask } from './full-cuts-miner.ts';
import { type SignedPayment, signOpening } from './full-cuts-payment.ts';
import {
  lanesOf,
  openingCoin,
  type Payer,
  type Plan,
  payerAt,
  payersOf,
  planGenesis,
} from './full-cuts-plan.ts';
import type { SigningTask } from './full-cuts-signer.ts';

const VALIDATORS = 4;
/** Opening payments are long. */
const OPENINGS_PER_BLOCK = 10;

export interface Prepared {
  readonly stateDir: string;
  /** The payments, cut by cut. */
  readonly file: string;
  readonly wireBytes: number;
  readonly payers: readonly Payer[];
  readonly miner: Worker;
  /** Blocks with the opening payments. */
  readonly openings: readonly MinedBlock[];
  /** Resolves when the payments of a cut are in the file. */
  signed(cut: number): Promise<void>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/**
 * Makes the genesis and signs the payments of so many cuts, which takes longer than executing them. Those of later cuts are
 * signed on demand: a run of an hour has more of them than a busy machine signs in another.
 */
export async function prepare(
  directory: string,
  plan: Plan,
  signedAhead = plan.cuts,
): Promise<Prepared> {
  const keys = devKeys(VALIDATORS);
  const payers = Array.from({ length: payersOf(plan) }, (_, index) => payerAt(index));
  const genesis = planGenesis(plan, keys, payers);
  const stateDir = join(directory, 'network');
  mkdirSync(join(stateDir, 'node'), { recursive: true });
  writeFileSync(join(stateDir, 'node', 'genesis.json'), formatGenesis(genesis));
  const manifest = createManifest('development', fromHex(chainIdOf(hashLabel, genesis)));
  const openings = payers.map((payer, index) =>
    signOpening(payer, openingCoin(keys, index, toHex(manifest.chainId)), manifest),
  );
  const file = join(directory, 'payments');
  writeFileSync(file, '');
  const signers = startSigners(file, plan, openings, manifest);
  const wireBytes = await signers.signNext();
  for (let cut = 1; cut < signedAhead; cut++) await signers.signNext();
  const miner = await startMiner(file, plan, wireBytes, manifest);
  miner.postMessage(firstOrder(genesis, openings, manifest));
  const { blocks } = await askOnce<MinerReply>(miner);
  return {
    ...{ stateDir, file, wireBytes, payers, miner },
    openings: blocks,
    signed: (cut) => signers.signUpTo(cut),
    close: async () => {
      await signers.close();
      await miner.terminate();
    },
  };
}

async function startMiner(
  file: string,
  plan: Plan,
  wireBytes: number,
  manifest: Manifest,
): Promise<Worker> {
  const task: MinerTask = {
    file,
    manifestJson: manifest.json,
    wireBytes,
    paymentsPerCut: lanesOf(plan),
  };
  const miner = startThread('full-cuts-miner.ts', task);
  await askOnce(miner);
  return miner;
}

/** For blocks on the genesis, made before the network starts so that it starts on time. */
function firstOrder(
  genesis: Genesis,
  openings: readonly SignedPayment[],
  { chainId }: Manifest,
): MinerOrder {
  const cutId = toHex(chainId);
  const target = targetBytes(genesis.workTarget);
  const payout = genesis.outputs[0]?.address ?? '';
  const anchor = { height: 0, cutId, target };
  const payments = openings.map(({ wire }) => wire);
  return { payments, perBlock: OPENINGS_PER_BLOCK, anchor, parents: [cutId], payout };
}

/** Threads that sign payments, cut by cut. */
class Signers {
  readonly #threads: readonly Worker[];
  #next = 0;
  #done: Promise<void> = Promise.resolve();

  constructor(threads: readonly Worker[]) {
    this.#threads = threads;
  }

  /** Signs the next cut, and returns how long each payment is. */
  async signNext(): Promise<number> {
    this.#next++;
    const signed = this.#threads.map((thread) => {
      const answered = askOnce<number>(thread);
      thread.postMessage('next');
      return answered;
    });
    const [wireBytes = 0] = await Promise.all(signed);
    return wireBytes;
  }

  signUpTo(cut: number): Promise<void> {
    this.#done = this.#done.then(async () => {
      while (this.#next <= cut) await this.signNext();
    });
    return this.#done;
  }

  async close(): Promise<void> {
    await this.#done;
    for (const thread of this.#threads) await thread.terminate();
  }
}

function startSigners(
  file: string,
  plan: Plan,
  openings: readonly SignedPayment[],
  { json: manifestJson }: Manifest,
): Signers {
  const lanes = lanesOf(plan);
  const count = availableParallelism();
  const threads = Array.from({ length: count }, (_, place) => {
    const task: SigningTask = {
      file,
      manifestJson,
      plan,
      from: Math.floor((lanes * place) / count),
      to: Math.floor((lanes * (place + 1)) / count),
      openings: openings.map(({ id }) => id),
    };
    return startThread('full-cuts-signer.ts', task);
  });
  return new Signers(threads);
}

/**
 * Starts the network with the easiest difficulty for any number of blocks: a development network aims at two, and would
 * make the work of hundreds a few thousand times harder within a minute.
 */
export function startNetwork(plan: Plan, stateDir: string): Promise<DevNetwork> {
  const version = '0.0.0-bench';
  const network = LEDGER_PARAMETERS.development;
  return startDevNetwork(
    {
      cutTime: plan.paceMillis,
      validators: VALIDATORS,
      port: 0,
      stateDir,
      wallet: false,
      miner: false,
      browserOrigins: [],
    },
    {
      parameters: { ...network, workBlocksTarget: plan.blocksPerCut },
      log: SILENT_LOG,
      metrics: new NodeMetrics({ version, network: 'development', validator: true }),
      version,
      onFatal: (error) => {
        throw error;
      },
    },
  );
}

export function startThread(program: string, workerData: unknown): Worker {
  return new Worker(new URL(program, import.meta.url), { workerData });
}

/** The first message of a thread that fails by throwing. */
export async function askOnce<T>(worker: Worker): Promise<T> {
  const [message] = (await once(worker, 'message')) as [T];
  return message;
}
