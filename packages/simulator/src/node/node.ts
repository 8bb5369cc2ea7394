/**
 * One validator of the simulation: the shell that ships on a simulated chain, disk, clock and network. A Byzantine
 * validator is the same with a behaviour that departs from it.
 */
import { type Clock, SILENT_LOG } from 'svc-base/pure';
import {
  type CommitCertificate,
  decodeSignState,
  type Effect,
  FinalityAssertionError,
  type FinalityState,
  initialState,
  type Signature,
  type SignedMessage,
  type UnsignedMessage,
  type WireMessage,
  withSignature,
} from 'svc-consensus/machine';
import {
  DecidedCutFaultError,
  type Later,
  type MessageCodec,
  type OverlayListener,
  type SignStateChoice,
  Validator,
  type ValidatorFiles,
  type ValidatorOverlay,
  type ValidatorRules,
  ValidatorStartError,
  type VoteChecks,
} from 'svc-consensus/shell';
import { SvcError } from 'svc-wasm/base';
import { DiskFullError, SIMULATED_CRASH, SimulatedCrash } from '../base/failure.ts';
import { Random } from '../base/random.ts';
import { type ConsensusKey, keyBytes, keyNumber, type Seat } from '../world/committees.ts';
import type { ChainState, Cut } from '../world/cut.ts';
import { Disk, type DiskCopy, DiskRecords } from '../world/disk.ts';
import { setHeightOf, signedPart } from '../world/packet.ts';
import type { Protocol } from '../world/protocol.ts';
import type { Surroundings } from '../world/surroundings.ts';
import { type Application, type ApplicationHost, VirtualAnswer } from './application.ts';
import type { BehaviourOf } from './behaviour-of.ts';

/** What an actor is: a way to depart from the honest node. It signs whatever it likes with its own key, and never for others. */
export type Behaviour = BehaviourOf<Node>;

export class Node implements ApplicationHost {
  readonly world: Surroundings<Node, Application>;
  readonly index: number;
  readonly instance: number;
  readonly behaviour: Behaviour | undefined;
  readonly random: Random;
  readonly disk = new Disk();
  application: Application;
  chainState: ChainState;
  up = false;
  /** Counts starts and ends of the process, so that timers of a former life are known. */
  life = 0;
  /** The key was in use elsewhere: the operator of this process does not start it again. */
  isGone = false;
  clockOffsetMs = 0;
  startedAtMs = 0;
  /** Until when the process does not crash. */
  steadyUntil = 0;
  /** Of a process that began with a copy of another one's disk: the last height of its record, and the length of its chain. */
  copiedHeight: number | undefined;
  copiedChain = 0;
  /** The key that the process signs with. */
  key: ConsensusKey;
  /** Until when a call that blocks the process lasts. */
  busyUntil = 0;
  #validator: Validator | undefined;
  #listener: OverlayListener<WireMessage> = () => {};
  /** What is to be called at the end of the event: mostly one thing, which is not worth a list. */
  #soonest: (() => void) | undefined;
  readonly #afterwards: (() => void)[] = [];

  constructor(
    world: Surroundings<Node, Application>,
    index: number,
    instance: number,
    behaviour: Behaviour | undefined,
  ) {
    this.world = world;
    this.index = index;
    this.instance = instance;
    this.behaviour = behaviour;
    this.random = new Random(world.plan.seed, 1000 + index * 2 + instance);
    this.key = { validator: index, generation: 0 };
    this.chainState = world.chain.genesis;
    this.application = world.level.applicationOf(this);
  }

  /** How the process departs from an honest one at the height in progress. */
  get lies(): Behaviour | undefined {
    const { changes } = this.world.plan;
    if (changes !== undefined && this.chainState.height + 1 < changes.liesFromHeight)
      return undefined;
    return this.behaviour;
  }

  get isHonest(): boolean {
    return this.behaviour === undefined;
  }

  get state(): FinalityState {
    const validator = this.#validator;
    if (validator !== undefined) return validator.state;
    const { next } = this.application;
    return initialState({ ...next, self: this.world.chain.seatOf(next.height, this.index) });
  }

  /** How many offenders its validator knows that wait for their punishment. */
  get evidence(): number {
    return this.#validator?.evidence ?? 0;
  }

  /** The time at which the process does what it does now: a blocking call makes it later than the world's. */
  get now(): number {
    return Math.max(this.world.now, this.busyUntil);
  }

