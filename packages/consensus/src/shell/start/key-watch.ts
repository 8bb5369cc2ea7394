/**
 * From the start of a validator to its first signature, and whether another process has its key. Nothing is signed before the chain
 * has reached the height that others show. A signature of the own key that the record lacks makes the record a lost one: it is
 * silent for 48 cuts, and listens. One that was made since the start, or at a height that began after the chain was current, stops
 * the key for good.
 */
import {
  height as heightOf,
  isBitSet,
  round as roundOf,
  type UnsignedMessage,
} from 'svc-consensus/machine';
import type { Driver } from '../driver.ts';
import type { EffectExecutor } from '../machine/effect-executor.ts';
import type { FinalCut } from '../ports/chain.ts';
import type { OpenedValidator } from './open-validator.ts';
import { StartWatch } from './start-watch.ts';
import { BEHIND_HEIGHTS } from './timing.ts';

export const KEY_ELSEWHERE =
  'a message of this consensus key came in that this node never signed: the key is in use elsewhere and signs nothing more here';
const RECORD_LACKS =
  'the record of what this consensus key signed lacks a signature that the chain or a peer shows: it is an old copy, and the key is silent until it is known that no other process uses it';

export class KeyWatch {
  readonly #driver: Driver;
  readonly #startedAtMillis: number;
  /** Whether the validator waits, since its start, for others to show how far the chain is. */
  isWaiting = false;
  #opened: OpenedValidator | undefined;
  #isCurrent: (() => boolean) | undefined;
  #signAgain: EffectExecutor['signAgain'] = () => {};
  /** Own signatures of this height and later ones were made by this process or by another holder of the key. */
  #watchedFrom: number | undefined;
  /** The time of the newest final cut: the next header names its signers. */
  #newest: { readonly height: number; readonly time: number } | undefined;
  #cancelWait: () => void = () => {};
  #cancelHold: () => void = () => {};
  #holdAgain: () => void = () => {};

  constructor(driver: Driver) {
    this.#driver = driver;
    this.#startedAtMillis = driver.ports.clock.now();
    driver.endings.push(() => {
      this.#cancelWait();
      this.#cancelHold();
    });
  }

