import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock, temporaryDirectory } from 'svc-base/testing';
import { type WalletClient, WalletRpcError } from 'svc-client';
import { parsePayoutText } from 'svc-mining';
import { init } from 'svc-wasm';
import { type Books, openBooks } from '../books/books.ts';
import { BookReader } from '../books/read-books.ts';
import { writeShares } from '../books/write-shares.ts';
import { openDatabase } from '../database/open-database.ts';
import { distributeReward } from '../rounds/distribute-reward.ts';
import { Payer } from './payer.ts';

interface Payment {
  readonly request_id: string;
  readonly recipients: readonly { to: string; amount: string; payload_text?: string }[];
}

/** A wallet that executes a request id once, and fails where a test says so. */
class StubWallet {
  readonly paid = new Map<string, Payment>();
  readonly outcomes = new Map<string, 'finalized' | 'expired'>();
  calls = 0;
  /** Thrown before the payment is made, or after it. */
  fault: { readonly error: Error; readonly isAfter: boolean } | undefined;
  refuses: string | undefined;

  readonly call = (async (method: string, params: Payment & { transaction: string }) => {
    this.calls++;
    if (method === 'transaction')
      return { outcome: this.outcomes.get(params.transaction) ?? null, fee: '0.00100000' };
    const place = params.recipients.findIndex(({ to }) => to === this.refuses);
    if (place >= 0)
      throw new WalletRpcError('the burn address destroys what is paid to it', {
        code: -32_000,
        kind: 'burn_address',
        retry: 'never',
        path: `recipients[${place}].to`,
      });
    const { fault } = this;
    if (fault?.isAfter === false) throw fault.error;
    this.paid.set(params.request_id, this.paid.get(params.request_id) ?? params);
    if (fault?.isAfter === true) throw fault.error;
    return { transaction: `tx ${params.request_id}`, fee: '0.00100000' };
  }) as unknown as WalletClient['call'];

  /** The first payment expires, all others become final. */
  decide(): void {
    for (const [place, name] of [...this.paid.keys()].entries())
      this.outcomes.set(`tx ${name}`, place === 0 ? 'expired' : 'finalized');
  }

  /** By payments that have not expired. */
  received(address: string): number {
    const all = [...this.paid]
      .filter(([name]) => this.outcomes.get(`tx ${name}`) !== 'expired')
      .flatMap(([, { recipients }]) => recipients);
    return all
      .filter(({ to }) => to === address)
      .reduce((sum, { amount }) => sum + Number(amount), 0);
  }
}

class Killed extends Error {}

/** A program's calls to its books and its wallet, until it is killed before or after one of them. */
class Life {
  readonly #killedAt: number;
  readonly #isAfter: boolean;
  steps = 0;

  constructor(killedAt: number, isAfter: boolean) {
    this.#killedAt = killedAt;
    this.#isAfter = isAfter;
  }

