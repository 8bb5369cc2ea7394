/**
 * One validator of the simulation: the real machine and the real signer on a simulated disk, clock
 * and network. A Byzantine validator is the same node with a behaviour that departs from it.
 */
import type {
  CutId,
  Effect,
  FinalityState,
  Height,
  Input,
  Signature,
  Signer,
  UnsignedMessage,
  Verdict,
} from 'svc-finality';
import {
  FinalityAssertionError,
  initialState,
  openSigner,
  previousCommitsOf,
  signStepOf,
  step,
} from 'svc-finality';
import type { Behaviour } from '../actors/behaviour.ts';
import { Random } from '../base/random.ts';
import type { ChainState } from '../world/cut.ts';
import { Disk } from '../world/disk.ts';
import { signedBytesOf } from '../world/keyring.ts';
import type { Payload } from '../world/payload.ts';
import type { World } from '../world/world.ts';
import type { Application } from './application.ts';
import { receive } from './receive.ts';
import { runEffect } from './run-effect.ts';

const INBOX_MAX = 4096;

/** Thrown at a place where the process is to die. */
export class SimulatedCrash extends Error {}

export class Node {
  readonly world: World;
  readonly index: number;
  readonly instance: number;
  readonly behaviour: Behaviour | undefined;
  readonly random: Random;
  readonly disk = new Disk();
  application: Application;
  chainState: ChainState;
  state: FinalityState;
  signer: Signer | undefined;
  up = false;
  /** Counts restarts, so that timers of a former life are known. */
  life = 0;
  clockOffsetMs = 0;
  readonly #inputs: Input[] = [];
  readonly #inbox: { from: number; payload: Payload }[] = [];
  #isBusy = false;
  #isRunning = false;

  constructor(world: World, index: number, instance: number, behaviour: Behaviour | undefined) {
    this.world = world;
    this.index = index;
    this.instance = instance;
    this.behaviour = behaviour;
    this.random = new Random(world.plan.seed, 1000 + index * 2 + instance);
    this.application = world.level.applicationOf(this);
    this.chainState = world.chain.genesis;
    this.state = initialState(this.#context());
  }

  get isHonest(): boolean {
    return this.behaviour === undefined;
  }

  localNow(): bigint {
    return BigInt(Math.floor(this.world.now + this.clockOffsetMs));
  }

  peers(): number[] {
    return this.world.peersOf(this.index);
  }

  #context() {
    return { ...this.world.chain.contextAfter(this.chainState), self: this.index };
  }

