import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from 'svc-base/testing';
import type { Reservations } from './payment-builder.ts';
import { GROUP_MAX, PaymentQueue, type QueuedBuilder, WAIT_MILLIS_MAX } from './payment-queue.ts';

/** A builder of these tests: it takes a coin, and an address for change with it. */
interface Builder extends QueuedBuilder {
  readonly reservations: Reservations;
}

interface World {
  readonly groups: PaymentQueue<Builder>;
  readonly told: string[];
  /** The payments whose records were not taken back. */
  readonly recorded: number[];
  readonly clock: ManualClock;
  /** Lets the payments that were called go on together. */
  open(): void;
}

interface WorldOptions {
  readonly going?: number;
  /** The coin whose payment cannot be finished; like a builder, it says so at the first time only. */
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
  const groups = new PaymentQueue<Builder>({
    waitAndDo: async (work) => {
      await opened;
      told.push('turn');
      await work();
    },
    openBuilder: async (reservations) => {
      const own = coins.find((id) => !reservations.has(id) && !gone.has(id)) as number;
      return {
        reservations,
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
    make: async ({ reservations }: Builder): Promise<number> => {
      if (fails) throw new Error(`no ${id} beside ${reservations.transactions}`);
      reservations.changeAddresses++;
      reservations.take([{ id, transactionId: '', outputIndex: 0, addressId: 0, amount: 1n }]);
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

test('a batch of payments is signed together, and those behind it come next', async () => {
  const ids = Array.from({ length: GROUP_MAX + 2 }, (_, at) => at + 1);
  const { groups, open, told } = world(ids);
  const paid = ids.map((id) => groups.join(payment(id)));
  open();
  await Promise.all(paid);
  const signed = told.filter((line) => line.startsWith('sign'));
  assert.deepEqual(signed, [`sign ${GROUP_MAX}`, 'sign 2']);
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

test('who has waited too long is told that the wallet is busy, and others are paid', async () => {
  const { clock, groups, open } = world([1, 2]);
  const late = groups.join(payment(1));
  clock.advance(WAIT_MILLIS_MAX + 1);
  const paid = [late, groups.join(payment(2))];
  open();
  assert.deepEqual(await outcomes(paid), ['busy', '2 with 1']);
});

test('a turn that is not given answers everybody who waits', async () => {
  const groups = new PaymentQueue<Builder>({
    waitAndDo: () => Promise.reject(new Error('busy')),
    openBuilder: () => Promise.reject(new Error('unreachable')),
    beginSigning: () => ({ sign: () => () => new Uint8Array(0), done: async () => {} }),
    atOnce: (work) => work(),
    expectMayPay: () => {},
    busy: () => new Error('busy'),
    clock: new ManualClock(),
  });
  const paid = [1, 2].map((id) => groups.join(payment(id)));
  assert.deepEqual(await outcomes(paid), ['busy', 'busy']);
});
