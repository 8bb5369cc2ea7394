/**
 * Work straight from nodes, without a server between: templates that pay the operator's own address, a new one for
 * every cut and after every block. Every find is a block. Nodes are tried in the order in which they were given; the
 * last work is searched on while none answers.
 */
import { type Clock, messageOf, SILENT_LOG, Signal } from 'svc-base/pure';
import {
  difficultyOf,
  type Job,
  NONCE_FREE_BYTES,
  NONCE_OFFSET,
  NONCE_PREFIX_BYTES,
  RateLimit,
} from 'svc-mining';
import { type NodeState, WorkSource as NodeWork } from 'svc-mining/node';
import { PowPeriods } from 'svc-mining/pow';
import { expectNetwork, fromHex } from 'svc-wasm/base';
import type { Work } from '../devices/prospector.ts';
import { Reminder } from './reminder.ts';
import type { SourceEvent, WorkSource } from './work-source.ts';

export interface NodeSourceOptions {
  /** Mining listeners. */
  readonly nodes: readonly URL[];
  /** The address that is paid. */
  readonly payout: string;
  readonly tag: string;
  /** Separates miners of one address: 4 bytes that end every nonce. */
  readonly noncePrefix: Uint8Array;
  readonly clock: Clock;
}

interface Template {
  readonly job: Job;
  readonly bodyHex: string;
}

const RETRY_MILLIS = 2_000;
/** Blocks and templates a second: on a network of the least difficulty every hash is nearly a block. */
const PACE = { perSecond: 25, burst: 50 } as const;
/**
 * On a development network one block carries the pending transactions as well as four do, and each of them keeps
 * every node busy.
 */
const DEVELOPMENT_PACE = { perSecond: 1, burst: 4 } as const;
const PACE_MILLIS = 40;
const HEADER_BYTES = 312;
const ACCEPTED = new Set(['accepted', 'known']);

const STATE_TEXTS: Readonly<Record<NodeState, string | undefined>> = {
  ready: undefined,
  behind: 'the node is behind the network: it gives no work until it has caught up',
  away: 'no node answers: the last work is searched on',
};

export class NodeSource implements WorkSource {
  readonly events = new Signal<SourceEvent>();
  readonly #options: NodeSourceOptions;
  readonly #templates = new WeakMap<Work, Template>();
  #pace: RateLimit;
  /** Repeats a log line at growing intervals: while no node has answered yet, and while nodes give no work. */
  readonly #unreached: Reminder;
  readonly #workless: Reminder;
  #node: NodeWork;
  #periods: PowPeriods | undefined;
  #chainId = '';
  #jobs = 0;
  #unanswered = 0;
  #toldPeriod = -1;
  #isFetching = false;
  #isWanted = false;
  #stopRetry: () => void = () => {};
  #isClosed = false;

  constructor(options: NodeSourceOptions) {
    if (options.noncePrefix.length !== NONCE_PREFIX_BYTES)
      throw new RangeError(`a nonce prefix has ${NONCE_PREFIX_BYTES} bytes`);
    this.#options = options;
    this.#pace = new RateLimit(PACE, options.clock.monotonic());
    this.#unreached = new Reminder(options.clock);
    this.#workless = new Reminder(options.clock);
    this.#node = this.#newNode();
  }

  /** The chain that is mined on, in hex; empty before the first answer. */
  get chainId(): string {
    return this.#chainId;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  start(): void {
    void this.#start();
  }

  submit(work: Work, nonce: Uint8Array): void {
    const template = this.#templates.get(work);
    if (template === undefined) throw new Error('no source gave this work');
    this.#unanswered++;
    void this.#submit(template, nonce);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopRetry();
    this.#node.close();
  }

