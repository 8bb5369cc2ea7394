/**
 * Payments that wait at the same time take one turn together: each is decided on a bench of its own that passes over what
 * those before it hold, all are signed, and then each is recorded, in the same order. While a group of them is being signed
 * the next one is decided, if enough have come; groups are recorded one after the other. Within the turn nobody else
 * decides anything. A payment that cannot be made beside the others, or whose coins went meanwhile, is decided anew in a
 * later turn, where it comes first; so what it is told does not depend on payments that are not recorded.
 */
import type { Clock } from 'svc-base/pure';
import type { Signing } from '../keys/signing.ts';
import { Holds } from './holds.ts';
import type { Workbench } from './workbench.ts';

/** What a group needs of the bench of a payment. */
export type GroupBench = Pick<Workbench, 'areCoinsFree' | 'finish'>;

export interface GroupedWork<Bench, Made, Done> {
  /** Decides on a bench; the bytes of what is built are there when it is recorded. */
  make(bench: Bench): Promise<Made>;
  /** Records what was made. Addresses for change that no payment before it took in the end are its own too. */
  record(made: Made, changeAddresses: number): Done;
  /** What becomes of a payment that cannot be made; throws what its caller is told. */
  refuse(error: unknown): Done;
}

export interface GroupPorts<Bench> {
  waitAndDo(work: () => Promise<void>): Promise<void>;
  openBench(holds: Holds, signing: Signing | undefined): Promise<Bench>;
  beginSigning(payments: number): Signing;
  /** Does the work whole or not at all: what it had recorded is taken back when it throws. */
  atOnce<T>(work: () => T): T;
  /** Throws if the wallet may not pay any more. */
  expectMayPay(): void;
  busy(): Error;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Resolves when others that are likely to come had time for it; without, nobody is waited for. */
  moment?(): Promise<void>;
}

/** Payments of one group: no other work of the process is done while they are decided. */
const GROUP_MAX = 8;
/** Groups of one turn: whoever else wants to decide something waits for all of them. */
const GROUPS_MAX = 8;
/** So many payments are decided while a group is being signed; fewer wait until that is recorded. */
const AHEAD_MIN = 4;
/** Payments, and turns, that may wait at the same time. */
export const WAITING_MAX = 256;
/** Who has waited longer is told that the wallet is busy. */
export const WAIT_MILLIS_MAX = 5_000;
/** How often a payment is decided anew because its coins went while it was signed. */
const TRIES_MAX = 3;

interface Waiting<Bench> {
  readonly work: GroupedWork<Bench, unknown, unknown>;
  readonly done: PromiseWithResolvers<unknown>;
  /** When the payment came (monotonic). */
  readonly sinceMillis: number;
  tries: number;
}

interface Decided<Bench> {
  readonly waiting: Waiting<Bench>;
  readonly bench: Bench;
  readonly made: unknown;
  /** Addresses for change that are used by it and those before it. */
  readonly changeAddresses: number;
}

/** Payments that are decided and recorded together. */
interface Group<Bench> {
  readonly payments: readonly Waiting<Bench>[];
  readonly holds: Holds;
  readonly decided: Decided<Bench>[];
  /** Fulfilled when everything is signed; there is none where each payment is signed when it is decided. */
  signed?: Promise<void>;
  isSigned: boolean;
}

export class PaymentGroups<Bench extends GroupBench> {
  readonly #ports: GroupPorts<Bench>;
  readonly #waiting: Waiting<Bench>[] = [];
  #hasTurn = false;
  /** How many payments the last group had. */
  #lastSize = 0;
  /** Called when enough payments wait to be decided while others are being signed. */
  #whenMany: (() => void) | undefined;

  constructor(ports: GroupPorts<Bench>) {
    this.#ports = ports;
  }

