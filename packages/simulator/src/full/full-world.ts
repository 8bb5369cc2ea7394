/**
 * Full nodes under one seed: virtual time, a network that loses and delays, crashes between any two effects, miners.
 * Chains answer with promises, so after every event the world waits until nothing is left to run in this turn.
 */
import type { SignedMessage } from 'svc-finality';
import { sameSignedBytes } from 'svc-finality';
import { makeBlock } from 'svc-node/chain';
import { Digest } from '../base/digest.ts';
import { EventQueue, type Timed } from '../base/event-queue.ts';
import { Random } from '../base/random.ts';
import type { Plan } from '../plan/plan.ts';
import { Network } from '../world/network.ts';
import type { Failure } from '../world/world.ts';
import { FullNode, type FullWorld } from './full-node.ts';
import { createFullSetting, type FullSetting } from './full-setting.ts';

interface CallEvent extends Timed {
  call: (() => void) | undefined;
}

const EVENTS_MAX = 400_000;
const LIVENESS_MS_MAX = 240_000;
const RESTART_MS_MAX = 4_000;
const BLOCKS_PER_CUT_MAX = 2;
/** A block that does not reach a pool is fetched when a cut registers it. */
const BLOCK_LOST_RATE = 0.2;

export class SimulatedNetwork implements FullWorld {
  readonly seed: number;
  readonly setting: FullSetting;
  readonly nodes: readonly FullNode[];
  readonly digest = new Digest();
  readonly random: Random;
  now = 0;
  events = 0;
  crashes = 0;
  blocksMined = 0;
  failure: Failure | undefined;
  healedAtMs: number | undefined;
  readonly #plan: Plan;
  readonly #network: Network;
  readonly #queue = new EventQueue<CallEvent>();
  readonly #decided = new Map<number, string>();
  readonly #signed = new Map<string, SignedMessage>();
  #serial = 0;

  constructor(plan: Plan) {
    this.seed = plan.seed;
    this.#plan = plan;
    this.random = new Random(plan.seed, 4);
    this.setting = createFullSetting(plan.stakes[0] ?? []);
    this.#network = new Network(plan, this.random, (index) => this.nodes[index]?.isUp === true);
    this.nodes = this.setting.validatorIds.map((_, index) => new FullNode(this, index));
  }

  get lowestHeight(): number {
    return Math.min(...this.nodes.map(({ height }) => height));
  }

  /** Runs with faults, heals, and wants all nodes to decide the heights that the plan asks for. */
  async run(): Promise<void> {
    for (const node of this.nodes) await node.start();
    this.callLater(this.#plan.safetyMs, () => this.#heal());
    let target: number | undefined;
    while (this.failure === undefined && this.events < EVENTS_MAX) {
      const event = this.#queue.pop();
      if (event === undefined) break;
      this.now = event.at;
      if (event.call === undefined) continue;
      this.events += 1;
      event.call();
      await turnEnd();
      if (this.healedAtMs === undefined) continue;
      target ??= Math.max(...this.nodes.map(({ height }) => height)) + this.#plan.livenessHeights;
      if (this.lowestHeight >= target || this.now > this.healedAtMs + LIVENESS_MS_MAX) break;
    }
    if (this.failure === undefined && (target === undefined || this.lowestHeight < target))
      this.fail('liveness', `heights ${this.nodes.map(({ height }) => height).join(',')}`);
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close();
  }

  neighboursOf(index: number): string[] {
    return this.nodes
      .filter(
        (node) => node.index !== index && node.isUp && this.#network.isDirect(index, node.index),
      )
      .map(({ id }) => id);
  }

  send(from: number, to: string, packet: Uint8Array): void {
    const node = this.nodes.find(({ id }) => id === to);
    if (node === undefined || node.index === from) return;
    const sender = this.setting.validatorIds[from] as string;
    for (const delayMs of this.#network.copies(from, node.index, this.now))
      this.callLater(delayMs, () => node.receive(sender, packet));
  }

  callLater(delayMs: number, call: () => void): () => void {
    const event: CallEvent = { at: this.now + Math.max(0, delayMs), order: 0, call };
    this.#queue.push(event);
    return () => {
      event.call = undefined;
    };
  }

  crashesNow(): boolean {
    return this.healedAtMs === undefined && this.random.chance(this.#plan.crashRate);
  }

  onCrash(node: FullNode): void {
    this.crashes += 1;
    const delayMs = this.random.between(200, RESTART_MS_MAX);
    this.callLater(delayMs, () => {
      node.start().catch((error: unknown) => this.fail('start', String(error)));
    });
  }

  onSigned(index: number, message: SignedMessage): void {
    const position = `${index}/${message.height}/${message.round}/${message.kind}`;
    const known = this.#signed.get(position);
    if (known !== undefined && !sameSignedBytes(known, message))
      this.fail('singleSignature', `${position}: ${known.value} and ${message.value}`);
    this.#signed.set(position, message);
  }

  onFinalized(node: FullNode, height: number, cutId: string, stateRoot: string): void {
    const found = `${cutId} ${stateRoot}`;
    const known = this.#decided.get(height);
    if (known === undefined) {
      this.#decided.set(height, found);
      this.digest.mixText(found);
      this.#mine(node);
    } else if (known !== found) this.fail('agreement', `height ${height}: ${known} and ${found}`);
  }

  fail(checker: string, detail: string): void {
    this.failure ??= { checker, detail, atMs: this.now };
  }

  #heal(): void {
    this.healedAtMs = this.now;
    this.#network.heal();
  }

  /** Blocks on the newest cut, which reach most of the pools. */
  #mine({ chain }: FullNode): void {
    const { view, head, manifest } = chain;
    for (let count = this.random.integer(0, BLOCKS_PER_CUT_MAX); count > 0; count--) {
      this.#serial += 1;
      this.blocksMined += 1;
      const { bytes } = makeBlock({
        view,
        head,
        manifest,
        payout: this.setting.payout,
        tag: 'sim',
        serial: this.#serial,
        wires: [],
        transactions: [],
        receivedAtMillis: 0,
      });
      for (const node of this.nodes) {
        if (this.random.chance(BLOCK_LOST_RATE)) continue;
        this.callLater(this.random.exponential(50), () => {
          node
            .submit(bytes.header, bytes.body)
            .catch((error: unknown) => this.fail('blocks', String(error)));
        });
      }
    }
  }
}

/** Resolves when everything that promises have left to run has run. */
function turnEnd(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