  #newNode(): NodeWork {
    const { clock, nodes } = this.#options;
    return new NodeWork({ clock, log: SILENT_LOG }, { nodes });
  }

  /** Until a first node has answered, all are tried again and again; after that the nodes' own source does so. */
  async #start(): Promise<void> {
    const { nodes, clock } = this.#options;
    const named = nodes.map(({ href }) => href).join(', ');
    const isTold = this.#unreached.isDue();
    if (isTold) this.events.emit({ type: 'connecting', server: named });
    const node = this.#node;
    try {
      const chain = await node.start();
      this.#chainId = chain.chain_id;
      const network = expectNetwork(chain.network, 'network');
      if (network === 'development')
        this.#pace = new RateLimit(DEVELOPMENT_PACE, clock.monotonic());
      this.#periods = new PowPeriods({
        chainId: fromHex(chain.chain_id, 'chain_id'),
        parameters: { network, interval: chain.interval_cuts },
      });
    } catch (error) {
      node.close();
      if (this.#isClosed) return;
      const reason = messageOf(error);
      if (isTold)
        this.events.emit({ type: 'lost', server: named, reason, retryMillis: RETRY_MILLIS });
      this.#node = this.#newNode();
      this.#stopRetry = clock.after(RETRY_MILLIS, () => void this.#start());
      return;
    }
    this.events.emit({ type: 'open', server: node.nodeUrl ?? named });
    node.states.on((state) => this.#tellState(state));
    node.heights.on((height) => this.#advance(height));
    this.#advance(node.height);
  }

  #tellState(state: NodeState): void {
    const text = STATE_TEXTS[state];
    if (text !== undefined) this.events.emit({ type: 'show', text });
    if (state === 'away')
      this.events.emit({ type: 'lost', server: 'node', reason: 'it is gone', retryMillis: 0 });
    if (state !== 'ready') return;
    this.events.emit({ type: 'open', server: this.#node.nodeUrl ?? 'node' });
    this.#fetch();
  }

  #advance(height: number): void {
    const periods = this.#periods as PowPeriods;
    const next = periods.ofHeight(height + periods.aheadCuts);
    if (next !== periods.ofHeight(height) && next !== this.#toldPeriod) {
      this.#toldPeriod = next;
      this.events.emit({ type: 'period', period: next, key: periods.keyOf(next) });
    }
    this.#fetch();
  }

  /** Asks for a template now, or once the one under way is there. */
  #fetch(): void {
    this.#isWanted = true;
    if (this.#isFetching) return;
    this.#isFetching = true;
    void this.#fetchWanted().finally(() => {
      this.#isFetching = false;
    });
  }

  async #fetchWanted(): Promise<void> {
    const { payout, tag, clock } = this.#options;
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      await this.#untilPaced();
      try {
        const { header_hex, body_hex, target, anchor, registration_window_end } =
          await this.#node.template({ payout, tag });
        if (this.#isClosed) return;
        this.#workless.reset();
        this.#emitWork({
          bodyHex: body_hex,
          job: {
            number: ++this.#jobs,
            header: fromHex(header_hex, 'header_hex', HEADER_BYTES),
            blockTarget: fromHex(target, 'target', 32),
            height: this.#node.height,
            anchorHeight: anchor.height,
            expiresHeight: registration_window_end,
            period: (this.#periods as PowPeriods).ofHeight(anchor.height),
          },
        });
      } catch (error) {
        if (this.#isClosed) return;
        if (this.#workless.isDue())
          this.events.emit({ type: 'show', text: `there is no work now: ${messageOf(error)}` });
        this.#stopRetry();
        this.#stopRetry = clock.after(RETRY_MILLIS, () => this.#fetch());
      }
    }
  }

  #emitWork(template: Template): void {
    const { job } = template;
    const { period, blockTarget, anchorHeight } = job;
    const header = job.header.slice();
    header.set(this.#options.noncePrefix, NONCE_OFFSET + NONCE_FREE_BYTES);
    const work: Work = {
      jobId: String(job.number),
      period,
      key: (this.#periods as PowPeriods).keyOf(period),
      header,
      shareTarget: blockTarget,
      isSpentByFind: true,
    };
    this.#templates.set(work, template);
    const difficulty = difficultyOf(blockTarget);
    this.events.emit({ type: 'work', work, anchorHeight, difficulty });
  }

  async #submit({ job, bodyHex }: Template, nonce: Uint8Array): Promise<void> {
    const { clock } = this.#options;
    const began = clock.monotonic();
    const { result, reason } = await this.#node.submit(job, nonce, bodyHex);
    this.#unanswered--;
    if (this.#isClosed) return;
    const isAccepted = ACCEPTED.has(result);
    this.events.emit({
      type: 'answer',
      isAccepted,
      ...(isAccepted ? {} : { refusal: result, message: reason ?? result }),
      block: result,
      difficulty: difficultyOf(job.blockTarget),
      millis: clock.monotonic() - began,
    });
    this.#fetch();
  }

  async #untilPaced(): Promise<void> {
    const { clock } = this.#options;
    while (!(this.#pace.admit(clock.monotonic()) || this.#isClosed))
      await new Promise<void>((resolve) => void clock.after(PACE_MILLIS, resolve));
  }
}