  /** A validator without a seat at a height claims the seat of its number, which is another's or empty. */
  seatAt(height: number): Seat {
    return this.world.chain.seatOf(height, this.index) ?? this.index;
  }

  /** Whether a message is said to be of this validator. */
  isOwn({ height, validatorIndex }: UnsignedMessage): boolean {
    return validatorIndex === this.seatAt(height);
  }

  localNow(): bigint {
    return BigInt(this.#wallClock());
  }

  peers(): number[] {
    return this.world.peersOf(this.index);
  }

  /** Whether the chain here is as far as others show theirs to be; set while an operator's mishap is made up for. */
  isCurrent: (() => boolean) | undefined;

  /** Whether the process waits for its chain to be current, and drops what it hears of others until then. */
  get isWaiting(): boolean {
    return this.isCurrent !== undefined && this.#validator?.status.signing === 'paused';
  }

  /** Whether it signs what it is asked to. */
  get isSigning(): boolean {
    return this.up && this.#validator?.status.signing === 'active';
  }

  /** Whether its key was seen in use elsewhere, so that it signs no more. */
  get isKeyStopped(): boolean {
    return this.isGone || this.#validator?.status.signing === 'stopped';
  }

  /** Starts the process from what is on disk. */
  start(signState: SignStateChoice): void {
    this.up = true;
    this.life += 1;
    this.startedAtMs = this.now;
    this.busyUntil = 0;
    this.#soonest = undefined;
    this.#afterwards.length = 0;
    this.application = this.world.level.applicationOf(this);
    const choice = this.#takeKey(signState);
    if (choice === 'none') {
      this.stop();
      this.isGone = true;
      return;
    }
    try {
      this.#validator = this.#startValidator(choice);
      if (this.isCurrent !== undefined || this.world.level.committees !== undefined)
        this.world.syncLater(this);
    } catch (error) {
      this.#onFatal(error);
    }
  }

  /** Begins the record of the key that the chain names by now, unless it is the one before. */
  #takeKey(signState: SignStateChoice): SignStateChoice | 'none' {
    const { keyGeneration: generation } = this.application;
    if (generation === this.key.generation) return signState;
    const choice = this.#nextRecord(signState);
    this.key = { ...this.key, generation };
    this.disk.beginKey();
    return choice;
  }

