import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, until } from 'svc-base/testing';
import type { Holds } from './holds.ts';
import { type GroupBench, PaymentGroups, WAIT_MILLIS_MAX } from './payment-groups.ts';

/** A bench of these tests: it takes a coin, and an address for change with it. */
interface Bench extends GroupBench {
  readonly holds: Holds;
}

interface World {
  readonly groups: PaymentGroups<Bench>;
  readonly told: string[];
  /** The payments whose records were not taken back. */
  readonly recorded: number[];
  readonly clock: ManualClock;
  /** Lets the payments that were called go on together. */
  open(): void;
}

interface WorldOptions {
  readonly going?: number;
  /** The coin whose payment cannot be finished; like a bench, it says so at the first time only. */
  readonly unfinished?: number;
  readonly isContradicted?: boolean;
}

/** A wallet of these coins, of which one may go while payments are signed, and which may learn of another history then. */
function world(
  coins: readonly number[],
  { going, unfinished, isContradicted = false }: WorldOptions = {},
): World {
  const told: string[] = [];
  const recorded: number[] = [];
  const gone = new Set<number>();
  const clock = new ManualClock();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let mayPay = true;
  const groups = new PaymentGroups<Bench>({
    waitAndDo: async (work) => {
      await opened;
      told.push('turn');
      await work();
    },
    openBench: async (holds) => {
      const own = coins.find((id) => !holds.has(id) && !gone.has(id)) as number;
      return {
        holds,
        get areCoinsFree() {
          return !gone.has(own);
        },
        finish: () => {
          const isFirst = !told.includes(`finish ${own}`);
          told.push(`finish ${own}`);
          if (own === unfinished && isFirst) throw new Error(`${own} says something else`);
        },
      };
    },
    beginSigning: (payments) => ({
      sign: () => () => new Uint8Array(0),
      done: async () => {
        told.push(`sign ${payments}`);
        if (going !== undefined) gone.add(going);
        mayPay = !isContradicted;
      },
    }),
    atOnce: (work) => {
      const before = recorded.length;
      try {
        return work();
      } catch (error) {
        recorded.length = before;
        throw error;
      }
    },
    expectMayPay: () => {
      if (!mayPay) throw new Error('two histories');
    },
    busy: () => new Error('busy'),
    clock,
  });
  return { groups, told, recorded, clock, open };
}

interface PaymentOptions {
  readonly fails?: boolean;
  readonly isRefusedLate?: boolean;
  readonly recorded?: number[];
}

function payment(
  id: number,
  { fails = false, isRefusedLate = false, recorded = [] }: PaymentOptions = {},
) {
  return {
    make: async ({ holds }: Bench): Promise<number> => {
      if (fails) throw new Error(`no ${id} beside ${holds.transactions}`);
      holds.changeAddresses++;
      holds.take([{ id, transactionId: '', outputIndex: 0, addressId: 0, amount: 1n }]);
      return id;
    },
    record: (made: number, changeAddresses: number): string => {
      recorded.push(made);
      if (isRefusedLate) throw new Error(`late ${made}`);
      return `${made} with ${changeAddresses}`;
    },
    refuse: (error: unknown): string => {
      throw error;
    },
  };
}

async function outcomes(paid: readonly Promise<string>[]): Promise<string[]> {
  const settled = await Promise.allSettled(paid);
  return settled.map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as Error).message,
  );
}

test('payments that wait together are signed together and recorded in their order', async () => {
  const { groups, open, told } = world([1, 2, 3]);
  const paid = [1, 2, 3].map((id) => groups.join(payment(id)));
  open();
  assert.deepEqual(await outcomes(paid), ['1 with 1', '2 with 1', '3 with 1']);
  assert.deepEqual(told, ['turn', 'sign 3', 'finish 1', 'finish 2', 'finish 3']);
});

test('eight payments are signed together, and whoever waits behind them comes next', async () => {
  const ids = Array.from({ length: 10 }, (_, at) => at + 1);
  const { groups, open, told } = world(ids);
  const paid = ids.map((id) => groups.join(payment(id)));
  open();
  await Promise.all(paid);
  const signed = told.filter((line) => line.startsWith('sign'));
  assert.deepEqual(signed, ['sign 8', 'sign 2']);
});

test('the addresses of a payment that is refused at the end are issued with the next', async () => {
  const { groups, open } = world([1, 2, 3]);
  const paid = [
    groups.join(payment(1)),
    groups.join(payment(2, { isRefusedLate: true })),
    groups.join(payment(3)),
  ];
  open();
  assert.deepEqual(await outcomes(paid), ['1 with 1', 'late 2', '3 with 2']);
});

test('one that is refused at the end takes no record of the others with it, and none is recorded twice', async () => {
  const { groups, open, recorded } = world([1, 2, 3]);
  const paid = [
    groups.join(payment(1, { recorded })),
    groups.join(payment(2, { isRefusedLate: true })),
    groups.join(payment(3, { recorded })),
  ];
  open();
  await outcomes(paid);
  assert.deepEqual(recorded, [1, 3]);
});

test('one that cannot be finished is told why and is not recorded, and the others are finished once', async () => {
  const { groups, open, recorded, told } = world([1, 2, 3], { unfinished: 2 });
  const paid = [1, 2, 3].map((id) => groups.join(payment(id, { recorded })));
  open();
  assert.deepEqual(await outcomes(paid), ['1 with 1', '2 says something else', '3 with 2']);
  assert.deepEqual(recorded, [1, 3]);
  assert.deepEqual(
    told.filter((line) => line.startsWith('finish')),
    ['finish 1', 'finish 2', 'finish 3'],
  );
});