  /** Does the work in a turn, together with what waits at the same time. */
  join<Made, Done>(work: GroupedWork<Bench, Made, Done>): Promise<Done> {
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(this.#ports.busy());
    const done = Promise.withResolvers<unknown>();
    const sinceMillis = this.#ports.clock.monotonic();
    this.#waiting.push({ work, done, sinceMillis, tries: 0 });
    if (this.#waiting.length >= AHEAD_MIN) this.#whenMany?.();
    this.#takeTurn();
    return done.promise as Promise<Done>;
  }

  #takeTurn(): void {
    if (this.#hasTurn || this.#waiting.length === 0) return;
    this.#hasTurn = true;
    this.#ports
      .waitAndDo(() => this.#decideSome())
      .catch((error: unknown) => {
        for (const { done } of this.#waiting.splice(0)) done.reject(error);
      })
      .finally(() => {
        this.#hasTurn = false;
        this.#takeTurn();
      });
  }

  async #decideSome(): Promise<void> {
    await afterReading();
    await this.#waitForOthers();
    const again: Waiting<Bench>[] = [];
    const groups: Group<Bench>[] = [];
    try {
      await this.#decideGroups(groups, again);
    } catch (error) {
      // Nobody waits for ever; who has been answered before is not touched by this.
      for (const { done } of groups.flatMap(({ payments }) => payments)) done.reject(error);
      return;
    }
    this.#waiting.unshift(...again);
  }

  /** Decides groups, each while the one before it is being signed, and records them in their order. */
  async #decideGroups(groups: Group<Bench>[], again: Waiting<Bench>[]): Promise<void> {
    let before: Group<Bench> | undefined;
    do {
      const group = this.#nextGroup(before?.holds);
      groups.push(group);
      await this.#decide(group, again);
      if (before !== undefined) group.holds.forgetBefore(await this.#record(before, again));
      before = group;
    } while (
      groups.length < GROUPS_MAX &&
      again.length === 0 &&
      (await this.#areManyAhead(before))
    );
    await this.#record(before, again);
  }

  #nextGroup(before: Holds | undefined): Group<Bench> {
    this.#refuseLate();
    const payments = this.#waiting.splice(0, GROUP_MAX);
    this.#lastSize = payments.length;
    return { payments, holds: new Holds(payments.length, before), decided: [], isSigned: false };
  }

  /** Whether enough payments come to be decided before a group is signed. */
  async #areManyAhead(group: Group<Bench>): Promise<boolean> {
    const { signed } = group;
    if (signed === undefined) return false;
    await afterReading();
    if (this.#waiting.length < AHEAD_MIN) {
      const many = Promise.withResolvers<void>();
      this.#whenMany = many.resolve;
      await Promise.race([signed, many.promise]);
      this.#whenMany = undefined;
    }
    return this.#waiting.length >= AHEAD_MIN && !group.isSigned;
  }

  /**
   * Waits a moment if far fewer payments are there than the last group had: callers that were answered together come back one
   * after the other, and a payment alone costs twice as much as one of several. Who calls one at a time never waits.
   */
  async #waitForOthers(): Promise<void> {
    if (2 * this.#waiting.length > this.#lastSize) return;
    await this.#ports.moment?.();
  }

  /** Refuses those who have waited too long for their turn; who came first is first in line. */
  #refuseLate(): void {
    const { busy, clock } = this.#ports;
    const latest = clock.monotonic() - WAIT_MILLIS_MAX;
    const inTime = this.#waiting.findIndex(({ sinceMillis }) => sinceMillis >= latest);
    const late = this.#waiting.splice(0, inTime === -1 ? this.#waiting.length : inTime);
    for (const { done } of late) done.reject(busy());
  }

  async #decide(group: Group<Bench>, again: Waiting<Bench>[]): Promise<void> {
    const { decided, holds, payments } = group;
    const signing = payments.length > 1 ? this.#ports.beginSigning(payments.length) : undefined;
    try {
      for (const waiting of payments) {
        const isFirst = holds.transactions === 0;
        try {
          const bench = await this.#ports.openBench(holds, signing);
          const made = await waiting.work.make(bench);
          decided.push({ waiting, bench, made, changeAddresses: holds.changeAddresses });
        } catch (error) {
          if (isFirst) settle(waiting, () => waiting.work.refuse(error));
          else again.push(waiting);
        }
      }
    } finally {
      if (signing !== undefined) {
        group.signed = signedIn(group, signing);
        // Whoever records the group is told; after another failure nobody does.
        group.signed.catch(() => {});
      }
    }
  }

