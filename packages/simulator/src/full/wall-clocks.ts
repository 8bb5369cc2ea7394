/**
 * Wall clocks of full nodes that are wrong: all differ a little, and those of some jump, by up to an hour either way, while
 * monotonic clocks go on. Those who sign and jump stay below a third of the stake; observers jump too.
 */
import { Random } from '../base/random.ts';
import type { FullNode } from './full-node.ts';
import type { NodePlan } from './node-plan.ts';

export interface WallClockPorts {
  readonly plan: NodePlan;
  /** Validators, then observers. */
  readonly nodes: readonly FullNode[];
  readonly callLater: (delayMs: number, call: () => void) => void;
}

const STREAM = 29;
const JUMP_AFTER_MS_MIN = 500;
const JUMP_AFTER_MS_MAX = 10_000;

export class WallClocks {
  readonly #ports: WallClockPorts;
  readonly #random: Random;
  #isHealed = false;
  jumps = 0;

  constructor(ports: WallClockPorts) {
    this.#ports = ports;
    this.#random = new Random(ports.plan.seed, STREAM);
  }

  start(): void {
    const { plan, nodes, callLater } = this.#ports;
    const { clockSkewMsMax, clockJumpMsMax, safetyMs } = plan;
    for (const node of nodes) {
      node.clockOffsetMs = this.#random.between(-clockSkewMsMax, clockSkewMsMax);
      const firstMs = this.#random.between(0, safetyMs);
      if (clockJumpMsMax > 0 && this.#isJumper(node)) callLater(firstMs, () => this.#jump(node));
    }
  }

  /** Sets clocks right, but those that stay wrong. */
  heal(): void {
    this.#isHealed = true;
    const { plan, nodes } = this.#ports;
    for (const node of nodes)
      if (!plan.clocksStayWrong || !this.#isJumper(node)) node.clockOffsetMs = 0;
  }

  #isJumper({ index }: FullNode): boolean {
    const { jumpers, validators } = this.#ports.plan;
    return jumpers.has(index) || index >= validators;
  }

  #jump(node: FullNode): void {
    const { plan, callLater } = this.#ports;
    if (this.#isHealed && !plan.clocksStayWrong) return;
    const { clockJumpMsMax } = plan;
    node.clockOffsetMs += this.#random.between(-clockJumpMsMax, clockJumpMsMax);
    this.jumps += 1;
    const afterMs = this.#random.between(JUMP_AFTER_MS_MIN, JUMP_AFTER_MS_MAX);
    callLater(afterMs, () => this.#jump(node));
  }
}
