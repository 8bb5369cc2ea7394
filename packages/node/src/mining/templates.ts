/**
 * Work for miners: templates on open anchors. No two have the same body, and each stays valid until the
 * registration window of its anchor closes.
 */
import { numberKey, oldestParentCut, registrationWindowEnd, type StateView } from 'svc-ledger';
import type { PowPeriods } from 'svc-mining/pow';
import type { BlockPool, Chain } from 'svc-serve/ports';
import type { Head } from 'svc-storage';
import { toHex } from 'svc-wasm/base';
import type { Anchor, Anchors } from '../blocks/anchors.ts';
import { type Random, SYSTEM_RANDOM } from '../mempool/select.ts';
import { type SelectionPorts, Selections } from './selections.ts';
import { makeTemplate, type Template } from './template.ts';

export interface OpenAnchor {
  readonly height: number;
  /** Those that are registered and those that wait for a cut. */
  readonly blocks: number;
  readonly target: bigint;
}

interface AnchorSituation {
  readonly head: number;
  /** The number that the difficulty aims at. */
  readonly blocksPerCut: number;
}

interface Fill {
  /** Parts of blocks that the anchor has. */
  readonly filled: number;
  readonly cuts: number;
}

/** Cuts left to the miner and the validators after the template is made, so that few blocks expire. */
const RESERVED_CUTS = 8;
/** Measured: with 1 instead of 4, a strategist gains 7 instead of 3.5 percent at 2 blocks a cut. */
const FILL_PARTS = 4;
/** Blocks are counted in parts of one. */
const BLOCK = 65_536;

/** Whether the rule gives a miner this anchor: its block has time to be registered. */
export function hasTime(anchorHeight: number, head: number): boolean {
  return cutsLeft(anchorHeight, head) > 0;
}

/**
 * Weights of anchors that have time, in their order: the blocks that an anchor lacks to a level, divided by the cuts that it
 * has left. The level is the highest to which the blocks of each cut, as many as the difficulty aims at, bring the
 * anchors below it within a quarter of these cuts. A low level spreads blocks less widely, yet fills no anchor so far
 * that the others would have to stay below it. An anchor with a harder target is full with fewer blocks: each of them
 * cost more hashes.
 */
export function anchorWeights(
  anchors: readonly OpenAnchor[],
  { head, blocksPerCut }: AnchorSituation,
): number[] {
  const easiest = anchors.reduce((most, { target }) => (target > most ? target : most), 0n);
  const fills: Fill[] = anchors.map(({ height, blocks, target }) => ({
    filled: Number((BigInt(blocks * BLOCK) * easiest) / target),
    cuts: cutsLeft(height, head),
  }));
  const weightAt = (level: number, { filled, cuts }: Fill) =>
    level > filled ? Math.floor((level - filled) / cuts) : 0;
  const wanted = Math.ceil((blocksPerCut * BLOCK) / FILL_PARTS);
  let low = Math.min(...fills.map(({ filled }) => filled));
  let high = low + wanted * Math.max(...fills.map(({ cuts }) => cuts));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const sum = fills.reduce((weights, fill) => weights + weightAt(middle, fill), 0);
    if (sum < wanted) low = middle + 1;
    else high = middle;
  }
  return fills.map((fill) => weightAt(low, fill));
}

/** An index, as likely as its weight says. */
export function drawByWeight(weights: readonly number[], random: Random): number {
  let drawn = random.below(weights.reduce((sum, weight) => sum + weight, 0));
  return weights.findIndex((weight) => {
    drawn -= weight;
    return drawn < 0;
  });
}

function cutsLeft(anchorHeight: number, head: number): number {
  return registrationWindowEnd(anchorHeight) - 1 - head - RESERVED_CUTS;
}

const PARENTS_MAX = 8;

/**
 * The parents that a block names: blocks of the newest cut up to its anchor that registered any, else the anchor.
 */
export function parentsOn(
  view: StateView,
  { height, cutId }: Pick<Head, 'height' | 'cutId'>,
): string[] {
  for (let cut = height; cut >= oldestParentCut(height); cut--) {
    const blocks = view.get('registered', numberKey(cut))?.blocks ?? [];
    if (blocks.length > 0) return blocks.slice(0, PARENTS_MAX).map(({ id }) => id);
  }
  return [cutId];
}

export interface TemplatePorts extends SelectionPorts {
  readonly chain: Chain;
  readonly anchors: Anchors;
  readonly blocks: Pick<BlockPool, 'carrying' | 'registrable'>;
  readonly periods: Pick<PowPeriods, 'ofHeight'>;
  readonly random?: Random;
}