  async step<Result>(work: () => Promise<Result>): Promise<Result> {
    const step = ++this.steps;
    if (step > this.#killedAt || (step === this.#killedAt && !this.#isAfter)) throw new Killed();
    const result = await work();
    if (step === this.#killedAt) throw new Killed();
    return result;
  }

  booksOf(books: Books): Books {
    const { database } = books;
    const transaction: typeof database.transaction = (work) =>
      this.step(() => database.transaction(work));
    return { ...books, database: { transaction, close: () => database.close() } };
  }

  walletOf(wallet: StubWallet): Pick<WalletClient, 'call'> {
    const call = (method: never, params: never) => this.step(() => wallet.call(method, params));
    return { call: call as unknown as WalletClient['call'] };
  }
}

const MINERS = ['dsvc1aaaaaaaa', 'dsvc1bbbbbbbb', 'dsvc1cccccccc'] as const;
const [ALICE, BOB, CAROL] = MINERS;
const LOST = new WalletRpcError('the wallet daemon does not answer', { retry: 'same_request_id' });

await init();

async function start(t: TestContext) {
  const database = await openDatabase(join(temporaryDirectory(t), 'pool.db'), assert.fail);
  t.after(() => database.close());
  const books = await openBooks(database, { chainId: 'ab', poolAddress: 'dsvc1pool', height: 0 });
  const wallet = new StubWallet();
  return { books, wallet, payer: payerOf(books, wallet), reader: new BookReader(database) };
}

/** A payer that knows only what the books say, as after a restart. */
function payerOf(books: Books, wallet: Pick<WalletClient, 'call'>): Payer {
  const ports = { books, wallet, clock: new ManualClock(), log: SILENT_LOG, onFatal: assert.fail };
  return new Payer(ports, { threshold: 1_000_000n, intervalMillis: 1_000 });
}

let rounds = 0;
async function earn(books: Books, miners: readonly string[], atoms: bigint): Promise<void> {
  const blockId = String(++rounds).padStart(96, '0');
  const block = { blockId, anchorHeight: 1, expiresHeight: 97, windowWork: BigInt(miners.length) };
  await books.database.transaction(async (sql) => {
    const share = {
      mode: 'pplns',
      worker: 'rig',
      work: 1n,
      blockWork: 1n,
      height: 1,
      timeMillis: 0,
    } as const;
    const shares = miners.map((address) => ({ ...share, address }));
    const isLast = (place: number): boolean => place === miners.length - 1;
    await writeShares(
      sql,
      shares.map((each, place) => (isLast(place) ? { ...each, block } : each)),
    );
    const reward = { blockId, atoms: atoms * BigInt(miners.length), height: 97 };
    await distributeReward(sql, reward, { feeBasisPoints: 0n });
  });
}

test('every miner is paid once, and the payment carries the newest round and its root', async (t) => {
  const { books, wallet, payer, reader } = await start(t);
  await earn(books, MINERS, 100_000_000n);
  await payer.payDue();
  await payer.payDue();
  assert.equal(wallet.paid.size, 1);
  for (const miner of MINERS) assert.equal(wallet.received(miner), 1);
  const [payment] = wallet.paid.values();
  const carried = parsePayoutText(payment?.recipients[0]?.payload_text ?? '');
  const { rounds: newest, root } = await reader.totals();
  assert.deepEqual(carried, { round: newest, root });
  assert.deepEqual((await reader.totals()).payouts, { sent: 1 });
  wallet.outcomes.set(`tx ${payment?.request_id}`, 'finalized');
  await payer.payDue();
  assert.deepEqual((await reader.totals()).payouts, { final: 1 });
  assert.equal((await reader.payouts(Number.MAX_SAFE_INTEGER))[0]?.fee, 100_000n);
});

test('an answer that is lost, and a program that is killed: the same name is repeated and pays once', async (t) => {
  for (const isAfter of [false, true]) {
    const { books, wallet, payer } = await start(t);
    await earn(books, MINERS, 100_000_000n);
    wallet.fault = { error: LOST, isAfter };
    await payer.payDue();
    assert.equal(payer.isAnswered, false);
    wallet.fault = undefined;
    await payerOf(books, wallet).payDue();
    assert.equal(wallet.paid.size, 1);
    for (const miner of MINERS) assert.equal(wallet.received(miner), 1);
  }
});

/** Enough rounds for a refused address, an expired payment and its replacement, which becomes final. */
async function payInTurns(payer: Payer, wallet: StubWallet): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    await payer.payDue();
    wallet.decide();
  }
}

test('a program that is killed before or after any step of a payout: every miner is still paid once', async (t) => {
  let kills = 0;
  for (const isAfter of [false, true])
    for (let step = 1; ; step++) {
      const { books, wallet, reader } = await start(t);
      await earn(books, MINERS, 100_000_000n);
      wallet.refuses = BOB;
      const life = new Life(step, isAfter);
      try {
        await payInTurns(payerOf(life.booksOf(books), life.walletOf(wallet)), wallet);
      } catch (error) {
        assert.ok(error instanceof Killed, String(error));
        kills++;
        await payInTurns(payerOf(books, wallet), wallet);
      }
      const received = MINERS.map((miner) => wallet.received(miner));
      assert.deepEqual(received, [1, 0, 1], `${isAfter ? 'after' : 'before'} step ${step}`);
      const { payouts, balances } = await reader.totals();
      assert.deepEqual(payouts, { refused: 1, expired: 1, final: 1 });
      assert.equal(balances, 100_000_000n, 'of the one whom the wallet refuses');
      if (life.steps < step) break;
    }
  assert.ok(kills > 20, `${kills} kills`);
});

test('an address that the wallet refuses is set aside, and the others are paid', async (t) => {
  const { books, wallet, payer, reader } = await start(t);
  await earn(books, MINERS, 100_000_000n);
  wallet.refuses = BOB;
  await payer.payDue();
  assert.deepEqual(
    [ALICE, BOB, CAROL].map((miner) => wallet.received(miner)),
    [1, 0, 1],
  );
  assert.match((await reader.miner(BOB))?.held ?? '', /burn_address/);
  assert.equal((await reader.miner(BOB))?.balance, 100_000_000n, 'it keeps what it earned');
  assert.deepEqual((await reader.totals()).payouts, { refused: 1, sent: 1 });
});

