/**
 * What is prepared when a height begins: its page in the diary and, with a new epoch or set, the members of the committee,
 * their keys for the checks of signatures, and the connections to them.
 */
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { Driver } from '../driver.ts';
import type { ValidatorOverlay, VoteChecks } from '../ports/overlay.ts';

export interface HeightStartPorts {
  readonly checks: Pick<VoteChecks<unknown>, 'learnSet'>;
  readonly overlay: Pick<ValidatorOverlay<unknown>, 'setCommittee'>;
}

export class HeightStart {
  readonly #driver: Driver;
  readonly #ports: HeightStartPorts;
  #epoch = -1;
  #set: ValidatorSet | undefined;

  constructor(driver: Driver, ports: HeightStartPorts) {
    this.#driver = driver;
    this.#ports = ports;
  }

  prepare(): void {
    const { chain } = this.#driver.ports;
    const { height, epoch, startAtMs, validators } = chain.next;
    const { proposeMs } = this.#driver.rules.timing;
    this.#driver.diary.begin(height, Number(startAtMs), proposeMs);
    if (epoch === this.#epoch && validators === this.#set) return;
    this.#epoch = epoch;
    this.#set = validators;
    const before = chain.setAt(height - 1);
    if (before !== undefined) this.#ports.checks.learnSet(before.encoded);
    this.#ports.checks.learnSet(validators.encoded);
    this.#driver.setMembers(validators);
    this.#ports.overlay.setCommittee(chain.overlayMembers());
  }
}
