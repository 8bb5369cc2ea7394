/**
 * A validator with one consensus key: the machine of `svc-consensus/machine` with disk, signer, messages and chain around it. What
 * the machine, the signer or a disk refuses is fatal; whatever comes from outside is checked before it gets here.
 * Several validators can share one chain.
 */
import type { FinalityState } from 'svc-consensus/machine';
import { Driver } from './driver.ts';
import type { ValidatorOptions, ValidatorStatus } from './options.ts';
import { makeParts, type ValidatorParts } from './parts.ts';
import type { FinalCut } from './ports/chain.ts';
import { type OpenedValidator, openValidator } from './start/open-validator.ts';
import { rulesFor } from './start/timing.ts';

/** While the chain catches up, missed cuts of long ago are not reported. */
const OLD_CUT_MILLIS = 600_000;

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

  /** The machine's state, which must not be changed in place. */
  get state(): FinalityState {
    return this.#driver.state;
  }

  /** How many offenders are waiting for their punishment. */
  get evidence(): number {
    return this.#parts.evidence.size;
  }

  /** Does not receive, sign or send until `resume`; the chain continues. */
  pause(): void {
    this.#driver.pause();
  }

  resume(): void {
    this.#driver.resume();
  }

  close(): void {
    this.#driver.close();
  }

  /** The chain has replaced the key: its record is marked as replaced, and the validator ends. */
  retire(): void {
    this.#driver.attempt(() => this.#driver.signer.retire());
    this.close();
  }

  get #signing(): ValidatorStatus['signing'] {
    const { signer, height, heldThrough, isMuted, isClosed } = this.#driver;
    const { stopped, silentThrough } = signer.state;
    if (isClosed) return stopped ? 'stopped' : 'closing';
    if (isMuted) return 'paused';
    if (stopped) return 'stopped';
    return height <= Math.max(silentThrough, heldThrough) ? 'silent' : 'active';
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
    this.#parts.keyWatch.begin(opened, isCurrent, () => this.#parts.executor.signAgain());
  }

  #onFinalized(cut: FinalCut): void {
    const age = this.#driver.ports.clock.now() - Number(cut.header.time);
    this.#driver.attempt(() => this.#parts.keyWatch.hearHeader(cut));
    if (age < OLD_CUT_MILLIS) this.#parts.attendance.record(cut);
    this.#parts.heights.onFinalized(cut, () => this.#parts.keyWatch.isWaiting);
  }
}