  /** Starts the process from what is on disk. */
  start(firstUse: boolean): void {
    this.up = true;
    this.life += 1;
    this.#inputs.length = 0;
    this.#inbox.length = 0;
    this.#isBusy = false;
    this.#isRunning = false;
    this.application = this.world.level.applicationOf(this);
    for (const cut of this.disk.cuts.values()) this.application.learn(cut, true);
    this.#guarded(() => {
      if (!this.isHonest || this.#openSigner(firstUse)) this.#resume();
    });
  }

  #openSigner(firstUse: boolean): boolean {
    const { world, index } = this;
    const storage = world.protocol.signStateOf(this.disk);
    let mayCrash = !firstUse;
    this.disk.signState.onStep = () => {
      if (mayCrash && world.crashesNow()) throw new SimulatedCrash();
    };
    const opened = openSigner(
      {
        storage,
        lock: { acquire: () => true, release: () => {} },
        key: {
          id: new Uint8Array(48).fill(index),
          sign: () => world.keyring.sign(world.signing as UnsignedMessage),
        },
      },
      { chainHeight: this.chainState.height, newSignState: firstUse, firstUse },
    );
    mayCrash = true;
    if (opened.type === 'open') this.signer = opened.signer;
    else world.fail('signer', `validator ${index} cannot open its signer: ${opened.reason}`);
    return opened.type === 'open';
  }

  #resume(): void {
    const { log, chain } = this.disk;
    const { protocol } = this.world;
    const last = chain[chain.length - 1];
    const previous =
      last === undefined
        ? undefined
        : previousCommitsOf(this.world.chain.epochAt(last.cut.height).set, last.certificate);
    const context = this.#context();
    const first = log[0];
    if (first?.type === 'startHeight' && first.context.height === context.height) {
      const holdsCut = (value: CutId) => this.disk.cuts.has(value);
      const recovered = protocol.recover({ log, previous, holdsCut }, protocol.rules);
      this.state = recovered.state;
      this.#resumeSigner(recovered.asked);
      this.#runFirst(recovered.effects);
    } else {
      this.#resumeSigner([]);
      this.state = initialState(context, previous);
      this.input({ type: 'startHeight', context });
    }
  }

  /** What was asked for while the log was played is held against the signer's record. */
  #resumeSigner(asked: readonly UnsignedMessage[]): void {
    const requests = asked.map((message) => ({
      height: message.height,
      round: message.round,
      step: signStepOf(message.kind),
      signedBytes: signedBytesOf(message),
    }));
    this.signer?.resume((this.chainState.height + 1) as Height, requests);
  }

  crash(): void {
    this.up = false;
    this.life += 1;
    this.#inputs.length = 0;
    this.disk.crash(this.random);
    this.world.scheduleRestart(this);
  }

  /** The chain has grown by a decided cut; the next height starts. */
  startNextHeight(): void {
    this.application.startHeight();
    this.input({ type: 'startHeight', context: this.#context() });
  }

  receive(from: number, payload: Payload): void {
    if (!this.up) return;
    if (this.#isBusy) {
      if (this.#inbox.length < INBOX_MAX) this.#inbox.push({ from, payload });
      return;
    }
    this.behaviour?.hears?.(this, payload);
    this.#guarded(() => receive(this, from, payload));
  }

  giveVerdict(value: CutId, verdict: Verdict): void {
    const { height } = this.state.context;
    this.world.later(this, this.world.applicationDelay(), {
      type: 'verdict',
      height,
      value,
      verdict,
    });
  }

  /** Feeds the machine; inputs that arise while it runs wait their turn. */
  input(input: Input): void {
    this.#inputs.push(input);
    if (!this.#isRunning && !this.#isBusy) this.#guarded(() => this.#drain());
  }

  #drain(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { life } = this;
    while (this.up && !this.#isBusy && this.life === life) {
      const input = this.#inputs.shift();
      if (input === undefined) break;
      const before = this.state;
      const result = step(before, input, this.world.protocol.rules);
      this.state = result.state;
      this.world.observeStep(this, before, input, result);
      this.#runEffects(result.effects);
    }
    this.#isRunning = false;
  }

  /** Carries out effects that no input of now has caused, and only then what they bring about. */
  #runFirst(effects: readonly Effect[]): void {
    this.#isRunning = true;
    this.#runEffects(effects);
    this.#isRunning = false;
    this.#drain();
  }

  #runEffects(effects: readonly Effect[]): void {
    const { world } = this;
    for (let at = 0; at < effects.length; at++) {
      if (this.isHonest && world.crashesNow()) throw new SimulatedCrash();
      const effect = effects[at] as Effect;
      runEffect(this, effect);
      const slowMs = effect.type === 'sync' ? world.syncDelay() : 0;
      if (slowMs === 0) continue;
      this.#isBusy = true;
      world.resumeLater(this, slowMs, effects.slice(at + 1));
      return;
    }
  }

  /** The disk has answered: carry out what waited for it, then what arrived meanwhile. */
  resumeEffects(effects: readonly Effect[]): void {
    this.#isBusy = false;
    this.#guarded(() => {
      this.#runFirst(effects);
      const waiting = this.#inbox.splice(0);
      for (const { from, payload } of waiting) this.receive(from, payload);
    });
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#isRunning = false;
      if (error instanceof SimulatedCrash) this.crash();
      else if (error instanceof FinalityAssertionError) {
        this.up = false;
        if (this.isHonest)
          this.world.fail('assertion', `validator ${this.index}: ${error.message}`);
      } else throw error;
    }
  }

  /** Sends as the behaviour has it; honest nodes send what they say. */
  transmit(to: number, payload: Payload): void {
    this.world.send(this, to, payload);
  }

  say(to: number, payload: Payload): void {
    const { behaviour } = this;
    if (behaviour?.outgoing === undefined) this.transmit(to, payload);
    else for (const lie of behaviour.outgoing(this, to, payload)) this.transmit(to, lie);
  }

  /** Only for Byzantine nodes: no record is asked. */
  signAnything(message: UnsignedMessage): Signature {
    if (this.isHonest) throw new Error('an honest validator signs through its signer');
    const { kind, height, round, validRound, value } = message;
    const own = { kind, height, round, validRound, value, validatorIndex: this.index };
    return this.world.keyring.sign(own as UnsignedMessage);
  }
}
