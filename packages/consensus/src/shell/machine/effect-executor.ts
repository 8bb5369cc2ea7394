/**
 * Executes what the machine asks for: files, signer, timers, messages, cuts. Each effect is done before the next
 * begins; answers that take time come back as inputs.
 */
import {
  type Effect,
  NO_ROUND,
  type PeerMessage,
  type SignedMessage,
  type SignResult,
  type UnsignedMessage,
  type ValidatorIndex,
  withSignature,
} from 'svc-consensus/machine';
import type { CutFetcher } from '../cuts/cut-fetcher.ts';
import type { KnownCuts } from '../cuts/known-cuts.ts';
import type { Driver } from '../driver.ts';
import type { EvidencePool } from '../evidence/evidence-pool.ts';
import type { HeightChange } from '../heights/height-change.ts';
import type { RequestServer } from '../peers/request-server.ts';
import type { Speaker } from '../peers/speaker.ts';

export interface EffectParts {
  readonly speaker: Speaker;
  readonly requests: RequestServer;
  readonly cuts: KnownCuts;
  readonly fetcher: CutFetcher;
  readonly evidence: EvidencePool;
  readonly heights: HeightChange;
}

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

export class EffectExecutor {
  readonly #driver: Driver;
  readonly #parts: EffectParts;
  /**
   * Messages that a silent signer refused in the newest round. The machine counts them as sent and does not ask
   * again.
   */
  #silenced: readonly UnsignedMessage[] = [];

  constructor(driver: Driver, parts: EffectParts) {
    this.#driver = driver;
    this.#parts = parts;
  }

  execute(effect: Effect): void {
    const { records, ports } = this.#driver;
    ports.probe?.onEffect?.(effect);
    switch (effect.type) {
      case 'resetLog':
        records.reset();
        break;
      case 'append':
        records.append(effect.input);
        break;
      case 'storeCut':
        this.#storeCut(effect);
        break;
      case 'sync':
        records.sync();
        break;
      case 'sign':
        this.#sign(effect.message);
        break;
      case 'scheduleStart':
        this.#scheduleStart(effect);
        break;
      case 'schedule':
        this.#schedule(effect);
        break;
      case 'scheduleAntiEntropy':
        this.#scheduleAntiEntropy(effect);
        break;
      default:
        this.#executeWithOthers(effect);
    }
  }

