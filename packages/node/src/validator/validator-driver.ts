/**
 * Runs the machine of one consensus key: real time, disk, signer and messages around it, the chain beneath it.
 * Several can share one chain. What the machine, the signer or a disk refuses is fatal; whatever comes from
 * outside is checked before it gets here.
 */
import {
  type CommitCertificate,
  type CutId,
  decodeCommitCertificate,
  encodeCertificate,
  type FinalityState,
  initialState,
  NO_ROUND,
  type Rules,
  type Signer,
} from 'svc-finality';
import { toHex } from 'svc-wasm/base';
import type { ValidatorSet } from 'svc-wasm/internal';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import type { BlockPool } from '../ports/blocks.ts';
import type { FinalizedCut } from '../ports/chain.ts';
import type { ValidatorOverlay } from '../ports/overlay.ts';
import { NO_PEERS, type Relay } from '../ports/relay.ts';
import type { VoteChecks } from '../ports/vote-checks.ts';
import { AttendanceLog } from './attendance-log.ts';
import { committeeOf } from './committee.ts';
import { CutFetcher } from './cut-fetcher.ts';
import type { DriverFaults } from './driver-faults.ts';
import { EffectRunner } from './effect-runner.ts';
import { EvidencePool } from './evidence-pool.ts';
import { HeightDiary } from './height-diary.ts';
import type { HeightFiles } from './height-files.ts';
import { HeightTimers } from './height-timers.ts';
import { HeldCuts } from './held-cuts.ts';
import { Inbox } from './inbox.ts';
import { LocalVoteChecks } from './local-vote-checks.ts';
import { MachineLoop } from './machine-loop.ts';
import {
  contextOf,
  indexIn,
  type OpenedValidator,
  openValidator,
  previousOf,
  type SignStateChoice,
} from './open-validator.ts';
import { Reception } from './reception.ts';
import { Serving } from './serving.ts';
import { Speaker } from './speaker.ts';
import { rulesFor } from './timing.ts';
import type { ValidatorKey } from './validator-key.ts';

export interface DriverOptions {
  readonly chain: ChainCore;
  readonly blocks: BlockPool;
  readonly overlay: ValidatorOverlay;
  readonly key: ValidatorKey;
  /** `<data>/validator/<name>`. */
  readonly directory: string;
  readonly signState: SignStateChoice;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
  /** Checks signatures elsewhere; in this thread if absent. */
  readonly checks?: VoteChecks;
  /** Ordinary peers, asked for blocks that no validator gave. */
  readonly relay?: Relay;
  readonly random?: () => number;
  /** Refused on every network but the development network. */
  readonly faults?: DriverFaults;
}

export interface DriverStatus {
  /** Null while the key belongs to no validator of the committee. */
  readonly validatorId: string | null;
  readonly height: number;
  readonly round: number;
  readonly step: FinalityState['round']['step'];
  readonly neighbours: number;
  readonly signing: 'active' | 'silent' | 'stopped' | 'paused';
  /** Null if the key has signed nothing. */
  readonly lastSignedHeight: number | null;
  readonly window: { readonly cuts: number; readonly signed: number };
}

/** A chain that others moved is followed after this part of the pace: our own decision is mostly near. */
const GRACE_PACE_PARTS = 10;
const GRACE_MILLIS_MAX = 250;
/** Who missed a cut of long ago, while the chain catches up, is no news. */
const OLD_CUT_MILLIS = 600_000;

export class ValidatorDriver {
  /** Opens the validator's files and starts; throws a `ValidatorStartError` that says what to do. */
  static async start(options: DriverOptions): Promise<ValidatorDriver> {
    const { chain, faults, directory } = options;
    if (faults !== undefined && chain.genesis.network !== 'development')
      throw new Error('faults are for the development network');
    const rules = rulesFor(chain.genesis.paceMillis);
    const opened = await openValidator({ ...options, directory, rules });
    return new ValidatorDriver(options, rules, opened);
  }

