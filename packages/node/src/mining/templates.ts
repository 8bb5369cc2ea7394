/**
 * Work for miners: templates on open anchors. No two have the same body, and each stays valid until the
 * registration window of its anchor closes.
 */
import { registrationWindowEnd } from 'svc-ledger';
import type { PowPeriods } from 'svc-mining/pow';
import type { BlockPool, Chain } from 'svc-serve/ports';
import { toHex } from 'svc-wasm/base';
import type { Anchor, Anchors } from '../blocks/anchors.ts';
import { type Random, SYSTEM_RANDOM } from '../mempool/select.ts';
import { anchorWeights, drawByWeight, hasTime } from './choose-anchor.ts';
import { parentsOn } from './parents.ts';
import { type SelectionPorts, Selections } from './selections.ts';
import { makeTemplate, type Template } from './template.ts';

export interface TemplatePorts extends SelectionPorts {
  readonly chain: Chain;
  readonly anchors: Anchors;
  readonly blocks: Pick<BlockPool, 'carrying' | 'registrable'>;
  readonly periods: Pick<PowPeriods, 'ofHeight'>;
  readonly random?: Random;
}

export interface TemplateOptions {
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