  /** Without `isCurrent` no other process can be ahead, and nothing is waited for. */
  begin(
    opened: OpenedValidator,
    isCurrent: (() => boolean) | undefined,
    signAgain: EffectExecutor['signAgain'],
  ): void {
    this.#opened = opened;
    this.#isCurrent = isCurrent;
    this.#signAgain = signAgain;
    if (isCurrent !== undefined && !this.#driver.signer.awaitsCurrent) {
      this.#waitUntil(isCurrent);
      return;
    }
    this.#startMachine();
    if (this.#driver.signer.awaitsCurrent) this.#waitInSilence();
  }

  /** A header names the signers of the cut before. Called before anything else is done about a final cut. */
  hearHeader({ height, header }: FinalCut): void {
    const { signer, rules } = this.#driver;
    const signed = heightOf(height - 1);
    const signedTime = this.#newest?.height === signed ? this.#newest.time : 0;
    this.#newest = { height, time: Number(header.time) };
    if (height >= this.#driver.heldThrough) this.#endHold();
    else this.#holdAgain();
    const own = this.#driver.ownIndexAt(signed);
    if (this.#isCurrent === undefined || signer.state.stopped || own === undefined) return;
    if (!rules.isOwn(own, own) || !isBitSet(header.previousSigners, own)) return;
    if (!rules.isLacking(signer, signed, roundOf(header.previousRound))) return;
    if (this.#watchedFrom === undefined || signed < this.#watchedFrom)
      this.#recordLacks(signed, rules.isMadeSince(signedTime, this.#startedAtMillis));
    else this.#stop(signed);
  }

  /** A message of the own key came in. True if it is of no further use: the key is in use elsewhere. */
  hearMessage(own: UnsignedMessage): boolean {
    const { signer, signedBytes, ports } = this.#driver;
    const { kind, height, round } = own;
    if (this.isWaiting) {
      if (signer.isUnknown(kind, height, round, signedBytes(own))) this.#recordLacks(height, false);
      return false;
    }
    const wasStopped = signer.state.stopped;
    if (!signer.ownMessageSeen(kind, height, round, signedBytes(own))) return false;
    if (!wasStopped) ports.log.error({ height, round, kind }, KEY_ELSEWHERE);
    return true;
  }

  /** The record is durable before the machine runs. */
  #recordLacks(height: number, sinceStart: boolean): void {
    const { signer, ports } = this.#driver;
    const wasKnown = signer.awaitsCurrent;
    signer.recordLacks(heightOf(height), sinceStart);
    if (wasKnown || !signer.awaitsCurrent) return;
    ports.log.warn({ height, last_signed: signer.state.last?.height ?? null }, RECORD_LACKS);
    this.#cancelWait();
    this.#endHold();
    if (this.isWaiting) this.#endWait();
    this.#waitInSilence();
  }

  #stop(height: number): void {
    this.#driver.signer.stop();
    this.#driver.ports.log.error({ height }, KEY_ELSEWHERE);
  }

  #startMachine(): void {
    const { machine, state } = this.#driver;
    const recovered = this.#opened?.recovered;
    if (recovered !== undefined) machine.resume(recovered.effects);
    else machine.input({ type: 'startHeight', context: state.context });
  }

  #waitUntil(isCurrent: () => boolean): void {
    const { height } = this.#driver;
    this.isWaiting = true;
    this.#driver.pause();
    this.#driver.isListening = true;
    this.#watchUntil(isCurrent, () => {
      this.#holdBack(this.#driver.height - height);
      this.#watchKey();
      this.#endWait();
    });
  }

  #endWait(): void {
    const { height } = this.#driver;
    this.isWaiting = false;
    this.#driver.isListening = false;
    this.#driver.resume();
    if (this.#opened?.height === height) this.#startMachine();
  }

  /**
   * An incomplete record: the validator receives and follows from the first moment; the silence counts from the first
   * current head at which the committee names the key.
   */
  #waitInSilence(): void {
    const { signer, rules, ports } = this.#driver;
    const headAtStart = ports.chain.head.height;
    const isCurrent = this.#isCurrent;
    const onCurrent = (): void => {
      const { height } = ports.chain.head;
      const base = rules.silenceBase(headAtStart, height);
      const begun = signer.beginSilence(heightOf(base), rules.silentCuts);
      this.#watchKey();
      if (begun === 'stopped') ports.log.error({ height }, KEY_ELSEWHERE);
      else
        ports.log.warn(
          { height, through: base + rules.silentCuts },
          signer.state.last === undefined
            ? 'silent after a new record'
            : 'silent after an incomplete record',
        );
    };
    const isHeard = () =>
      rules.canHearTwin(this.#driver.ownIndexAt(this.#driver.height)) && isCurrent?.() !== false;
    if (isCurrent === undefined && isHeard()) this.#driver.attempt(onCurrent);
    else this.#watchUntil(isHeard, onCurrent);
  }

  #watchUntil(isCurrent: () => boolean, onCurrent: () => void): void {
    const { clock, log } = this.#driver.ports;
    const attempt = (): void => this.#driver.attempt(onCurrent);
    const watch = new StartWatch({ isCurrent, onCurrent: attempt, clock, log });
    this.#cancelWait = () => watch.close();
  }

  /**
   * The whole disk may be a copy while another process of the key is running: that process appears in the headers of
   * the current heights, at which this one is silent. If no cut comes for a while, this validator may be needed, and
   * signs what it owes. A key that never signed has no other process, and a remote signer that was there before has
   * the newest record.
   */
  #holdBack(heightsBehind: number): void {
    const { ports, rules } = this.#driver;
    const millis = rules.holdBackMillis(heightsBehind, ports.chain.paceMillis);
    const isLocal = ports.remoteSigner?.isTakenOver !== true;
    const { head } = ports.chain;
    const mayBeCopy = heightsBehind >= BEHIND_HEIGHTS || (isLocal && head.height > 0);
    if (millis === 0 || !mayBeCopy) return;
    this.#driver.heldThrough = head.height + rules.holdBackCuts(ports.chain.interval);
    this.#holdAgain = () => {
      this.#cancelHold();
      this.#cancelHold = ports.clock.after(millis, () =>
        this.#driver.attempt(() => this.#release()),
      );
    };
    this.#holdAgain();
  }

  #release(): void {
    this.#endHold();
    this.#signAgain();
  }

  #endHold(): void {
    this.#cancelHold();
    this.#holdAgain = () => {};
    this.#driver.heldThrough = 0;
  }

  /** From here on final headers show whether the key is used elsewhere: own earlier signatures have passed. */
  #watchKey(): void {
    this.#watchedFrom = this.#driver.ports.chain.head.height + 1 + BEHIND_HEIGHTS;
  }
}
