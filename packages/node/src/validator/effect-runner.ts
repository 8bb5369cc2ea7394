/**
 * Carries out what the machine asks for: files, signer, timers, messages, cuts. Each effect is done before the
 * next begins; answers that take time come back as inputs.
 */
import {
  type CommitCertificate,
  type Effect,
  encodeInput,
  type Input,
  type PeerMessage,
  type SignedMessage,
  type Signer,
  signedBytesOf,
  type UnsignedMessage,
  type ValidatorIndex,
  type WireContext,
} from 'svc-finality';
import type { Clock } from '../base/clock.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import type { CutFetcher } from './cut-fetcher.ts';
import type { DriverFaults } from './driver-faults.ts';
import type { EvidencePool } from './evidence-pool.ts';
import type { HeightDiary } from './height-diary.ts';
import type { HeightFiles } from './height-files.ts';
import type { HeightTimers } from './height-timers.ts';
import type { HeldCuts } from './held-cuts.ts';
import type { Serving } from './serving.ts';
import type { Speaker } from './speaker.ts';

export interface EffectPorts {
  readonly chain: ChainCore;
  readonly wire: WireContext;
  readonly clock: Clock;
  readonly files: HeightFiles;
  readonly signer: Signer;
  readonly timers: HeightTimers;
  readonly speaker: Speaker;
  readonly serving: Serving;
  readonly fetcher: CutFetcher;
  readonly cuts: HeldCuts;
  readonly evidence: EvidencePool;
  readonly diary: HeightDiary;
  readonly faults: DriverFaults;
  readonly input: (input: Input) => void;
  readonly isMuted: () => boolean;
  readonly self: () => ValidatorIndex | undefined;
  /** Whether the machine still waits for the proposal of the round. */
  readonly isProposing: (height: number, round: number) => boolean;
  readonly neighbourIndexes: () => ValidatorIndex[];
  readonly decide: (certificate: CommitCertificate) => void;
  readonly accuse: (validatorId: string, height: number) => void;
  readonly onFatal: (error: unknown) => void;
}

/** Timers cannot wait for ever; the machine asks again if the start has come too early. */
const START_MILLIS_MAX = 60_000;

export class EffectRunner {
  readonly #ports: EffectPorts;

  constructor(ports: EffectPorts) {
    this.#ports = ports;
  }

  run(effect: Effect): void {
    const { files, wire, speaker, serving, fetcher } = this.#ports;
    switch (effect.type) {
      case 'resetLog':
        files.reset();
        break;
      case 'append':
        files.append(encodeInput(wire, effect.input));
        break;
      case 'sync':
        files.sync();
        break;
      case 'sign':
        this.#sign(effect.message);
        break;
      case 'broadcast':
        this.#broadcast(effect.message);
        break;
      case 'send':
        speaker.sendTo(effect.to, effect.message);
        break;
      case 'sendDecision': {
        const to = speaker.idOf(effect.to);
        if (to !== undefined) serving.decision(to, effect.height);
        break;
      }
      case 'validateCut':
        fetcher.judge(effect.value, effect.from);
        break;
      case 'fetchCut':
        fetcher.fetchCertified(effect.value);
        break;
      case 'decide':
        this.#ports.decide(effect.certificate);
        break;
      default:
        this.#runOther(effect);
    }
  }

  #runOther(effect: Effect): void {
    const { speaker, cuts, files } = this.#ports;
    switch (effect.type) {
      case 'scheduleStart':
      case 'schedule':
      case 'scheduleAntiEntropy':
        this.#schedule(effect);
        break;
      case 'buildCut':
        this.#build(effect);
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
      case 'storeCut': {
        const cut = cuts.get(effect.value);
        if (cut !== undefined) files.storeCut(cut);
        break;
      }
      case 'evidence':
        this.#keepEvidence(effect);
        break;
      default:
    }
  }

  #sign(message: UnsignedMessage): void {
    const { signer, wire, input, isMuted, diary } = this.#ports;
    const { kind, height, round } = message;
    if (isMuted()) {
      diary.paused(height);
      input({ type: 'signRefused', message, reason: 'paused' });
      return;
    }
    const result = signer.sign(kind, height, round, signedBytesOf(wire, message));
    if (result.type === 'refused') {
      diary.refused(height, result.reason);
      input({ type: 'signRefused', message, reason: result.reason });
      return;
    }
    if (kind === 'precommit' && message.value !== null) diary.precommitted(height);
    const signed = { ...message, signature: result.signature } as SignedMessage;
    input({ type: 'signed', message: signed });
  }

  #broadcast(message: PeerMessage): void {
    const { speaker, faults } = this.#ports;
    speaker.broadcast(message);
    if (faults.afterSigning === undefined || !('validatorIndex' in message)) return;
    for (const other of faults.afterSigning(message)) speaker.broadcast(other);
  }

  #schedule(
    effect: Extract<Effect, { type: 'scheduleStart' | 'schedule' | 'scheduleAntiEntropy' }>,
  ): void {
    const { timers, clock, input, neighbourIndexes, diary } = this.#ports;
    const { height } = effect;
    if (effect.type === 'scheduleAntiEntropy') {
      timers.after(effect.delayMs, () => {
        const neighbours = neighbourIndexes();
        diary.sees(height, neighbours.length);
        input({ type: 'antiEntropy', neighbours });
      });
      return;
    }
    const isStart = effect.type === 'scheduleStart';
    const delay = isStart
      ? Math.min(Number(effect.atMs) - clock.now(), START_MILLIS_MAX)
      : effect.delayMs;
    timers.after(delay, () => {
      const nowMs = BigInt(clock.now());
      const timer = isStart
        ? ({ timer: 'start', round: -1 } as const)
        : { timer: effect.timer, round: effect.round };
      input({ type: 'timer', height, nowMs, ...timer } as Input);
    });
  }

  #build(effect: Extract<Effect, { type: 'buildCut' }>): void {
    const { chain, evidence, cuts, input, self, isProposing, onFatal } = this.#ports;
    const { height, round, previousRound, previousSigners } = effect;
    const proposer = self();
    if (proposer === undefined || (height > 1 && previousSigners === 0n)) return;
    const request = { height, proposer, previousRound, previousSigners, evidence: evidence.all() };
    const built = chain
      .build(request, () => isProposing(height, round))
      .then((cut) => {
        if (cut === undefined) return;
        cuts.learn(cut);
        input({ type: 'cutBuilt', height, round, value: cut.value });
      });
    built.catch(onFatal);
  }

  #keepEvidence({ conflict }: Extract<Effect, { type: 'evidence' }>): void {
    const { chain, evidence, wire, accuse } = this.#ports;
    const { height } = conflict.first;
    const set = chain.setAt(height);
    const guilty = set === undefined ? undefined : evidence.add(conflict, wire, set);
    if (guilty !== undefined) accuse(guilty, height);
  }
}
