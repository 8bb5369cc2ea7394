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
  initialState,
  NO_ROUND,
  type Rules,
  type Signer,
} from 'svc-finality';
import { toHex } from 'svc-wasm/base';
import type { ValidatorSet } from 'svc-wasm/protocol';
import { PROTOCOL_VERSION } from '../chain/assemble-cut.ts';
import type { ChainCore } from '../chain/chain-core.ts';
import { cannotBeFinal } from '../chain/chain-errors.ts';
import type { FinalizedCut } from '../ports/chain.ts';
import type { VoteChecks } from '../ports/vote-checks.ts';
import { committeeOf } from './committee.ts';
import type { DriverOptions, DriverStatus } from './driver-options.ts';
import { type DriverParts, makeParts } from './driver-parts.ts';
import type { HeightFiles } from './height-files.ts';
import { HeightTimers } from './height-timers.ts';
import { LocalVoteChecks } from './local-vote-checks.ts';
import {
  contextOf,
  indexIn,
  type OpenedValidator,
  openValidator,
  previousOf,
} from './open-validator.ts';
import { StartWatch } from './start-watch.ts';
import { rulesFor } from './timing.ts';

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
  readonly #timers: HeightTimers;
  readonly #parts: DriverParts;
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
  /** Since its start, for others to show how far the chain is. */
  #isWaiting = false;
  #isClosed = false;

  private constructor(options: DriverOptions, rules: Rules, opened: OpenedValidator) {
    const { chain, clock } = options;
    this.#options = options;
    this.#rules = rules;
    this.#chain = chain;
    this.#signer = opened.signer;
    this.#files = opened.files;
    this.#checks = options.checks ?? new LocalVoteChecks(chain.wire.chainId);
    this.#timers = new HeightTimers(clock);
    this.#parts = makeParts({
      options,
      rules,
      opened,
      checks: this.#checks,
      timers: this.#timers,
      isMuted: this.#isMuted,
      members: () => this.#members,
      ownIndexAt: (height) => this.#ownIndexAt(height),
      onVerdict: (value, verdict) => this.#onVerdict(value, verdict),
      decide: (certificate) => this.#decide(certificate),
      helpedBy: (validatorId) => {
        this.#helper = validatorId;
      },
      onFatal: this.#fail,
    });
    this.#begin(opened);
  }

  get status(): DriverStatus {
    const { context, round } = this.#parts.loop.state;
    const { cuts = 0, signed = 0 } = this.#parts.attendance.current ?? {};
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
    return this.#parts.evidence.size;
  }

  /**
   * Neither hears, signs nor speaks until `resume`; the chain goes on. The machine is held: it would take
   * votes that were not signed for made, and if all were paused nobody would make them any more.
   */
  pause(): void {
    this.#isPaused = true;
    this.#parts.loop.hold();
  }

  resume(): void {
    this.#isPaused = false;
    this.#parts.loop.release();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.overlay.listen(() => {});
    for (const end of this.#endings) end();
    this.#cancelFollow?.();
    this.#timers.clear();
    this.#parts.fetcher.clear();
    this.#parts.inbox.close();
    this.#parts.loop.stop();
    this.#files.close();
    this.#signer.close();
  }

  get #signing(): DriverStatus['signing'] {
    if (this.#isMuted()) return 'paused';
    const { stopped, silentThrough } = this.#signer.state;
    if (stopped || this.#parts.loop.isStopped) return 'stopped';
    return this.#parts.loop.state.context.height <= silentThrough ? 'silent' : 'active';
  }

  readonly #isMuted = (): boolean => {
    const { faults } = this.#options;
    return this.#isPaused || faults?.isAbsent?.(this.#parts.loop.state.context.height) === true;
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

  #begin(opened: OpenedValidator): void {
    const { overlay, blocks, log } = this.#options;
    this.#endings.push(this.#chain.finalized.on((cut) => this.#onFinalized(cut)));
    this.#endings.push(
      blocks.accepted.on(({ block }) => {
        if (this.#parts.fetcher.isWantedBlock(block.id)) this.#parts.fetcher.lookAgain();
      }),
    );
    overlay.listen((from, message) => {
      if (this.#isMuted()) this.#parts.diary.paused(this.#parts.loop.state.context.height);
      else this.#parts.inbox.receive(from, message);
    });
    this.#noteHeight();
    const { height, self } = this.#parts.loop.state.context;
    log.info({ height, in_committee: self !== undefined }, 'validator started');
    if (opened.signing === 'silent')
      log.warn(
        { height },
        'the log does not account for the last signature: silent at this height',
      );
    const { isCurrent } = this.#options;
    if (isCurrent === undefined) this.#first(opened);
    else this.#waitUntil(isCurrent, opened);
  }

  #first({ recovered }: OpenedValidator): void {
    const { loop } = this.#parts;
    if (recovered !== undefined) loop.start(recovered.effects);
    else loop.input({ type: 'startHeight', context: loop.state.context });
  }

  #waitUntil(isCurrent: () => boolean, opened: OpenedValidator): void {
    const { clock, log } = this.#options;
    const { height } = this.#parts.loop.state.context;
    this.#isWaiting = true;
    this.pause();
    const onCurrent = (): void => {
      this.#isWaiting = false;
      this.resume();
      if (this.#parts.loop.state.context.height === height) this.#first(opened);
    };
    const watch = new StartWatch({ isCurrent, onCurrent, clock, log });
    this.#endings.push(() => watch.close());
  }

  #onVerdict(value: CutId, verdict: 'valid' | 'invalid'): void {
    if (this.#finishing?.value === value) {
      this.#finish(this.#finishing).catch(this.#fail);
      return;
    }
    const { height } = this.#parts.loop.state.context;
    this.#parts.loop.input({ type: 'verdict', height, value, verdict });
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
      const cut = this.#parts.cuts.get(value);
      if (cut !== undefined && cut.fields.protocolVersion > PROTOCOL_VERSION) {
        this.pause();
        this.#options.onNewRules?.(height);
        return;
      }
      const evaluation = cut && (await chain.evaluate(cut, { isCertified: true }));
      if (this.#isClosed) return;
      if (chain.head.height < height) {
        if (cut === undefined || evaluation === undefined || evaluation.type === 'missing') {
          this.#parts.fetcher.fetchCertified(value);
          return;
        }
        if (evaluation.type === 'fault') throw cannotBeFinal(cut, evaluation.reason);
        await chain.commit(evaluation.execution, encodeCertificate(chain.wire, certificate));
      }
    }
    this.#finishing = undefined;
    if (!this.#isClosed) this.#enterNextHeight();
  }

  #enterNextHeight(): void {
    const { state } = this.#parts.loop;
    const context = contextOf(this.#chain, this.#options.key);
    if (context.height <= state.context.height) return;
    const follows = context.height === state.context.height + 1 && state.decided !== undefined;
    this.#timers.clear();
    this.#parts.fetcher.clear();
    this.#parts.cuts.forgetBelow(context.height);
    this.#parts.evidence.review(this.#chain.view);
    if (!follows) this.#parts.loop.replace(initialState(context, previousOf(this.#chain)));
    this.#noteHeight();
    this.#parts.loop.input({ type: 'startHeight', context });
    this.#askHelper();
  }

  /** Somebody who gave us a decision is probably further ahead. */
  #askHelper(): void {
    const helper = this.#helper;
    this.#helper = undefined;
    if (helper === undefined) return;
    const { height } = this.#parts.loop.state.context;
    const place = { height, round: NO_ROUND, step: 'unstarted' } as const;
    this.#parts.speaker.send(helper, {
      kind: 'summary',
      ...place,
      rounds: [],
      wantedPolka: undefined,
    });
  }

  #noteHeight(): void {
    const { height, epoch, startAtMs, validators } = this.#chain.next;
    this.#parts.diary.begin(height, Number(startAtMs), this.#rules.timing.proposeMs);
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
    if (age < OLD_CUT_MILLIS) this.#parts.attendance.follow(cut);
    if (cut.height < this.#parts.loop.state.context.height || this.#finishing !== undefined) return;
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
    const { state } = this.#parts.loop;
    const { height } = state.context;
    const { head, headCertificate, wire } = this.#chain;
    if (this.#finishing !== undefined || head.height < height) return;
    const isLeftBehind = this.#isWaiting || head.height > height || headCertificate === null;
    if (isLeftBehind || state.decided !== undefined) {
      this.#enterNextHeight();
      return;
    }
    const certificate = decodeCommitCertificate(wire, headCertificate);
    const { value } = certificate;
    if (!state.verdicts.has(value))
      this.#parts.loop.input({ type: 'verdict', height, value, verdict: 'valid' });
    this.#parts.loop.input({ type: 'commitCertificate', certificate });
  }
}
