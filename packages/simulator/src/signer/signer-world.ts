/**
 * One signer and the nodes that ask it, under one seed: virtual time, links that delay and fall silent, kills of any
 * process, also between two steps of writing the record. The chain goes on without the key, so every height passes.
 *
 * Checked are: no two signatures for one position, no signature that is ahead of its durable record, a lease that
 * some node has once faults are over, a holder that signs, and a standby that signs within three cuts of a kill.
 */
import type { Clock } from 'svc-base/pure';
import { decodeSignState, signStepOf, type UnsignedMessage } from 'svc-consensus/machine';
import { KEEP_MILLIS, LEASE_MILLIS } from 'svc-consensus/shell';
import { Digest } from '../base/digest.ts';
import { CallQueue } from '../base/event-queue.ts';
import type { Failure } from '../base/failure.ts';
import { Random } from '../base/random.ts';
import { AskingNode } from './asking-node.ts';
import { SIGNER_RULES, SignerLink, SignerProcess, type SignerRules } from './signer-process.ts';

interface SignerPlan {
  readonly seed: number;
  /** Nodes that ask one signer. */
  readonly nodes: number;
  readonly paceMs: number;
  readonly delayMsMax: number;
  /** The mean time between two faults. */
  readonly faultMs: number;
  /** How likely the signer dies before a step of writing its record. */
  readonly stepCrashRate: number;
  /** From here on nothing fails any more. */
  readonly safetyMs: number;
  readonly endMs: number;
}

export function drawSignerPlan(seed: number): SignerPlan {
  const random = new Random(seed, 1);
  const safetyMs = random.integer(30_000, 90_000);
  return {
    seed,
    nodes: random.integer(2, 3),
    paceMs: random.pick([500, 1_000, 2_500]),
    delayMsMax: random.pick([1, 20, 150]),
    faultMs: random.pick([2_000, 6_000, 12_000]),
    stepCrashRate: random.pick([0, 0.005, 0.03]),
    safetyMs,
    endMs: safetyMs + 30_000,
  };
}

/** A node that must sign before the chain has passed this height, unless something fails meanwhile. */
interface Expected {
  readonly node: AskingNode;
  readonly through: number;
  readonly faults: number;
  /** It was given the lease: nothing is expected of it once that has ended. */
  readonly isHolder?: boolean;
}

const CUTS_MAX = 3;
const RESTART_MS_MAX = 4_000;
const DOWN_MS_MAX = 12_000;
/** A lease whose holder is silent ends, and nodes that are away connect again. */
const SETTLING_MS = LEASE_MILLIS + 3 * KEEP_MILLIS + RESTART_MS_MAX;

export class SignerWorld {
  readonly plan: SignerPlan;
  readonly digest = new Digest();
  readonly signer: SignerProcess;
  readonly nodes: readonly AskingNode[];
  height = 1;
  failure: Failure | undefined;
  signatures = 0;
  refusals = 0;
  /** Leases that passed to a standby after a kill, with its signature in time. */
  takeOvers = 0;
  signerCrashes = 0;
  #faults = 0;
  #lastVanishedMs = Number.NEGATIVE_INFINITY;
  #lastFaultMs = 0;
  #expected: Expected | undefined;
  readonly #random: Random;
  readonly #calls = new CallQueue();
  readonly #signed = new Map<string, string>();
  readonly #downUntil = new Map<number, number>();

  constructor(plan: SignerPlan, rules: SignerRules = SIGNER_RULES) {
    this.plan = plan;
    this.#random = new Random(plan.seed, 2);
    this.signer = new SignerProcess({
      rules,
      random: this.#random,
      clock: (isAlive) => this.#clock(isAlive),
      crashesNow: () => !this.#isHealed && this.#random.chance(plan.stepCrashRate),
      onSigned: (message, durable) => this.#onSigned(message, durable),
      onCrash: () => this.#onSignerCrash(),
      fail: (checker, detail) => this.#fail(checker, detail),
    });
    this.nodes = Array.from({ length: plan.nodes }, (_, index) => this.#createNode(index));
  }

  get now(): number {
    return this.#calls.now;
  }

  async run(): Promise<void> {
    this.signer.start();
    for (const node of this.nodes) node.start();
    this.#passCutLater();
    this.#failLater();
    for (let call = this.#calls.next(); call !== undefined; call = this.#calls.next()) {
      if (this.failure !== undefined || this.now > this.plan.endMs) break;
      call();
      // An answer passes through two promises at most before the node hears it.
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    }
  }

  get #isHealed(): boolean {
    return this.now >= this.plan.safetyMs;
  }

  #createNode(index: number): AskingNode {
    return new AskingNode(index, {
      random: this.#random,
      clock: (isAlive) => this.#clock(isAlive),
      connect: () => this.#connect(index),
      height: () => this.height,
      onGranted: (node) => {
        this.digest.mix(index);
        if (this.#isReachable(0)) this.#expected ??= { ...this.#expect(node), isHolder: true };
        node.vote();
      },
      onEnded: (node) => {
        if (this.#expected?.isHolder === true && this.#expected.node === node)
          this.#expected = undefined;
      },
      onAnswered: (node, message, isSigned) => this.#onAnswered(node, message, isSigned),
    });
  }

  #connect(index: number): SignerLink | undefined {
    const link = new SignerLink({
      now: () => this.now,
      callLater: (delayMs, call) => void this.#callLater(delayMs, call),
      delayMs: () => this.#random.between(0, this.plan.delayMsMax),
      downUntil: () => this.#downUntil.get(index) ?? 0,
    });
    return this.signer.connect(link) ? link : undefined;
  }