test('what cannot be paid is told as if nobody else paid', async () => {
  const { groups, open, told } = world([1, 2]);
  const paid = [groups.join(payment(1)), groups.join(payment(2, { fails: true }))];
  open();
  assert.deepEqual(await outcomes(paid), ['1 with 1', 'no 2 beside 0']);
  assert.deepEqual(told, ['turn', 'sign 2', 'finish 1', 'turn']);
});

test('a payment whose coin went while it was signed is decided anew', async () => {
  const { groups, open, told } = world([1, 2], { going: 2 });
  const paid = [1, 2].map((id) => groups.join(payment(id)));
  open();
  assert.deepEqual(await outcomes(paid), ['1 with 1', '2 with 1']);
  assert.deepEqual(told, ['turn', 'sign 2', 'finish 1', 'turn', 'finish 1']);
});

test('nothing is recorded where the wallet may not pay any more', async () => {
  const { groups, open, told } = world([1, 2], { isContradicted: true });
  const paid = [1, 2].map((id) => groups.join(payment(id)));
  open();
  assert.deepEqual(await outcomes(paid), ['busy', 'busy']);
  assert.ok(!told.some((line) => line.startsWith('finish')));
});

test('payments that come while others are signed are decided before those are recorded, and recorded after them', async () => {
  const told: string[] = [];
  const signed = [1, 2].map(() => Promise.withResolvers<void>());
  let signings = 0;
  const groups = new PaymentGroups<GroupBench>({
    waitAndDo: (work) => {
      told.push('turn');
      return work();
    },
    openBench: async () => ({ areCoinsFree: true, finish: () => {} }),
    beginSigning: () => {
      const { promise } = signed[signings++] as PromiseWithResolvers<void>;
      return { sign: () => () => new Uint8Array(0), done: () => promise };
    },
    atOnce: (work) => work(),
    expectMayPay: () => {},
    busy: () => new Error('busy'),
    clock: new ManualClock(),
  });
  const pay = (name: string): Promise<string> =>
    groups.join({
      make: async () => void told.push(`decide ${name}`),
      record: () => {
        told.push(`record ${name}`);
        return name;
      },
      refuse: () => 'refused',
    });
  const decided = (count: number): Promise<void> =>
    until(() => told.filter((line) => line.startsWith('decide')).length === count, 'decisions');
  const paid = ['a', 'b'].map(pay);
  await decided(2);
  paid.push(...['c', 'd', 'e'].map(pay));
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  assert.deepEqual(told, ['turn', 'decide a', 'decide b'], 'three are too few');
  paid.push(pay('f'));
  await decided(6);
  assert.ok(!told.some((line) => line.startsWith('record')));
  signed[1]?.resolve();
  signed[0]?.resolve();
  assert.deepEqual(await Promise.all(paid), ['a', 'b', 'c', 'd', 'e', 'f']);
  assert.deepEqual(told.slice(3), [
    ...['decide c', 'decide d', 'decide e', 'decide f'],
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `record ${name}`),
  ]);
});

test('who has waited too long is told that the wallet is busy, and others are paid', async () => {
  const { clock, groups, open } = world([1, 2]);
  const late = groups.join(payment(1));
  clock.advance(WAIT_MILLIS_MAX + 1);
  const paid = [late, groups.join(payment(2))];
  open();
  assert.deepEqual(await outcomes(paid), ['busy', '2 with 1']);
});

test('a turn that is not given answers everybody who waits', async () => {
  const groups = new PaymentGroups<Bench>({
    waitAndDo: () => Promise.reject(new Error('busy')),
    openBench: () => Promise.reject(new Error('unreachable')),
    beginSigning: () => ({ sign: () => () => new Uint8Array(0), done: async () => {} }),
    atOnce: (work) => work(),
    expectMayPay: () => {},
    busy: () => new Error('busy'),
    clock: new ManualClock(),
  });
  const paid = [1, 2].map((id) => groups.join(payment(id)));
  assert.deepEqual(await outcomes(paid), ['busy', 'busy']);
});

test('after a turn of many a few wait a moment for others, and who comes alone again does not', async () => {
  const told: string[] = [];
  const moments: PromiseWithResolvers<void>[] = [];
  const groups = new PaymentGroups<GroupBench>({
    waitAndDo: (work) => work(),
    openBench: async () => ({ areCoinsFree: true, finish: () => {} }),
    beginSigning: (payments) => ({
      sign: () => () => new Uint8Array(0),
      done: async () => void told.push(`sign ${payments}`),
    }),
    atOnce: (work) => work(),
    expectMayPay: () => {},
    busy: () => new Error('busy'),
    clock: new ManualClock(),
    moment: () => {
      const moment = Promise.withResolvers<void>();
      moments.push(moment);
      return moment.promise;
    },
  });
  const pay = (count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, () =>
        groups.join({ make: async () => 'made', record: () => 'done', refuse: () => 'refused' }),
      ),
    );
  await pay(1);
  await pay(6);
  assert.deepEqual([told, moments.length], [['sign 6'], 0]);
  await pay(4);
  assert.equal(moments.length, 0, 'four are more than half of six');
  const two = pay(2);
  while (moments.length === 0) await new Promise(setImmediate);
  const third = pay(1);
  moments[0]?.resolve();
  await Promise.all([two, third]);
  assert.deepEqual(told, ['sign 6', 'sign 4', 'sign 3']);
  const alone = pay(1);
  while (moments.length === 1) await new Promise(setImmediate);
  moments[1]?.resolve();
  await alone;
  await pay(1);
  assert.equal(moments.length, 2, 'one after one waits for nobody');
});
