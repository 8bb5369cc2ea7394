/**
 * Work for miners: templates on the finalized head. No two have the same body, and each stays valid until the
 * registration window of its anchor closes.
 */
import { REGISTRATION_WINDOW_CUTS } from 'svc-ledger';
import type { Anchors } from '../blocks/anchors.ts';
import type { Chain } from '../ports/chain.ts';
import { parentsOn } from './parents.ts';
import { type SelectionPorts, Selections } from './selections.ts';
import { makeTemplate, type Template } from './template.ts';

export interface TemplatePorts extends SelectionPorts {
  readonly chain: Chain;
  readonly anchors: Anchors;
}

export interface TemplateOptions {
  /** As the ledger writes it. */
  readonly payout: string;
  readonly maxTransactions: number;
  readonly minerTag?: string;
  /** Chooses transactions anew, for a miner inside the node that asks seldom. */
  readonly isFresh?: boolean;
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
    const { payout, maxTransactions, minerTag = '', isFresh = false } = wish;
    const { chain, anchors } = this.#ports;
    const selection = isFresh
      ? this.#selections.fresh(maxTransactions)
      : this.#selections.keptFor(payout, maxTransactions);
    if (selection === undefined) return undefined;
    const anchor = anchors.newest;
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

  /** A serial that is random for each start of the node and counted within it, so that no body comes twice. */
  #nextSerial(): Uint8Array {
    const serial = new Uint8Array(SERIAL_BYTES);
    serial.set(this.#session);
    const counter = Buffer.from(serial.buffer, SESSION_BYTES);
    counter.writeUIntBE(this.#serial++, 0, SERIAL_BYTES - SESSION_BYTES);
    return serial;
  }

  /** Forgets templates whose window has closed. The map is in the order of their anchors. */
  #expire(height: number): void {
    for (const [bodyRoot, anchorHeight] of this.#live) {
      if (anchorHeight + REGISTRATION_WINDOW_CUTS > height + 1) break;
      this.#live.delete(bodyRoot);
    }
  }
}