  readonly #options: DriverOptions;
  readonly #rules: Rules;
  readonly #chain: ChainCore;
  readonly #signer: Signer;
  readonly #files: HeightFiles;
  readonly #checks: VoteChecks;
  readonly #cuts = new HeldCuts();
  readonly #evidence = new EvidencePool();
  readonly #diary = new HeightDiary();
  readonly #timers: HeightTimers;
  readonly #attendance: AttendanceLog;
  readonly #speaker: Speaker;
  readonly #fetcher: CutFetcher;
  readonly #inbox: Inbox;
  readonly #loop: MachineLoop;
  readonly #endings: (() => void)[] = [];
  #members: readonly string[] = [];
  /** Keys are long; the place in a set is looked up once. */
  #placeIn: { readonly set: ValidatorSet; readonly index: number | undefined } | undefined;
  #epoch = -1;
  /** A decision whose cut is being made final. */
  #finishing: CommitCertificate | undefined;
  #helper: string | undefined;
  #cancelFollow: (() => void) | undefined;
  #isPaused = false;
  #isClosed = false;

  private constructor(options: DriverOptions, rules: Rules, opened: OpenedValidator) {
    const { chain, clock, log } = options;
    this.#options = options;
    this.#rules = rules;
    this.#chain = chain;
    this.#signer = opened.signer;
    this.#files = opened.files;
    this.#checks = options.checks ?? new LocalVoteChecks(chain.wire.chainId);
    this.#timers = new HeightTimers(clock);
    for (const cut of opened.files.foundCuts) this.#cuts.learn(cut);
    this.#cuts.forgetBelow(chain.next.height);
    this.#attendance = new AttendanceLog({
      interval: chain.parameters.interval,
      log,
      diary: this.#diary,
      indexAt: (height) => this.#ownIndexAt(height),
    });
    this.#speaker = this.#makeSpeaker();
    const serving = this.#makeServing();
    this.#fetcher = this.#makeFetcher();
    this.#loop = this.#makeLoop(serving, opened);
    const reception = this.#makeReception(serving);
    this.#inbox = new Inbox({
      wire: chain.wire,
      checks: this.#checks,
      log,
      now: () => clock.now(),
      isWanted: (message) => reception.isWanted(message),
      deliver: (arrival) => reception.deliver(arrival),
      onFatal: this.#fail,
    });
    this.#begin(opened);
  }

  get status(): DriverStatus {
    const { context, round } = this.#loop.state;
    const { cuts = 0, signed = 0 } = this.#attendance.current ?? {};
    return {
      validatorId: context.self === undefined ? null : (this.#members[context.self] ?? null),
      height: context.height,
      round: round.round,
      step: round.step,
      neighbours: this.#options.overlay.neighbours().length,
      signing: this.#signing,
      lastSignedHeight: this.#signer.state.last?.height ?? null,
      window: { cuts, signed },
    };
  }

  get evidence(): number {
    return this.#evidence.size;
  }

  /** Neither hears, signs nor speaks until `resume`; the chain goes on. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.overlay.listen(() => {});
    for (const end of this.#endings) end();
    this.#cancelFollow?.();
    this.#timers.clear();
    this.#fetcher.clear();
    this.#inbox.close();
    this.#loop.stop();
    this.#files.close();
    this.#signer.close();
  }

  get #signing(): DriverStatus['signing'] {
    if (this.#isMuted()) return 'paused';
    const { stopped, silentThrough } = this.#signer.state;
    if (stopped || this.#loop.isStopped) return 'stopped';
    return this.#loop.state.context.height <= silentThrough ? 'silent' : 'active';
  }

  readonly #isMuted = (): boolean => {
    const { faults } = this.#options;
    return this.#isPaused || faults?.isAbsent?.(this.#loop.state.context.height) === true;
  };

  readonly #fail = (error: unknown): void => {
    if (this.#isClosed) return;
    this.close();
    this.#options.onFatal(error);
  };

  #ownIndexAt(height: number): number | undefined {
    const set = this.#chain.setAt(height);
    if (set === undefined) return undefined;
    if (this.#placeIn?.set !== set) this.#placeIn = { set, index: indexIn(set, this.#options.key) };
    return this.#placeIn.index;
  }

  #makeSpeaker(): Speaker {
    const { overlay, random = Math.random } = this.#options;
    return new Speaker({
      overlay,
      wire: this.#chain.wire,
      cuts: this.#cuts,
      random,
      isMuted: this.#isMuted,
      members: () => this.#members,
    });
  }

  #makeServing(): Serving {
    const { chain, blocks, clock } = this.#options;
    return new Serving({
      chain,
      blocks,
      cuts: this.#cuts,
      speaker: this.#speaker,
      now: () => clock.now(),
      onFatal: this.#fail,
    });
  }

  #makeFetcher(): CutFetcher {
    const { chain, blocks, clock, relay = NO_PEERS } = this.#options;
    return new CutFetcher({
      chain,
      blocks,
      relay,
      clock,
      cuts: this.#cuts,
      speaker: this.#speaker,
      diary: this.#diary,
      retryMillis: this.#rules.timing.antiEntropyMs,
      state: () => this.#loop.state,
      onVerdict: (value, verdict) => this.#onVerdict(value, verdict),
      onFatal: this.#fail,
    });
  }

  #makeLoop(serving: Serving, opened: OpenedValidator): MachineLoop {
    const { chain, clock, log, faults = {} } = this.#options;
    const runner = new EffectRunner({
      chain,
      clock,
      faults,
      serving,
      wire: chain.wire,
      files: this.#files,
      signer: this.#signer,
      timers: this.#timers,
      speaker: this.#speaker,
      fetcher: this.#fetcher,
      cuts: this.#cuts,
      evidence: this.#evidence,
      diary: this.#diary,
      input: (input) => this.#loop.input(input),
      isMuted: this.#isMuted,
      self: () => this.#loop.state.context.self,
      neighbourIndexes: () => this.#neighbourIndexes(),
      decide: (certificate) => this.#decide(certificate),
      accuse: (validator, height) =>
        log.warn({ validator, height }, 'a validator signed two different messages'),
      onFatal: this.#fail,
    });
    const context = contextOf(chain, this.#options.key);
    const state = opened.recovered?.state ?? initialState(context, previousOf(chain));
    return new MachineLoop(state, this.#rules, {
      run: (effect) => runner.run(effect),
      observe: (_input, { state: after, rows }) => this.#diary.rows(after.context.height, rows),
      onFatal: this.#fail,
    });
  }

  #makeReception(serving: Serving): Reception {
    const { chain, log } = this.#options;
    return new Reception({
      chain,
      log,
      serving,
      rules: this.#rules,
      signer: this.#signer,
      cuts: this.#cuts,
      fetcher: this.#fetcher,
      speaker: this.#speaker,
      diary: this.#diary,
      state: () => this.#loop.state,
      input: (input) => this.#loop.input(input),
      indexOf: (validatorId) => {
        const index = this.#members.indexOf(validatorId);
        return index < 0 ? undefined : index;
      },
      ownIndexAt: (height) => this.#ownIndexAt(height),
      helpedBy: (validatorId) => {
        this.#helper = validatorId;
      },
      onFatal: this.#fail,
    });
  }

  #begin(opened: OpenedValidator): void {
    const { overlay, blocks, log } = this.#options;
    this.#endings.push(this.#chain.finalized.on((cut) => this.#onFinalized(cut)));
    this.#endings.push(
      blocks.accepted.on(({ block }) => {
        if (this.#fetcher.isWantedBlock(block.id)) this.#fetcher.lookAgain();
      }),
    );
    overlay.listen((from, message) => {
      if (this.#isMuted()) this.#diary.paused(this.#loop.state.context.height);
      else this.#inbox.receive(from, message);
    });
    this.#noteHeight();
    const { height, self } = this.#loop.state.context;
    log.info({ height, in_committee: self !== undefined }, 'validator started');
    if (opened.signing === 'silent')
      log.warn(
        { height },
        'the log does not account for the last signature: silent at this height',
      );
    if (opened.recovered !== undefined) this.#loop.start(opened.recovered.effects);
    else this.#loop.input({ type: 'startHeight', context: this.#loop.state.context });
  }

  #neighbourIndexes(): number[] {
    const drawn = this.#speaker.draw(this.#members.length);
    return drawn.map((id) => this.#members.indexOf(id)).filter((index) => index >= 0);
  }

  #onVerdict(value: CutId, verdict: 'valid' | 'invalid'): void {
    if (this.#finishing?.value === value) {
      this.#finish(this.#finishing).catch(this.#fail);
      return;
    }
    const { height } = this.#loop.state.context;
    this.#loop.input({ type: 'verdict', height, value, verdict });
  }

  #decide(certificate: CommitCertificate): void {
    this.#finishing = certificate;
    this.#finish(certificate).catch(this.#fail);
  }

  /** Makes a decided cut final and goes on; what a restart has lost of it is got first. */
  async #finish(certificate: CommitCertificate): Promise<void> {
    const { height, value } = certificate;
    const chain = this.#chain;
    if (chain.head.height < height) {
      const cut = this.#cuts.get(value);
      const judgement = cut && (await chain.judge(cut, { isCertified: true }));
      if (this.#isClosed) return;
      if (chain.head.height < height) {
        if (cut === undefined || judgement?.type === 'unknown') {
          this.#fetcher.fetchCertified(value);
          return;
        }
        await chain.commit(cut, encodeCertificate(chain.wire, certificate));
      }
    }
    this.#finishing = undefined;
    if (!this.#isClosed) this.#enterNextHeight();
  }

  #enterNextHeight(): void {
    const { state } = this.#loop;
    const context = contextOf(this.#chain, this.#options.key);
    if (context.height <= state.context.height) return;
    const follows = context.height === state.context.height + 1 && state.decided !== undefined;
    this.#timers.clear();
    this.#fetcher.clear();
    this.#cuts.forgetBelow(context.height);
    this.#evidence.review(this.#chain.view);
    if (!follows) this.#loop.replace(initialState(context, previousOf(this.#chain)));
    this.#noteHeight();
    this.#loop.input({ type: 'startHeight', context });
    this.#askHelper();
  }

  /** Somebody who gave us a decision is probably further ahead. */
  #askHelper(): void {
    const helper = this.#helper;
    this.#helper = undefined;
    if (helper === undefined) return;
    const { height } = this.#loop.state.context;
    const place = { height, round: NO_ROUND, step: 'unstarted' } as const;
    this.#speaker.send(helper, { kind: 'summary', ...place, rounds: [], wantedPolka: undefined });
  }

  #noteHeight(): void {
    const { height, epoch, startAtMs, validators } = this.#chain.next;
    this.#diary.begin(height, Number(startAtMs), this.#rules.timing.proposeMs);
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    const before = this.#chain.setAt(height - 1);
    if (before !== undefined) this.#checks.learnSet(before.encoded);
    this.#checks.learnSet(validators.encoded);
    this.#members = validators.validators.map(({ id }) => toHex(id));
    this.#options.overlay.setCommittee(committeeOf(this.#chain.view, this.#members, epoch + 1));
  }

  #onFinalized(cut: FinalizedCut): void {
    const age = this.#options.clock.now() - cut.input.timeMillis;
    if (age < OLD_CUT_MILLIS) this.#attendance.follow(cut);
    if (cut.height < this.#loop.state.context.height || this.#finishing !== undefined) return;
    if (this.#cancelFollow !== undefined) return;
    const { paceMillis } = this.#chain.genesis;
    const grace = Math.min(GRACE_MILLIS_MAX, paceMillis / GRACE_PACE_PARTS);
    this.#cancelFollow = this.#options.clock.after(grace, () => {
      this.#cancelFollow = undefined;
      this.#follow();
    });
  }

  /** The chain has moved without us: its own certificate decides our height, or we go on behind it. */
  #follow(): void {
    const { state } = this.#loop;
    const { height } = state.context;
    const { head, headCertificate, wire } = this.#chain;
    if (this.#finishing !== undefined || head.height < height) return;
    if (head.height > height || headCertificate === null || state.decided !== undefined) {
      this.#enterNextHeight();
      return;
    }
    const certificate = decodeCommitCertificate(wire, headCertificate);
    const { value } = certificate;
    if (!state.verdicts.has(value))
      this.#loop.input({ type: 'verdict', height, value, verdict: 'valid' });
    this.#loop.input({ type: 'commitCertificate', certificate });
  }
}