test('a refusal of a name that the wallet may know never takes a payout back', async (t) => {
  const doubtful = ['read_only', 'wrong_chain', 'outcome_unknown', 'wallet_busy', 'internal'];
  for (const kind of doubtful) {
    const { books, wallet, payer, reader } = await start(t);
    await earn(books, MINERS, 100_000_000n);
    const error = new WalletRpcError(kind, { code: -32_000, kind, retry: 'never' });
    wallet.fault = { error, isAfter: true };
    await payer.payDue();
    assert.deepEqual((await reader.totals()).payouts, { open: 1 }, kind);
    assert.equal((await reader.totals()).balances, 0n);
    wallet.fault = undefined;
    await payer.payDue();
    assert.equal(wallet.paid.size, 1);
  }
});

test('a payout that a budget refuses waits, and is paid anew under another name if the refusal is for good', async (t) => {
  const { books, wallet, payer, reader } = await start(t);
  await earn(books, [ALICE], 100_000_000n);
  const refuse = (retry: 'later' | 'never'): void => {
    const error = new WalletRpcError('no', { code: -32_000, kind: 'day_limit', retry });
    wallet.fault = { error, isAfter: false };
  };
  refuse('later');
  await payer.payDue();
  assert.deepEqual((await reader.totals()).payouts, { open: 1 });
  refuse('never');
  await payer.payDue();
  assert.deepEqual((await reader.totals()).payouts, { refused: 1 });
  wallet.fault = undefined;
  await payer.payDue();
  assert.deepEqual((await reader.totals()).payouts, { refused: 1, sent: 1 });
  assert.equal(wallet.received(ALICE), 1);
});

test('a transaction that the node refused is paid anew only once it has expired, and stops no other payment', async (t) => {
  const { books, wallet, payer, reader } = await start(t);
  await earn(books, [ALICE], 100_000_000n);
  const refusal = {
    code: -32_000,
    kind: 'node_refused',
    retry: 'never',
    transaction: 'tx made',
  } as const;
  wallet.fault = { error: new WalletRpcError('the node refused', refusal), isAfter: false };
  await payer.payDue();
  assert.deepEqual((await reader.totals()).payouts, { sent: 1 });
  wallet.fault = undefined;
  await earn(books, [BOB], 100_000_000n);
  await payer.payDue();
  assert.deepEqual([wallet.received(ALICE), wallet.received(BOB)], [0, 1]);
  wallet.outcomes.set('tx made', 'expired');
  await payer.payDue();
  await payer.payDue();
  assert.equal(wallet.received(ALICE), 1);
});

test('a wallet without funds: the balances come back and are paid later under another name', async (t) => {
  const { books, wallet, payer, reader } = await start(t);
  await earn(books, MINERS, 100_000_000n);
  const kind = 'insufficient_funds';
  wallet.fault = {
    error: new WalletRpcError(kind, { code: -32_000, kind, retry: 'never' }),
    isAfter: false,
  };
  await payer.payDue();
  assert.equal((await reader.totals()).balances, 300_000_000n);
  wallet.fault = undefined;
  await payer.payDue();
  assert.equal(wallet.received(ALICE), 1);
});

test('a payment that expired is made again; one that was sent is never sent again', async (t) => {
  const { books, wallet, payer, reader } = await start(t);
  await earn(books, [ALICE], 100_000_000n);
  await payer.payDue();
  const [first] = wallet.paid.keys();
  // A replaced wallet knows no request id: only the transaction is queried.
  wallet.paid.clear();
  await payer.payDue();
  assert.equal(wallet.paid.size, 0);
  wallet.outcomes.set(`tx ${first}`, 'expired');
  await payer.payDue();
  assert.deepEqual((await reader.totals()).payouts, { expired: 1, sent: 1 });
  assert.equal(wallet.received(ALICE), 1);
});

test('more than seven miners are paid in several payments, and who is below the threshold waits', async (t) => {
  const { books, wallet, payer, reader } = await start(t);
  const many = Array.from(
    { length: 16 },
    (_, place) => `dsvc1miner${String(place).padStart(3, '0')}`,
  );
  await earn(books, many, 1_000_000n);
  await earn(books, [ALICE], 999_999n);
  await payer.payDue();
  assert.equal(wallet.paid.size, 3);
  for (const miner of many) assert.equal(wallet.received(miner), 0.01);
  assert.equal(wallet.received(ALICE), 0);
  assert.equal((await reader.totals()).balances, 999_999n);
});