  /** Records a group once it is signed. Returns how many addresses for change were issued with it. */
  async #record(group: Group<Bench>, again: Waiting<Bench>[]): Promise<number> {
    const { decided, holds, signed } = group;
    await signed;
    const ready = decided.filter(({ bench, waiting }) => {
      if (this.#mayRecord(bench)) return true;
      this.#tryAgain(waiting, again);
      return false;
    });
    return this.#recordAll(ready.filter(isFinished), holds.issuedBefore) - holds.issuedBefore;
  }

  /**
   * Records payments at once or, where one of them is refused at the end, each for itself. Returns up to which address for
   * change all are issued then.
   */
  #recordAll(ready: readonly Decided<Bench>[], issuedBefore: number): number {
    const results = ready.length > 1 ? this.#recordAtOnce(ready, issuedBefore) : undefined;
    let issued = issuedBefore;
    for (const [at, decided] of ready.entries()) {
      const isRecorded = settle(decided.waiting, () =>
        results === undefined ? record(decided, issued) : results[at],
      );
      if (isRecorded) issued = decided.changeAddresses;
    }
    return issued;
  }

  /** What each payment is told; undefined if not all can be recorded, and none is. */
  #recordAtOnce(
    ready: readonly Decided<Bench>[],
    issuedBefore: number,
  ): readonly unknown[] | undefined {
    let issued = issuedBefore;
    try {
      return this.#ports.atOnce(() =>
        ready.map((decided) => {
          const result = record(decided, issued);
          issued = decided.changeAddresses;
          return result;
        }),
      );
    } catch {
      // Whose fault it is shows when each is recorded for itself.
      return undefined;
    }
  }

  /** Whether what was decided holds after the signatures: cuts may have been read while they were made. */
  #mayRecord(bench: Bench): boolean {
    try {
      this.#ports.expectMayPay();
    } catch {
      return false;
    }
    return bench.areCoinsFree;
  }

  /** Lets a payment be decided anew. */
  #tryAgain(waiting: Waiting<Bench>, again: Waiting<Bench>[]): void {
    if (++waiting.tries < TRIES_MAX) again.push(waiting);
    else waiting.done.reject(this.#ports.busy());
  }
}

/** Resolves when the process has read what came meanwhile: payments that are read at this moment come along. */
function afterReading(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Waits for the signatures of a group. */
async function signedIn(group: Group<unknown>, signing: Signing): Promise<void> {
  try {
    await signing.done();
  } finally {
    group.isSigned = true;
  }
}

/** Finishes what was decided, once: records may be tried twice. What cannot be finished is told why. */
function isFinished<Bench extends GroupBench>({ bench, waiting }: Decided<Bench>): boolean {
  try {
    bench.finish();
    return true;
  } catch (error) {
    waiting.done.reject(error);
    return false;
  }
}

/** Records what was decided, with the addresses for change that nobody before it has issued. */
function record<Bench extends GroupBench>(
  { changeAddresses, made, waiting }: Decided<Bench>,
  issued: number,
): unknown {
  return waiting.work.record(made, changeAddresses - issued);
}

/** Answers a payment with what the work returns or throws. Returns whether the work was done. */
function settle({ done }: Pick<Waiting<unknown>, 'done'>, work: () => unknown): boolean {
  try {
    done.resolve(work());
    return true;
  } catch (error) {
    done.reject(error);
    return false;
  }
}
