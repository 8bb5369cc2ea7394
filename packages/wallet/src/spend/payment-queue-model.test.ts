/**
 * Payments that come at any moment, fail, are refused at the end or lose their coins, in a wallet that signs slowly: what
 * is recorded spends no coin twice, uses no address for change twice, and leaves no address unissued before one that is used.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from 'svc-base/testing';
import type { Reservations } from './payment-builder.ts';
import { PaymentQueue, type QueuedBuilder } from './payment-queue.ts';

interface PaymentPlan {
  /** Turns of the event loop before it is called, after the one before it. */
  readonly comesAfter: number;
  /** Coins and addresses for change that it takes. */
  readonly coins: number;
  readonly change: number;
  /** It says no if others are held, and pays if it is alone. */
  readonly isShy: boolean;
  readonly isRefusedLate: boolean;
  /** A coin of it goes while it is signed, the first time. */
  readonly losesCoin: boolean;
}

const plans: fc.Arbitrary<PaymentPlan> = fc.record({
  comesAfter: fc.constantFrom(0, 0, 0, 0, 1, 3),
  coins: fc.integer({ min: 1, max: 3 }),
  change: fc.nat(3),
  isShy: fc.nat(15).map((number) => number === 0),
  isRefusedLate: fc.nat(9).map((number) => number === 0),
  losesCoin: fc.nat(9).map((number) => number === 0),
});

interface Made {
  readonly coins: readonly number[];
  readonly positions: readonly number[];
}

interface Builder extends QueuedBuilder {
  make(plan: PaymentPlan): Made;
}

/** A wallet with as many coins as anybody may want, which counts the addresses that it has issued. */
class ModelWallet {
  readonly groups: PaymentQueue<Builder>;
  readonly spent = new Set<number>();
  readonly used = new Set<number>();
  issued = 0;
  /** How often a payment was decided. */
  decisions = 0;
  #gone = new Set<number>();
  readonly #signingTurns: readonly number[];
  #signings = 0;

  constructor(signingTurns: readonly number[]) {
    this.#signingTurns = signingTurns;
    this.groups = new PaymentQueue<Builder>({
      waitAndDo: (work) => work(),
      openBuilder: async (reservations) => this.#openBuilder(reservations),
      beginSigning: () => this.#beginSigning(),
      atOnce: (work) => this.#atOnce(work),
      expectMayPay: () => {},
      busy: () => new Error('busy'),
      clock: new ManualClock(),
    });
  }

  async pay(plan: PaymentPlan): Promise<Made | string> {
    try {
      return await this.groups.join({
        make: async (builder) => builder.make(plan),
        record: (made, changeAddresses) => this.#record(plan, made, changeAddresses),
        refuse: (error) => {
          throw error;
        },
      });
    } catch (error) {
      return (error as Error).message;
    }
  }

  #openBuilder(reservations: Reservations): Builder {
    let own: Made | undefined;
    const isFree = (id: number): boolean => !this.spent.has(id) && !this.#gone.has(id);
    return {
      get areCoinsFree() {
        return own === undefined || own.coins.every(isFree);
      },
      finish: () => {},
      make: (plan) => {
        this.decisions++;
        if (plan.isShy && reservations.transactions > 0) throw new Error('others are there');
        const coins: number[] = [];
        for (let id = 0; coins.length < plan.coins; id++)
          if (isFree(id) && !reservations.has(id)) coins.push(id);
        const positions = Array.from(
          { length: plan.change },
          () => this.issued + reservations.changeAddresses++,
        );
        reservations.take(
          coins.map((id) => ({ id, transactionId: '', outputIndex: 0, addressId: 0, amount: 1n })),
        );
        own = { coins, positions };
        return own;
      },
    };
  }

  #beginSigning() {
    const turns = this.#signingTurns[this.#signings++ % this.#signingTurns.length] ?? 0;
    return {
      sign: () => () => new Uint8Array(0),
      done: async () => {
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
      },
    };
  }

  #atOnce<T>(work: () => T): T {
    const before = [new Set(this.spent), new Set(this.used), this.issued] as const;
    try {
      return work();
    } catch (error) {
      this.spent.clear();
      this.used.clear();
      for (const id of before[0]) this.spent.add(id);
      for (const position of before[1]) this.used.add(position);
      this.issued = before[2];
      throw error;
    }
  }

  #record(plan: PaymentPlan, made: Made, changeAddresses: number): Made {
    for (const id of made.coins) {
      assert.ok(!this.spent.has(id) && !this.#gone.has(id), `coin ${id} was free`);
      this.spent.add(id);
    }
    this.issued += changeAddresses;
    for (const position of made.positions) {
      assert.ok(!this.used.has(position), `address ${position} is used once`);
      assert.ok(position < this.issued, `address ${position} is issued`);
      this.used.add(position);
    }
    if (plan.isRefusedLate) throw new Error('refused');
    return made;
  }

  lose(id: number): void {
    this.#gone.add(id);
  }

  get isWhole(): boolean {
    return [...this.used].every((position) => position < this.issued);
  }
}

async function run(payments: readonly PaymentPlan[], signingTurns: readonly number[]) {
  const wallet = new ModelWallet(signingTurns);
  const paid: Promise<Made | string>[] = [];
  for (const plan of payments) {
    for (let turn = 0; turn < plan.comesAfter; turn++) await new Promise(setImmediate);
    paid.push(wallet.pay(plan));
    // The smallest coin that is not spent is likely to be held by somebody at this moment.
    if (plan.losesCoin) wallet.lose(wallet.spent.size);
  }
  const results = await Promise.all(paid);
  for (const [at, result] of results.entries()) {
    const plan = payments[at] as PaymentPlan;
    if (typeof result === 'string')
      assert.match(result, plan.isRefusedLate ? /refused|busy/ : /busy/);
    else
      assert.deepEqual([result.coins.length, result.positions.length], [plan.coins, plan.change]);
  }
  assert.ok(wallet.isWhole);
  return wallet;
}

test('no coin and no address is used twice, whatever comes while others are signed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plans, { minLength: 1, maxLength: 80, size: 'max' }),
      fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }),
      async (payments, signingTurns) => {
        await run(payments, signingTurns);
      },
    ),
    { numRuns: Number(process.env['SVC_GROUP_RUNS'] ?? 300) },
  );
});

test('where nothing goes wrong each payment is decided once, and no address is passed over', async () => {
  const plain = plans.map((plan) => {
    return { ...plan, isShy: false, isRefusedLate: false, losesCoin: false };
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(plain, { minLength: 1, maxLength: 80, size: 'max' }),
      fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }),
      async (payments, signingTurns) => {
        const { decisions, issued, used } = await run(payments, signingTurns);
        assert.equal(decisions, payments.length);
        assert.equal(issued, used.size);
      },
    ),
    { numRuns: Number(process.env['SVC_GROUP_RUNS'] ?? 300) },
  );
});
