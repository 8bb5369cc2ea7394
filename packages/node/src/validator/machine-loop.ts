/**
 * Feeds the machine one input after another and has its effects carried out in their order. Inputs that arise
 * meanwhile wait. The first error is the last: nothing is fed or carried out after it.
 */
import {
  type Effect,
  type FinalityState,
  type Input,
  type Rules,
  type StepResult,
  step,
} from 'svc-finality';

export interface LoopHooks {
  readonly run: (effect: Effect) => void;
  /** Told of every step before its effects are carried out. */
  readonly observe: (input: Input, result: StepResult) => void;
  readonly onFatal: (error: unknown) => void;
}

export class MachineLoop {
  readonly #rules: Rules;
  readonly #hooks: LoopHooks;
  readonly #inputs: Input[] = [];
  #state: FinalityState;
  #isRunning = false;
  #isHeld = false;
  #isStopped = false;

  constructor(state: FinalityState, rules: Rules, hooks: LoopHooks) {
    this.#state = state;
    this.#rules = rules;
    this.#hooks = hooks;
  }

  get state(): FinalityState {
    return this.#state;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  input(input: Input): void {
    if (this.#isStopped) return;
    this.#inputs.push(input);
    this.#drain([]);
  }

  /** Carries out effects that no input of now has caused. */
  start(effects: readonly Effect[]): void {
    this.#drain(effects);
  }

  /** Goes on from another state; what waited belongs to the old one. */
  replace(state: FinalityState): void {
    this.#inputs.length = 0;
    this.#state = state;
  }

  /** Keeps inputs, and does nothing with them until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#drain([]);
  }

  stop(): void {
    this.#isStopped = true;
    this.#inputs.length = 0;
  }

  #drain(first: readonly Effect[]): void {
    if (this.#isRunning || this.#isHeld || this.#isStopped) return;
    this.#isRunning = true;
    try {
      this.#runAll(first);
      for (let input = this.#inputs.shift(); input !== undefined; input = this.#inputs.shift()) {
        const result = step(this.#state, input, this.#rules);
        this.#state = result.state;
        this.#hooks.observe(input, result);
        this.#runAll(result.effects);
      }
    } catch (error) {
      this.stop();
      this.#hooks.onFatal(error);
    } finally {
      this.#isRunning = false;
    }
  }

  #runAll(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (this.#isStopped) return;
      this.#hooks.run(effect);
    }
  }
}
