/**
 * Miners of full nodes: blocks on the newest cut, in the bytes of the protocol. Whether a proof of work holds is a bit
 * of the nonce here. Some miners are unfair to the validators.
 */
import { makeBlock } from 'svc-node/chain';
import type { FullNode, FullWorld } from './full-node.ts';

/** What a template may carry. */
const TEMPLATE = { maxTransactions: 16, maxBytes: 60_000, maxMass: 200_000n };

interface BlockPair {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

const BLOCKS_PER_CUT_MAX = 2;
/** A block that does not reach a pool is fetched when a cut registers it. */
const BLOCK_LOST_RATE = 0.2;
const SPLIT_RATE = 0.5;
const PRIVATE_RATE = 0.5;
const DELAY_MEAN_MS = 50;
const NONCE_AT = 288;
/** In the last byte of a nonce: the proof does not hold. */
const VOID_PROOF = 0xff;

/** What a node's proof of work says about a header of these miners. */
export function proofHolds(header: Uint8Array): boolean {
  return header.at(-1) !== VOID_PROOF;
}

export class Miners {
  readonly #world: FullWorld;
  #serial = 0;
  mined = 0;

  constructor(world: FullWorld) {
    this.#world = world;
  }

  /** Blocks on the head of a node, which reach most of the pools. */
  mineOn(node: FullNode): void {
    const { plan, random, validators } = this.#world;
    for (let count = random.integer(0, BLOCKS_PER_CUT_MAX); count > 0; count--) {
      const block = this.#make(node);
      if (plan.splitsBodies && random.chance(SPLIT_RATE)) this.#split(block);
      else if (plan.peers !== undefined) {
        this.#world.onMined(block.id);
        this.#give(node, block);
      } else
        for (const to of validators) if (!random.chance(BLOCK_LOST_RATE)) this.#give(to, block);
    }
    for (const index of plan.withholders)
      if (random.chance(PRIVATE_RATE)) this.#give(validators[index] as FullNode, this.#make(node));
    if (plan.budgetsAreSpent) this.#spendBudgets(node);
  }

  /** Two proofs for one body, one to some nodes and one to the others. */
  #split({ header, body }: BlockPair): void {
    const { validators, random } = this.#world;
    const other = header.slice();
    other[NONCE_AT] = 1;
    for (const to of validators)
      this.#give(to, { header: random.chance(0.5) ? header : other, body });
  }

  /** One block whose proof does not hold: a pool with a small budget then hashes nothing more for strangers. */
  #spendBudgets(node: FullNode): void {
    const { header, body } = this.#make(node);
    header[header.length - 1] = VOID_PROOF;
    for (const to of this.#world.validators) this.#give(to, { header, body });
  }

  #make({ chain, mempool }: FullNode): BlockPair & { readonly id: string } {
    const { view, head, manifest } = chain;
    const chosen = mempool?.select(TEMPLATE) ?? [];
    this.#serial += 1;
    this.mined += 1;
    const { bytes } = makeBlock({
      view,
      head,
      manifest,
      payout: this.#world.setting.payout,
      tag: 'sim',
      serial: this.#serial,
      wires: chosen.map(({ wire }) => wire),
      transactions: chosen.map(({ transaction }) => transaction),
      receivedAtMillis: 0,
    });
    return bytes;
  }

  #give(to: FullNode, { header, body }: BlockPair): void {
    const { random } = this.#world;
    this.#world.callLater(random.exponential(DELAY_MEAN_MS), () => to.submit(header, body));
  }
}
