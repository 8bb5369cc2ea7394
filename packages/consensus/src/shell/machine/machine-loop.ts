/**
 * Feeds the machine one input after another and has its effects executed in order. Inputs that arise meanwhile are
 * queued. The first error is the last: nothing is fed or executed after it.
 */
import {
  type Effect,
  type FinalityState,
  type Input,
  type Rules,
  type StepResult,
  step,
} from 'svc-consensus/machine';

export interface MachineHooks {
  readonly execute: (effect: Effect) => void;
  /** Receives every step before its effects are executed. */
  readonly onStep: (before: FinalityState, input: Input, result: StepResult) => void;
}

const NO_EFFECTS: readonly Effect[] = [];

export class MachineLoop {
  readonly #rules: Rules;
  readonly #onFatal: (error: unknown) => void;
  readonly #inputs: Input[] = [];
  #state: FinalityState;
  #hooks: MachineHooks | undefined;
  #isRunning = false;
  #isPaused = false;
  #isStopped = false;

  constructor(state: FinalityState, rules: Rules, onFatal: (error: unknown) => void) {
    this.#state = state;
    this.#rules = rules;
    this.#onFatal = onFatal;
  }

  get state(): FinalityState {
    return this.#state;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Connects the machine with what executes its effects; inputs wait until then. */
  connect(hooks: MachineHooks): void {
    this.#hooks = hooks;
    this.#drain(NO_EFFECTS);
  }

  input(input: Input): void {
    if (this.#isStopped) return;
    if (this.#inputs.length === 0 && this.#mayRun) {
      this.#drain(NO_EFFECTS, input);
      return;
    }
    this.#inputs.push(input);
    this.#drain(NO_EFFECTS);
  }

  /** Executes the effects that a recovered log left unanswered, before any input. */
  resume(effects: readonly Effect[]): void {
    this.#drain(effects);
  }

  /** Continues from another state; queued inputs belong to the old one and are dropped. */
  replace(state: FinalityState): void {
    this.#inputs.length = 0;
    this.#state = state;
  }

  /** Queues inputs without processing them until `unpause`. */
  pause(): void {
    this.#isPaused = true;
  }

  unpause(): void {
    this.#isPaused = false;
    this.#drain(NO_EFFECTS);
  }

  stop(): void {
    this.#isStopped = true;
    this.#inputs.length = 0;
  }

  get #mayRun(): boolean {
    return !(this.#hooks === undefined || this.#isRunning || this.#isPaused || this.#isStopped);
  }

  /** Executes effects, and then feeds an input, which need not wait in the list, and those of the list. */
  #drain(first: readonly Effect[], next?: Input): void {
    const hooks = this.#hooks;
    if (hooks === undefined || !this.#mayRun) return;
    this.#isRunning = true;
    try {
      this.#executeAll(first, hooks);
      for (let input = next ?? this.#take(); input !== undefined; input = this.#take()) {
        const before = this.#state;
        const result = step(before, input, this.#rules);
        this.#state = result.state;
        hooks.onStep(before, input, result);
        this.#executeAll(result.effects, hooks);
      }
    } catch (error) {
      this.stop();
      this.#onFatal(error);
    } finally {
      this.#isRunning = false;
    }
  }

  #take(): Input | undefined {
    return this.#inputs.length === 0 ? undefined : this.#inputs.shift();
  }

  #executeAll(effects: readonly Effect[], hooks: MachineHooks): void {
    for (const effect of effects) {
      if (this.#isStopped) return;
      hooks.execute(effect);
    }
  }
}
