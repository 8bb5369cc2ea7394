/**
 * One consensus key at work: the machine of `svc-finality` with disk, signer, messages and chain around it. What
 * the machine, the signer or a disk refuses is fatal; whatever comes from outside is checked before it gets here.
 * Several validators can share one chain.
 */
import { type FinalityState, height as heightOf, isBitSet } from 'svc-finality';
import { Driver } from './driver.ts';
import type { ValidatorOptions, ValidatorStatus } from './options.ts';
import { makeParts, type ValidatorParts } from './parts.ts';
import { KEY_ELSEWHERE } from './peers/reception.ts';
import type { FinalCut } from './ports/chain.ts';
import { type OpenedValidator, openValidator } from './start/open-validator.ts';
import { StartWatch } from './start/start-watch.ts';
import { BEHIND_HEIGHTS, rulesFor } from './start/timing.ts';

/** Who missed a cut of long ago, while the chain catches up, is no news. */
const OLD_CUT_MILLIS = 600_000;
/** How long a validator that was far behind listens for a signature of its key that it does not know. */
export const HOLD_BACK_MILLIS = 60_000;

export class Validator {
  /** Reads the validator's files and starts; throws a `ValidatorStartError` that says what to do. */
  static start<Packet>(options: ValidatorOptions<Packet>): Validator {
    const { chain, codec, signState } = options;
    const rules = options.rules ?? rulesFor(chain.paceMillis);
    const signedBytes: Driver['signedBytes'] = (message) => codec.signedBytes(message);
    const opened = openValidator({ ports: options, signState, rules, signedBytes });
    const driver = new Driver({ ports: options, rules, opened, signedBytes });
    const validator = new Validator(driver, makeParts(driver, options));
    validator.#begin(opened, options.isCurrent);
    return validator;
  }

  readonly #driver: Driver;
  readonly #parts: ValidatorParts;
  /** Whether it waits, since its start, for others to show how far the chain is. */
  #isWaiting = false;
  /** Own signatures of this height and later ones were made by this process or by another holder of the key. */
  #watchedFrom: number | undefined;

  private constructor(driver: Driver, parts: ValidatorParts) {
    this.#driver = driver;
    this.#parts = parts;
  }

  get status(): ValidatorStatus {
    const { context, round } = this.#driver.state;
    const { cuts = 0, signed = 0 } = this.#parts.attendance.current ?? {};
    return {
      validatorId: context.self === undefined ? null : (this.#driver.members[context.self] ?? null),
      height: context.height,
      round: round.round,
      step: round.step,
      neighbours: this.#parts.speaker.neighbourCount,
      signing: this.#signing,
      lastSignedHeight: this.#driver.signer.state.last?.height ?? null,
      window: { cuts, signed },
    };
  }

  /** The machine's state, which nobody changes in place. */
  get state(): FinalityState {
    return this.#driver.state;
  }

  /** How many offenders are waiting for their punishment. */
  get evidence(): number {
    return this.#parts.evidence.size;
  }

  /** Neither hears, signs nor speaks until `resume`; the chain goes on. */
  pause(): void {
    this.#driver.pause();
  }

  resume(): void {
    this.#driver.resume();
  }

  close(): void {
    this.#driver.close();
  }

  /** The chain has replaced the key: its record says so from now on, and the validator ends. */
  retire(): void {
    this.#driver.attempt(() => this.#driver.signer.retire());
    this.close();
  }

  get #signing(): ValidatorStatus['signing'] {
    const { signer, height, isMuted, isClosed } = this.#driver;
    const { stopped, silentThrough } = signer.state;
    if (isClosed) return stopped ? 'stopped' : 'closing';
    if (isMuted) return 'paused';
    if (stopped) return 'stopped';
    return height <= silentThrough ? 'silent' : 'active';
  }