  #clock(isAlive: () => boolean): Clock {
    return {
      now: () => Math.floor(this.now),
      monotonic: () => this.now,
      after: (delayMillis, call) =>
        this.#callLater(delayMillis, () => {
          if (isAlive()) call();
        }),
    };
  }

  #callLater(delayMs: number, call: () => void): () => void {
    return this.#calls.later(delayMs, call);
  }

  #passCutLater(): void {
    this.#callLater(this.plan.paceMs, () => {
      this.height++;
      this.#checkExpected();
      this.#checkHolder();
      for (const node of this.nodes) node.vote();
      this.#passCutLater();
    });
  }

  #failLater(): void {
    this.#callLater(this.#random.exponential(this.plan.faultMs), () => {
      if (this.#isHealed) return;
      this.#strike();
      this.#failLater();
    });
  }

  #strike(): void {
    const victim = this.#random.integer(-1, this.nodes.length - 1);
    const node = this.nodes[victim];
    if (node === undefined) {
      this.signer.crash();
      return;
    }
    this.#onFault();
    if (this.#random.chance(0.3)) {
      const until = this.now + this.#random.between(0, DOWN_MS_MAX);
      this.#downUntil.set(victim, until);
      this.#callLater(until - this.now, () => this.#onFault());
      return;
    }
    this.#kill(node);
  }

  #kill(node: AskingNode): void {
    if (!node.isUp) return;
    // A former life whose machine vanished may still hold the lease under the same name.
    const wasHolder = node.lease !== undefined && this.signer.holder === `node ${node.index}`;
    const endsMachine = this.#random.chance(0.3);
    node.crash(endsMachine);
    const restartMs = this.#random.between(200, RESTART_MS_MAX);
    this.#callLater(restartMs, () => node.start());
    const [standby, ...more] = this.nodes.filter(({ isStandby }) => isStandby);
    const isTold = wasHolder && !endsMachine && this.#isReachable(LEASE_MILLIS);
    if (isTold && this.#hasHeardAll() && standby !== undefined && more.length === 0)
      this.#expected = this.#expect(standby);
    if (endsMachine) this.#lastVanishedMs = this.now;
  }

  /** Whether all that wait have asked since a machine vanished: the lease may go to one that vanished after it asked. */
  #hasHeardAll(): boolean {
    return this.now > this.#lastVanishedMs + KEEP_MILLIS + 2 * this.plan.delayMsMax;
  }

  /** Whether frames have passed on every link for so long. */
  #isReachable(sinceMs: number): boolean {
    return [...this.#downUntil.values()].every((until) => until + sinceMs <= this.now);
  }

  #expect(node: AskingNode): Expected {
    return { node, through: this.height + CUTS_MAX, faults: this.#faults };
  }

  #onFault(): void {
    this.#faults++;
    this.#lastFaultMs = this.now;
    this.#expected = undefined;
  }

  #onSignerCrash(): void {
    this.signerCrashes++;
    this.#onFault();
    this.#callLater(this.#random.between(200, RESTART_MS_MAX), () => this.signer.start());
  }

  #onSigned(message: UnsignedMessage, durable: Uint8Array | undefined): void {
    const { height, round, kind, value } = message;
    const position = `${height}/${round}/${kind}`;
    const known = this.#signed.get(position);
    if (known !== undefined && known !== value)
      this.#fail('singleSignature', `${position}: ${known} and ${value}`);
    this.#signed.set(position, `${value}`);
    this.digest.mixText(position);
    this.signatures++;
    const last = durable === undefined ? undefined : decodeSignState(durable)?.last;
    const isRecorded =
      last?.height === height && last.round === round && last.step === signStepOf(kind);
    if (!isRecorded) this.#fail('recordFirst', `${position} left before its record was durable`);
  }

  #onAnswered(node: AskingNode, { height }: UnsignedMessage, isSigned: boolean): void {
    if (!isSigned) {
      this.refusals++;
      return;
    }
    const expected = this.#expected;
    if (expected === undefined || height <= expected.through - CUTS_MAX) return;
    // A node that has asked and not heard yet that it must wait may be given the lease before a standby.
    if (expected.isHolder === true && expected.node !== node) return;
    this.#expected = undefined;
    this.takeOvers++;
  }

  #checkExpected(): void {
    const expected = this.#expected;
    if (expected === undefined || this.height <= expected.through) return;
    if (expected.faults === this.#faults)
      this.#fail('takeOver', `node ${expected.node.index} has not signed by ${this.height}`);
    this.#expected = undefined;
  }

  /** Long after the last fault a node has the lease. */
  #checkHolder(): void {
    if (this.now < this.#lastFaultMs + SETTLING_MS + 4 * this.plan.delayMsMax) return;
    const isHeld = this.nodes.some(
      ({ index, lease }) => lease !== undefined && this.signer.holder === `node ${index}`,
    );
    if (!isHeld) this.#fail('lease', `no node has it at ${this.now}`);
  }

  #fail(checker: string, detail: string): void {
    this.failure ??= { checker, detail, atMs: this.now };
  }
}