  /** Who is behind cannot know that the next key never signed, and its operator says so. */
  #nextRecord(signState: SignStateChoice): SignStateChoice | 'none' {
    const isBehind = this.isCurrent !== undefined && (this.isWaiting || !this.isCurrent());
    if (isBehind || signState === 'new') return 'new';
    const bytes = this.disk.signState.read();
    const before = bytes === undefined ? undefined : decodeSignState(bytes);
    return this.world.protocol.keyRules.nextRecord('unused', before, this.chainState.height);
  }

  /** The operator starts the process again, in a moment. */
  restartSoon(): void {
    this.world.callLater(this, this.life, 0, () => {
      this.stop();
      this.start('existing');
    });
  }

  #startValidator(signState: SignStateChoice): Validator {
    const { world, index, application, isCurrent } = this;
    let mayCrash = signState === 'existing';
    this.disk.signState.onStep = () => {
      this.disk.expectRoom();
      if (mayCrash && this.#crashesNow()) throw SIMULATED_CRASH;
    };
    const files: ValidatorFiles = {
      place: `validator ${index}`,
      lock: { acquire: () => true, release: () => {} },
      signState: world.protocol.signStateOf(this.disk),
      records: new DiskRecords(this.disk, {
        append: (input) => world.protocol.appendLog(this.disk, input),
        sync: () => this.#syncDisk(),
      }),
      evidence: world.protocol.evidenceOf(this.disk),
    };
    const { key } = this;
    const validator = Validator.start<WireMessage>({
      chain: application,
      blocks: application,
      key: {
        id: new Uint8Array(48).fill(keyNumber(key)),
        publicKey: keyBytes(key),
        sign: () => world.keyring.signAsked(keyNumber(key)),
      },
      files,
      signState,
      ...(isCurrent === undefined ? {} : { isCurrent }),
      clock: this.#clock(),
      soon: (call) => this.#callSoon(call),
      random: () => this.random.unit(),
      log: SILENT_LOG,
      onFatal: (error) => this.#onFatal(error),
      overlay: this.#overlay(),
      codec: this.#codec(),
      checks: this.#checks(),
      rules: rulesOf(world.protocol, this.isHonest),
      probe: {
        onStep: (before, input, result) => world.observe('onStep', this, before, input, result),
        onEffect: (effect) => this.#onEffect(effect),
        onSigned: (message) => {
          if (this.isHonest) world.observeSigned(this, message);
        },
      },
    });
    mayCrash = true;
    return validator;
  }

  /** Checks of signatures, and the watch over what they cost. */
  #checks(): VoteChecks<WireMessage> {
    const { world } = this;
    return {
      learnSet: () => {},
      verify: (messages) => {
        const verdicts = world.checks.verify(messages);
        world.observe('onChecked', this, messages, verdicts);
        return verdicts;
      },
    };
  }

  #codec(): MessageCodec<WireMessage> {
    const { codec } = this.world;
    return {
      encode: (message) => codec.encode(message),
      sizeOf: () => codec.sizeOf(),
      keyOf: (message) => this.world.protocol.keyOf(message),
      signedBytes: (message) => codec.signedBytes(message),
      blockIdOf: (message) => codec.blockIdOf(message),
      decode: (message) => {
        expectKnownSet(this.application, message);
        this.world.observe('onHeard', this, message);
        return codec.decode(message);
      },
    };
  }

  #clock(): Clock {
    const { life } = this;
    return {
      now: () => this.#wallClock(),
      monotonic: () => this.now,
      after: (delayMillis, call) => this.world.callLater(this, life, delayMillis, call),
    };
  }

  #wallClock(): number {
    return Math.floor(this.now + this.clockOffsetMs);
  }

  #overlay(): ValidatorOverlay<WireMessage> {
    const { world } = this;
    return {
      neighbours: () => world.neighboursOf(this.index),
      broadcast: (message) => {
        for (const to of this.peers()) this.say(to, message);
      },
      send: (validatorId, message) => {
        const to = world.indexOf(validatorId);
        if (to !== undefined) this.say(to, message);
      },
      listen: (listener) => {
        this.#listener = listener;
      },
      setCommittee: () => {},
    };
  }

  /** A sync makes what was written durable, and lasts. */
  #syncDisk(): void {
    const { world } = this;
    world.protocol.syncLog(this.disk);
    world.observe('onSync', this);
    this.busyUntil = this.now + world.syncDelay();
  }

  #onEffect(effect: Effect): void {
    if (this.#crashesNow()) throw SIMULATED_CRASH;
    if (effect.type === 'evidence') this.world.observe('onConflict', this, effect.conflict);
    this.world.observe('onEffect', this, effect);
  }

  #crashesNow(): boolean {
    return this.isHonest && this.world.now >= this.steadyUntil && this.world.crashesNow();
  }

  #onFatal(error: unknown): void {
    if (error instanceof SimulatedCrash || error instanceof DiskFullError) this.crash();
    else if (error instanceof ValidatorStartError) {
      this.up = false;
      this.isGone = error.reason === 'key_in_use_elsewhere' && this.isCurrent !== undefined;
      if (this.isGone) return;
      const detail = `validator ${this.index} cannot open its signer: ${error.reason}`;
      if (this.isHonest) this.world.fail('signer', detail);
    } else if (error instanceof FinalityAssertionError) {
      this.up = false;
      if (this.isHonest) this.world.fail('assertion', `validator ${this.index}: ${error.message}`);
    } else if (error instanceof DecidedCutFaultError) {
      this.up = false;
      this.world.fail('decision', `validator ${this.index}: ${error.message}`);
    } else this.world.rethrow(error);
  }

  crash(): void {
    this.stop();
    this.disk.crash(this.random);
    this.world.observe('onLoss', this, false);
    this.world.scheduleRestart(this);
  }

  /** Ends the process. */
  stop(): void {
    this.up = false;
    this.life += 1;
    this.#validator?.close();
  }

  /** Replaces everything on the disk by a copy. */
  restore(copy: DiskCopy): void {
    this.world.observe('onLoss', this, true);
    this.disk.restore(copy);
    this.chainState = copy.chain.reduce(
      (state, { cut }) => this.world.chain.after(state, cut),
      this.world.chain.genesis,
    );
  }

  /** A message that is said to be from a validator, and that a neighbour handed over. */
  receive(from: number, via: number, message: WireMessage, withBodies: boolean): void {
    if (!this.up) return;
    this.lies?.hears?.(this, message);
    const signed = signedPart(message);
    // A Byzantine process does not mind that its key is in use elsewhere.
    if (!this.isHonest && signed !== undefined && this.isOwn(signed)) return;
    if (withBodies && message.kind === 'proposalWithCut')
      this.application.receiveBodies(message.cut.value);
    this.world.observe('onReceived', this, { from, via, message });
    const link = { validatorId: this.world.idOf(via), blame: () => {} };
    this.#listener(this.world.idOf(from), message, link);
    for (let call = this.#takeSoonest(); call !== undefined; call = this.#takeSoonest()) call();
  }

  #callSoon(call: () => void): void {
    const { turnMs } = this.world.plan;
    if (turnMs > 0) this.world.callLater(this, this.life, turnMs, call);
    else if (this.#soonest === undefined && this.#afterwards.length === 0) this.#soonest = call;
    else this.#afterwards.push(call);
  }

  #takeSoonest(): (() => void) | undefined {
    const call = this.#soonest;
    this.#soonest = undefined;
    return call ?? (this.#afterwards.length === 0 ? undefined : this.#afterwards.shift());
  }

  /** An answer of the application, which may take a while. */
  answerLater<T>(answer: T): Later<T> {
    const delayMs = this.world.applicationDelay();
    if (delayMs === 0) return answer;
    const later = new VirtualAnswer<T>();
    this.world.callLater(this, this.life, delayMs, () => later.give(answer));
    return later;
  }

  otherCut(honest: Cut): Cut | undefined {
    return this.lies?.build?.(this, honest);
  }

  observeDecision(cut: Cut, certificate: CommitCertificate): void {
    this.world.observeDecision(this, cut, certificate);
  }

  /** Sends without asking the behaviour; a liar may say that it passes a message of another validator on. */
  transmit(to: number, message: WireMessage, from = this.index): void {
    this.world.send(this, to, message, from);
  }

  /** Sends as the behaviour has it; honest nodes send what they say. */
  say(to: number, message: WireMessage): void {
    const { lies } = this;
    if (!this.world.protocol.sends(message)) return;
    if (lies?.outgoing === undefined) this.transmit(to, message);
    else for (const lie of lies.outgoing(this, to, message)) this.transmit(to, lie);
  }

  /** Only for Byzantine nodes: no record is asked. */
  signAnything(message: UnsignedMessage): Signature {
    if (this.isHonest) throw new Error('an honest validator signs through its signer');
    const { kind, height, round, validRound, value } = message;
    const own = { kind, height, round, validRound, value, validatorIndex: this.seatAt(height) };
    return this.world.keyring.sign(own as UnsignedMessage, keyNumber(this.key));
  }

  /** Only for Byzantine nodes: a message with its signature. */
  signed<Message extends UnsignedMessage>(message: Message): Message & SignedMessage {
    return withSignature(message, this.signAnything(message)) as Message & SignedMessage;
  }
}