  /** Effects that concern other validators or the chain. */
  #executeWithOthers(effect: Effect): void {
    const { speaker, fetcher, evidence, heights } = this.#parts;
    switch (effect.type) {
      case 'broadcast':
        this.#broadcast(effect.message);
        break;
      case 'send':
        speaker.sendTo(effect.to, effect.message);
        break;
      case 'sendDecision':
        this.#sendDecision(effect);
        break;
      case 'buildCut':
        this.#build(effect);
        break;
      case 'validateCut':
        fetcher.validate(effect.value, effect.from);
        break;
      case 'fetchCut':
        fetcher.fetchCertified(effect.value);
        break;
      case 'fetchPolka': {
        const { height, round, value } = effect;
        speaker.sendTo(effect.from, { kind: 'polkaRequest', height, round, value });
        break;
      }
      case 'fetchPrecommits': {
        const { height, round, signers } = effect;
        speaker.sendTo(effect.from, { kind: 'precommitsRequest', height, round, signers });
        break;
      }
      case 'evidence':
        evidence.add(effect.conflict);
        break;
      case 'decide':
        heights.decide(effect.certificate);
        break;
      default:
    }
  }

  #storeCut({ value }: EffectOf<'storeCut'>): void {
    const cut = this.#parts.cuts.get(value);
    if (cut !== undefined) this.#driver.records.storeCut(cut);
  }

  #sign(message: UnsignedMessage): void {
    const { diary } = this.#driver;
    const { height } = message;
    if (this.#driver.isMuted) {
      diary.paused(height);
      this.#driver.input({ type: 'signRefused', message, reason: 'paused' });
      return;
    }
    if (height <= this.#driver.heldThrough) {
      this.#refuse(message, 'silent_after_start');
      return;
    }
    this.#driver.whenReady(this.#driver.sign(message), (result) =>
      this.#answerSigning(message, result),
    );
  }

  #answerSigning(message: UnsignedMessage, result: SignResult): void {
    const { diary, ports } = this.#driver;
    const { kind, height } = message;
    if (result.type === 'refused') {
      this.#refuse(message, result.reason);
      return;
    }
    if (kind === 'precommit' && message.value !== null) diary.precommitted(height);
    const signed: SignedMessage = withSignature(message, result.signature);
    ports.probe?.onSigned?.(signed);
    this.#driver.input({ type: 'signed', message: signed });
  }

  #refuse(message: UnsignedMessage, reason: string): void {
    this.#driver.diary.refused(message.height, reason);
    if (reason.startsWith('silent')) this.#remember(message);
    this.#driver.input({ type: 'signRefused', message, reason });
  }

  #remember(message: UnsignedMessage): void {
    const { height, round } = message;
    const isSameRound = (other: UnsignedMessage) =>
      other.height === height && other.round === round;
    this.#silenced = [...this.#silenced.filter(isSameRound), message];
  }

  /** A silence has ended: signs what it refused in the current round, which may be waiting for exactly that. */
  signAgain(): void {
    const { state, rules, machine } = this.#driver;
    const { context, round } = state;
    const owed = this.#silenced.filter(
      (message) => message.height === context.height && message.round === round.round,
    );
    this.#silenced = [];
    machine.resume(
      rules
        .owedAfterSilence(owed)
        .flatMap((message): Effect[] => [{ type: 'sync' }, { type: 'sign', message }]),
    );
  }

  #broadcast(message: PeerMessage): void {
    const { speaker } = this.#parts;
    const afterSigning = this.#driver.ports.faults?.afterSigning;
    speaker.broadcast(message);
    if (afterSigning === undefined || !('validatorIndex' in message)) return;
    for (const other of afterSigning(message)) speaker.broadcast(other);
  }

  #sendDecision({ to, height }: EffectOf<'sendDecision'>): void {
    const validatorId = this.#driver.members[to];
    if (validatorId !== undefined)
      this.#parts.requests.sendDecision(validatorId, height, validatorId);
  }

  /** A clock that was behind may be set during the wait, so a long wait is split to look at it again. */
  #scheduleStart(effect: EffectOf<'scheduleStart'>): void {
    const { ports, rules, timers } = this.#driver;
    const atMs = Number(effect.atMs);
    const delay = Math.min(atMs - ports.clock.now(), rules.startLookMillis);
    timers.after(delay, () => {
      const now = ports.clock.now();
      const due = {
        type: 'timer',
        timer: 'start',
        height: effect.height,
        round: NO_ROUND,
      } as const;
      if (now < atMs) this.#scheduleStart(effect);
      else this.#driver.input({ ...due, nowMs: BigInt(now) });
    });
  }

  #schedule({ height, round, timer, delayMs }: EffectOf<'schedule'>): void {
    const { clock } = this.#driver.ports;
    this.#driver.timers.after(delayMs, () => {
      const nowMs = BigInt(clock.now());
      this.#driver.input({ type: 'timer', timer, height, round, nowMs });
    });
  }

  #scheduleAntiEntropy({ height, delayMs }: EffectOf<'scheduleAntiEntropy'>): void {
    this.#driver.timers.after(delayMs, () => {
      const neighbours: ValidatorIndex[] = [];
      for (const id of this.#parts.speaker.draw(this.#driver.members.length)) {
        const index = this.#driver.indexOf(id);
        if (index !== undefined) neighbours.push(index);
      }
      this.#driver.diary.sees(height, neighbours.length);
      this.#driver.input({ type: 'antiEntropy', neighbours });
    });
  }

  #build({ height, round, previousRound, previousSigners }: EffectOf<'buildCut'>): void {
    const { chain } = this.#driver.ports;
    const proposer = this.#driver.state.context.self;
    if (proposer === undefined || (height > 1 && previousSigners === 0n)) return;
    const conflicts = this.#parts.evidence.allFor(height);
    const request = { height, proposer, previousRound, previousSigners, conflicts };
    const isWanted = () => this.#isProposing(height, round);
    this.#driver.whenReady(chain.build(request, isWanted), (cut) => {
      if (cut === undefined) return;
      this.#parts.cuts.learn(cut);
      this.#driver.input({ type: 'cutBuilt', height, round, value: cut.value });
    });
  }

  /** Whether the machine still waits for the proposal of the round. */
  #isProposing(height: number, round: number): boolean {
    const { context, round: current } = this.#driver.state;
    return context.height === height && current.round === round && current.step === 'propose';
  }
}