  #begin(opened: OpenedValidator, isCurrent: (() => boolean) | undefined): void {
    const { endings, height, state, ports } = this.#driver;
    const { chain, blocks, log } = ports;
    endings.push(chain.finalized.on((cut) => this.#onFinalized(cut)));
    endings.push(
      blocks.accepted.on(({ bytes }) => {
        const { fetcher } = this.#parts;
        if (fetcher.isWantedBlock(bytes.id)) fetcher.evaluateAgain();
      }),
    );
    log.info({ height, in_committee: state.context.self !== undefined }, 'validator started');
    if (opened.signing === 'silent')
      log.warn(
        { height },
        'the log does not account for the last signature: silent at this height',
      );
    if (this.#driver.signer.awaitsCurrent) this.#waitInSilence(isCurrent, opened);
    else if (isCurrent === undefined) this.#startMachine(opened);
    else this.#waitUntil(isCurrent, opened);
  }

  /**
   * A new record: hears and follows from the first moment; the silence counts from what is shown to be current, once
   * the committee names the key.
   */
  #waitInSilence(isCurrent: (() => boolean) | undefined, opened: OpenedValidator): void {
    const { signer, rules, ports } = this.#driver;
    const headAtStart = ports.chain.head.height;
    this.#startMachine(opened);
    const onCurrent = (): void => {
      const { height } = ports.chain.head;
      const base = rules.silenceBase(headAtStart, height);
      const begun = signer.beginSilence(heightOf(base), rules.silentCuts);
      this.#watchKey();
      if (begun === 'stopped') ports.log.error({ height }, KEY_ELSEWHERE);
      else
        ports.log.warn({ height, through: base + rules.silentCuts }, 'silent after a new record');
    };
    const isHeard = () =>
      rules.canHearTwin(this.#driver.ownIndexAt(this.#driver.height)) && isCurrent?.() !== false;
    if (isCurrent === undefined && isHeard()) this.#driver.attempt(onCurrent);
    else this.#watchUntil(isHeard, onCurrent);
  }

  #startMachine({ recovered }: OpenedValidator): void {
    const { machine, state } = this.#driver;
    if (recovered !== undefined) machine.resume(recovered.effects);
    else machine.input({ type: 'startHeight', context: state.context });
  }

  #waitUntil(isCurrent: () => boolean, opened: OpenedValidator): void {
    const { height } = this.#driver;
    this.#isWaiting = true;
    this.pause();
    this.#driver.isListening = true;
    this.#watchUntil(isCurrent, () => {
      this.#isWaiting = false;
      this.#driver.isListening = false;
      const isFarBehind = this.#driver.rules.isFarBehind(this.#driver.height - height);
      if (isFarBehind || this.#wasHeldBack()) this.#holdBack();
      this.#watchKey();
      this.resume();
      if (this.#driver.height === height) this.#startMachine(opened);
    });
  }

  #watchUntil(isCurrent: () => boolean, onCurrent: () => void): void {
    const { clock, log } = this.#driver.ports;
    const attempt = (): void => this.#driver.attempt(onCurrent);
    const watch = new StartWatch({ isCurrent, onCurrent: attempt, clock, log });
    this.#driver.endings.push(() => watch.close());
  }

  /**
   * The chain here was far behind: perhaps the whole disk is an old copy, and the key has signed at the heights in
   * progress. It stays silent for them, or until nobody has shown such a signature for a while: who was only away may
   * be needed.
   */
  #holdBack(): void {
    const { signer, ports } = this.#driver;
    const { height } = ports.chain.head;
    signer.staySilentThrough(heightOf(height + BEHIND_HEIGHTS));
    const { silentThrough } = signer.state;
    const end = ports.clock.after(HOLD_BACK_MILLIS, () => {
      if (signer.state.silentThrough !== silentThrough) return;
      this.#driver.attempt(() => {
        signer.endSilence();
        this.#parts.executor.signAgain();
      });
    });
    this.#driver.endings.push(end);
  }

  /**
   * Whether the process before this one ended while it held back: the record still says silent, and nothing else would
   * end that silence. The silence after a lost log ends with the height of the last signature.
   */
  #wasHeldBack(): boolean {
    const { signer, ports } = this.#driver;
    const { silentThrough, last } = signer.state;
    const { height } = ports.chain.head;
    return (
      silentThrough > Math.max(height, last?.height ?? 0) &&
      silentThrough <= height + BEHIND_HEIGHTS
    );
  }

  /** From here on final headers tell whether the key is used elsewhere: own signatures of before have passed. */
  #watchKey(): void {
    this.#watchedFrom = this.#driver.ports.chain.head.height + 1 + BEHIND_HEIGHTS;
  }

  #hearOwnKey({ height, header }: FinalCut): void {
    const { signer, rules, ports } = this.#driver;
    const signed = height - 1;
    const own = this.#driver.ownIndexAt(signed);
    if (this.#watchedFrom === undefined || signed < this.#watchedFrom || signer.state.stopped)
      return;
    if (own === undefined || !rules.isOwn(own, own) || !isBitSet(header.previousSigners, own))
      return;
    if (signer.ownSignatureNamed(heightOf(signed)))
      ports.log.error({ height: signed }, KEY_ELSEWHERE);
  }

  #onFinalized(cut: FinalCut): void {
    const age = this.#driver.ports.clock.now() - Number(cut.header.time);
    this.#driver.attempt(() => this.#hearOwnKey(cut));
    if (age < OLD_CUT_MILLIS) this.#parts.attendance.record(cut);
    this.#parts.heights.onFinalized(cut, () => this.#isWaiting);
  }
}
