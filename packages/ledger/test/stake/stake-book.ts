/**
 * The books of all stake, kept a second time in the plainest way: every position is written to in the moment in
 * which something happens to it, a slash included, and the payments that an interval owes are listed when the interval ends.
 * The book shares no rule with the ledger.
 */
import type { Operation } from '../../src/protocol.ts';

export interface BookPosition {
  readonly validatorId: string;
  readonly owner: string;
  readonly own: boolean;
  bonded: bigint;
  leaving: { amount: bigint; readonly since: number }[];
}

interface BookValidator {
  leftAt: number | null;
  isPunished: boolean;
}

interface BookRemoval {
  readonly height: number;
  readonly burned: bigint;
}

export interface BookMember {
  readonly validatorId: string;
  readonly stake: bigint;
  readonly bps: number;
  readonly shares: boolean;
}

/** What an interval owes to a position. */
interface Due {
  readonly amount: bigint;
  readonly validatorId: string;
  readonly own: boolean;
}

const UNBONDING_INTERVALS = 10;

export class StakeBook {
  readonly positions = new Map<string, BookPosition>();
  readonly validators = new Map<string, BookValidator>();
  readonly removals = new Map<string, BookRemoval>();
  readonly #interval: number;
  bonded = 0n;
  unbonding = 0n;
  burned = 0n;
  /** Members and bonded amounts as the running interval began. */
  #members: readonly BookMember[] = [];
  #stood = new Map<string, Map<string, { readonly bonded: bigint; readonly own: boolean }>>();
  #due = new Map<string, Due>();
  #duePool = 0n;
  #paid = 0n;
  #collected = 0n;

  constructor(interval: number) {
    this.#interval = interval;
  }

  open(id: string, validatorId: string, owner: string, amount: bigint, own: boolean): void {
    if (own) this.validators.set(validatorId, { leftAt: null, isPunished: false });
    this.positions.set(id, { validatorId, owner, own, bonded: amount, leaving: [] });
    this.bonded += amount;
  }

  /** Writes down an operation that was executed; returns what a withdrawal pays out. */
  operate(operation: Operation, height: number): bigint {
    if (operation.type === 'exit') this.#leave(operation.validatorId, height);
    if (operation.type === 'unbond') {
      const position = this.#positionOf(operation.positionId);
      position.bonded -= operation.amount;
      position.leaving.push({ amount: operation.amount, since: height });
      this.bonded -= operation.amount;
      this.unbonding += operation.amount;
    }
    return operation.type === 'withdraw' ? this.#withdraw(operation.positionId, height) : 0n;
  }

  #withdraw(id: string, height: number): bigint {
    const position = this.#positionOf(id);
    const free = position.leaving.filter(({ since }) => this.isFree(since, height));
    position.leaving = position.leaving.filter((part) => !free.includes(part));
    const amount = free.reduce((sum, part) => sum + part.amount, 0n);
    this.unbonding -= amount;
    if (position.bonded === 0n && position.leaving.length === 0) this.positions.delete(id);
    return amount;
  }

  isFree(since: number, height: number): boolean {
    return height - since >= UNBONDING_INTERVALS * this.#interval;
  }

  #positionOf(id: string): BookPosition {
    const position = this.positions.get(id);
    if (position === undefined) throw new Error(`the book has no position ${id}`);
    return position;
  }

  #leave(validatorId: string, height: number): void {
    this.validators.set(validatorId, { leftAt: height, isPunished: false });
    for (const position of this.positions.values()) {
      if (position.validatorId !== validatorId || position.bonded === 0n) continue;
      position.leaving.push({ amount: position.bonded, since: height });
      this.bonded -= position.bonded;
      this.unbonding += position.bonded;
      position.bonded = 0n;
    }
  }

  punish(validatorId: string, height: number): void {
    if (this.validators.get(validatorId)?.leftAt === null) this.#leave(validatorId, height);
    const validator = this.validators.get(validatorId);
    if (validator !== undefined) validator.isPunished = true;
    const before = this.burned;
    for (const [id, position] of this.positions) {
      if (position.validatorId !== validatorId) continue;
      for (const part of position.leaving.filter(({ since }) => !this.isFree(since, height))) {
        const burned = position.own ? part.amount : part.amount / 10n;
        part.amount -= burned;
        this.burned += burned;
        this.unbonding -= burned;
      }
      position.leaving = position.leaving.filter(({ amount }) => amount > 0n);
      if (position.leaving.length === 0) this.positions.delete(id);
    }
    this.removals.set(validatorId, { height, burned: this.burned - before });
  }

  collect(amount: bigint): void {
    this.#collected += amount;
  }

  beginEpoch(members: readonly BookMember[]): void {
    this.#members = members;
    this.#stood = new Map(members.map(({ validatorId }) => [validatorId, new Map()]));
    for (const [id, { validatorId, bonded, own }] of this.positions) {
      if (bonded > 0n) this.#stood.get(validatorId)?.set(id, { bonded, own });
    }
  }

  /** Lists what the ending interval owes, after the one before was found to be paid. */
  endEpoch(hasAttended: (validatorId: string) => boolean): void {
    const pool = this.#collected + this.#duePool - this.#paid;
    this.#collected = 0n;
    this.#duePool = 0n;
    this.#paid = 0n;
    this.#due = new Map();
    const whole = this.#members.reduce((sum, { stake }) => sum + stake, 0n);
    const earners = this.#members.filter(({ validatorId, shares }) => {
      return shares && hasAttended(validatorId) && !this.#isPunished(validatorId);
    });
    for (const member of earners) this.#owe(member, pool, whole);
    if (earners.length > 0) this.#duePool = pool;
    else this.#collected = pool;
  }

  #isPunished(validatorId: string): boolean {
    return this.validators.get(validatorId)?.isPunished ?? true;
  }

  #owe({ validatorId, bps }: BookMember, pool: bigint, whole: bigint): void {
    let commission = 0n;
    let ownId = '';
    let ownShare = 0n;
    for (const [id, { bonded, own }] of this.#stood.get(validatorId) ?? []) {
      const share = (pool * bonded) / whole;
      const fee = own ? 0n : (share * BigInt(bps)) / 10_000n;
      commission += fee;
      if (own) {
        ownId = id;
        ownShare = share;
      } else if (share > fee) this.#due.set(id, { amount: share - fee, validatorId, own });
    }
    const amount = ownShare + commission;
    if (amount > 0n) this.#due.set(ownId, { amount, validatorId, own: true });
  }

  /** What is wrong with a payment, or null. */
  pay(positionId: string, amount: bigint): string | null {
    const due = this.#due.get(positionId);
    this.#due.delete(positionId);
    this.#paid += amount;
    if (due?.amount === amount) return null;
    return `position ${positionId} gets ${amount} atoms, not ${due?.amount ?? 0n}`;
  }

  /** The positions that were owed something and did not get it. A punished validator's own bond is owed nothing. */
  unpaid(): string[] {
    return [...this.#due]
      .filter(([, { own, validatorId }]) => !(own && this.#isPunished(validatorId)))
      .map(([id]) => id);
  }
}
