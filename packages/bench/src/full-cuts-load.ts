/**
 * Submits the blocks of one cut after another to a node: those of a cut while the cut before is the head, a few
 * at a time, as peers would. Every second payment of a block came to the mempool during the cut before.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { numberKey, type StateView } from 'svc-ledger';
import type { DevNetwork } from 'svc-node/dev';
import type { FinalizedCut } from 'svc-serve/ports';
import { type Chain, latenessOf } from './full-cuts-meter.ts';
import type { MinedBlock, MinerOrder, MinerReply } from './full-cuts-miner.ts';
import { askOnce, type Prepared } from './full-cuts-network.ts';
import { PAYMENTS_PER_BLOCK, type Plan } from './full-cuts-plan.ts';

type Core = DevNetwork['node']['composed']['core'];

/** Blocks come within this part of the interval; a proposer registers what it has held for half a second. */
const ARRIVAL_PART = 0.6;
const SLICES = 16;
const PEERS = 8;
/** Every so many-th payment of a block is in the mempool when the block comes. */
const KNOWN_EVERY = 2;
const PARENTS = 8;
const OPENING_CUTS = 3;
/** The blocks of the next cut are made at the beginning of one. */
const SIGNED_AHEAD = 2;
const SETTLING_CUTS_MAX = 60;

export class FullLoad {
  /** By what the node answered. */
  readonly blockAnswers = new Map<string, number>();
  readonly paymentAnswers = new Map<string, number>();
  minerMicros = 0;
  readonly #core: Core;
  readonly #plan: Plan;
  readonly #prepared: Prepared;
  readonly #payments: FileHandle;
  #made: Promise<readonly MinedBlock[]> = Promise.resolve([]);

  static async start(core: Core, plan: Plan, prepared: Prepared): Promise<FullLoad> {
    return new FullLoad(core, plan, prepared, await open(prepared.file));
  }

  private constructor(core: Core, plan: Plan, prepared: Prepared, payments: FileHandle) {
    this.#core = core;
    this.#plan = plan;
    this.#prepared = prepared;
    this.#payments = payments;
  }

  /** Prepares the blocks and the known payments of a cut on the head. */
  async prepare(cut: number): Promise<void> {
    await this.#prepared.signed(cut);
    this.#order(cut);
    for (const wire of await this.#known(cut)) this.#submitPayment(wire);
    await this.#made;
  }

  /** Submits what belongs to the cut after the head, and prepares the next one. */
  async bring(cut: number): Promise<void> {
    const isLast = cut + 1 >= this.#plan.cuts;
    const blocks = await this.#made;
    if (!isLast) {
      await this.#prepared.signed(cut + 1);
      this.#order(cut + 1);
    }
    const payments = isLast ? [] : await this.#known(cut + 1);
    const pause = (ARRIVAL_PART * this.#plan.paceMillis) / SLICES;
    for (let slice = 0; slice < SLICES; slice++) {
      const due = sleep(pause);
      for (const [index, block] of part(blocks, slice).entries())
        this.#submitBlock(block, `peer ${index % PEERS}`);
      for (const payment of part(payments, slice)) this.#submitPayment(payment);
      await due;
    }
    await this.#prepared.signed(Math.min(cut + SIGNED_AHEAD, this.#plan.cuts - 1));
  }

  async close(): Promise<void> {
    await this.#payments.close();
  }

  #order(cut: number): void {
    const { payers, miner } = this.#prepared;
    const { height, cutId, target } = this.#core.anchors.newest;
    const parents = parentsOn(this.#core.chain.view, height);
    const payout = payers[cut % payers.length]?.address as string;
    const order: MinerOrder = {
      payments: cut,
      perBlock: PAYMENTS_PER_BLOCK,
      anchor: { height, cutId, target },
      parents,
      payout,
    };
    miner.postMessage(order);
    this.#made = askOnce<MinerReply>(miner).then(({ blocks, processorMicros }) => {
      this.minerMicros = processorMicros;
      return blocks;
    });
  }

  async #known(cut: number): Promise<Uint8Array[]> {
    const { wireBytes } = this.#prepared;
    const count = this.#plan.blocksPerCut * PAYMENTS_PER_BLOCK;
    const bytes = Buffer.alloc(count * wireBytes);
    await this.#payments.read(bytes, 0, bytes.length, cut * bytes.length);
    return Array.from({ length: Math.floor(count / KNOWN_EVERY) }, (_, index) => {
      const at = index * KNOWN_EVERY * wireBytes;
      return bytes.subarray(at, at + wireBytes);
    });
  }

  #submitBlock({ header, body }: MinedBlock, peer: string): void {
    const submitted = this.#core.blocks.submit(header, body, peer);
    void submitted.then((answer) => count(this.blockAnswers, answer));
  }

  #submitPayment(wire: Uint8Array): void {
    const submitted = this.#core.mempool.submit(wire, 'relayed');
    void submitted.then((answer) => count(this.paymentAnswers, answer));
  }
}

/** Has the payers' keys registered and their coins made. */
export async function openPayers(network: DevNetwork, { openings }: Prepared): Promise<void> {
  const { blocks } = network.node.composed.core;
  for (const { header, body } of openings) {
    const admission = await blocks.submit(header, body);
    if (admission.type !== 'accepted') throw new Error(JSON.stringify(admission));
  }
  await network.mine(OPENING_CUTS);
}

/** Waits until the network has caught up with its pace. */
export async function waitUntilOnTime(plan: Plan, chain: Chain): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let waited = 0;
  const end = chain.finalized.on((cut) => {
    if (latenessOf(chain, cut) < plan.paceMillis / 10) resolve();
    else if (++waited > SETTLING_CUTS_MAX)
      reject(new Error('the network is late before it is loaded'));
  });
  await promise.finally(end);
}

/**
 * Brings every block of the plan, and reports each cut and its place from 0 on. The first cut is that on which the blocks
 * of the first full one arrive; the last executes the last blocks.
 */
export async function carryLoad(
  plan: Plan,
  load: FullLoad,
  chain: Chain,
  onCut: (cut: FinalizedCut, index: number) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let index = -1;
  const end = chain.finalized.on((cut) => {
    onCut(cut, ++index);
    if (index < plan.cuts) load.bring(index).catch(reject);
    else if (index > plan.cuts) resolve();
  });
  await promise.finally(end);
}

/** Blocks of the newest cut that registered any; there is one. */
function parentsOn(view: StateView, head: number): string[] {
  for (let height = head; height > 0; height--) {
    const { blocks = [] } = view.get('registered', numberKey(height)) ?? {};
    if (blocks.length > 0) return blocks.slice(0, PARENTS).map(({ id }) => id);
  }
  throw new Error('no block has been registered');
}

function part<T>(all: readonly T[], slice: number): T[] {
  const at = (place: number) => Math.floor((all.length * place) / SLICES);
  return all.slice(at(slice), at(slice + 1));
}

function count(answers: Map<string, number>, answer: { type: string; code?: string }): void {
  const name = answer.code ?? answer.type;
  answers.set(name, (answers.get(name) ?? 0) + 1);
}