const RULES = {
  honest: new WeakMap<Protocol, ValidatorRules>(),
  byzantine: new WeakMap<Protocol, ValidatorRules>(),
} as const;

/** The rules of a validator, which are made once for each protocol. */
function rulesOf(protocol: Protocol, isHonest: boolean): ValidatorRules {
  const known = isHonest ? RULES.honest : RULES.byzantine;
  const made = known.get(protocol);
  if (made !== undefined) return made;
  const { rules, keyRules, recover, votesIn, isReportSettled, admit } = protocol;
  const { isClaimProven, questionUnits, startLookMillis, inboxLimits, accountOf } = protocol;
  const shell = { isClaimProven, questionUnits, startLookMillis, inboxLimits, accountOf };
  const named = { recover, votesIn, isReportSettled, admit, ...shell };
  const checkPreviousSigners: ValidatorRules['checkPreviousSigners'] = isHonest
    ? protocol.checkPreviousSigners
    : () => ({ type: 'held' });
  const fresh = { ...rules, ...named, ...keyRules, checkPreviousSigners };
  known.set(protocol, fresh);
  return fresh;
}

/** The bytes of a message name the set that signs it, which the decoder looks up. */
function expectKnownSet(application: Application, message: WireMessage): void {
  const height = setHeightOf(message);
  if (height !== undefined && application.setAt(height) === undefined)
    throw new SvcError('wrong_validator_set', `the validator set of height ${height} is not known`);
}