interface TemplateOptions {
  /** As the ledger writes it. */
  readonly payout: string;
  readonly maxTransactions: number;
  readonly minerTag?: string;
  /** For the miner inside a development node, which has no rivals: transactions chosen anew, and the head. */
  readonly isForDevMiner?: boolean;
}

interface Choice {
  readonly head: Anchor;
  readonly anchors: readonly Anchor[];
  readonly weights: readonly number[];
}

/** The most templates remembered; beyond it the oldest is forgotten. */
const LIVE_MAX = 4_096;
const SESSION_BYTES = 5;
const SERIAL_BYTES = 11;

export class Templates {
  readonly #ports: TemplatePorts;
  readonly #selections: Selections;
  /** Anchors of the templates that can still become blocks, by the root of the body. */
  readonly #live = new Map<string, number>();
  readonly #session = crypto.getRandomValues(new Uint8Array(SESSION_BYTES));
  readonly close: () => void;
  #serial = 0;
  /** Weights for the head that they were made on. */
  #choice: Choice | undefined;

  constructor(ports: TemplatePorts) {
    this.#ports = ports;
    this.#selections = new Selections(ports);
    this.close = ports.chain.finalized.on(({ height }) => this.#expire(height));
  }

  /** How many templates can still become blocks. */
  get live(): number {
    return this.#live.size;
  }

  /** Whether this node made the body and its window is open. */
  isOwn(bodyRoot: string): boolean {
    return this.#live.has(bodyRoot);
  }

  /** A new template; undefined if too many addresses ask at once. */
  make(wish: TemplateOptions): Template | undefined {
    const { payout, maxTransactions, minerTag = '', isForDevMiner = false } = wish;
    const { chain, anchors } = this.#ports;
    const selection = isForDevMiner
      ? this.#selections.fresh(maxTransactions)
      : this.#selections.keptFor(payout, maxTransactions);
    if (selection === undefined) return undefined;
    const anchor = isForDevMiner ? anchors.newest : this.#chooseAnchor();
    const template = makeTemplate({
      manifest: chain.manifest,
      anchor,
      parents: parentsOn(chain.view, anchor),
      payout,
      minerTag,
      serial: this.#nextSerial(),
      transactions: selection.transactions,
      untilMillis: selection.untilMillis,
    });
    this.#live.set(template.document.roots.body, anchor.height);
    for (const oldest of this.#live.keys())
      if (this.#live.size > LIVE_MAX) this.#live.delete(oldest);
      else break;
    return template;
  }

  #chooseAnchor(): Anchor {
    const { random = SYSTEM_RANDOM } = this.#ports;
    const head = this.#ports.anchors.newest;
    if (this.#choice?.head !== head) this.#choice = this.#weigh(head);
    const { anchors, weights } = this.#choice;
    return anchors[drawByWeight(weights, random)] as Anchor;
  }

  /**
   * Only anchors of the head's period, since a miner has one dataset at a time, and not the genesis once there is a cut:
   * its amount is zero.
   */
  #weigh(head: Anchor): Choice {
    const { chain, anchors, blocks, periods } = this.#ports;
    const period = periods.ofHeight(head.height);
    const waiting = blocks.registrable(head.height + 1);
    const open: Anchor[] = [];
    const oldest = Math.min(head.height, 1);
    for (let { height } = head; height >= oldest && hasTime(height, head.height); height--) {
      const anchor = anchors.at(height);
      if (anchor === undefined || periods.ofHeight(height) !== period) break;
      open.push(anchor);
    }
    const counted = open.map(({ height, target }) => {
      const registered = chain.view.blockIdsOf(height).length;
      const pooled = waiting.filter(({ block }) => block.anchorHeight === height).length;
      return { height, target: BigInt(`0x${toHex(target)}`), blocks: registered + pooled };
    });
    const { workBlocksTarget: blocksPerCut } = chain.parameters;
    const weights = anchorWeights(counted, { head: head.height, blocksPerCut });
    return { head, anchors: open, weights };
  }

  /** A serial that is random for each start of the node and counted within it, so that no body comes twice. */
  #nextSerial(): Uint8Array {
    const serial = new Uint8Array(SERIAL_BYTES);
    serial.set(this.#session);
    const counter = Buffer.from(serial.buffer, SESSION_BYTES);
    counter.writeUIntBE(this.#serial++, 0, SERIAL_BYTES - SESSION_BYTES);
    return serial;
  }

  /** Forgets templates whose window has closed. */
  #expire(height: number): void {
    for (const [bodyRoot, anchorHeight] of this.#live)
      if (registrationWindowEnd(anchorHeight) <= height + 1) this.#live.delete(bodyRoot);
  }
}
