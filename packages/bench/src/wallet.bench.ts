/**
 * A wallet with 200,000 addresses and 100,000 outputs. What it holds, what it pays with and what came in last are
 * read beside the obvious query; a payment is planned, signed, checked and recorded on the disk beside nothing but
 * its signature; deposits and the start have a budget of processor time.
 */
import {
  AddressBook,
  applyLive,
  type DetailedChange,
  NO_DETAILS,
  planOrder,
} from 'svc-wallet/steps';
import { init } from 'svc-wasm';
import { type BenchOptions, compare, formatTime, type Row } from './harness.ts';
import { COIN, WalletFixture } from './wallet-fixture.ts';
import { contextOf, payerOf, sourceOf } from './wallet-payer.ts';

const SIZE = { addresses: 200_000, outputs: 100_000 };
const SMOKE_SIZE = { addresses: 200, outputs: 100 };
const DEPOSITS = 10_000;
/** For each deposit, everything but the reading from the node. */
const DEPOSIT_NANOSECONDS_MAX = 100_000;
const START_NANOSECONDS_MAX = 1e9;

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const fixture = new WalletFixture(options.smoke ? SMOKE_SIZE : SIZE);
  try {
    return [
      balanceRow(fixture, options),
      receivedRow(fixture, options),
      selectionRow(fixture, options),
      paymentRow(fixture, options),
      depositsRow(fixture, options),
      startRow(fixture),
    ];
  } finally {
    fixture.close();
  }
}

/** In nanoseconds; what others do with the machine meanwhile does not count. */
function processorTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { system, user } = process.threadCpuUsage(before);
  return 1000 * (user + system);
}

function balanceRow({ state }: WalletFixture, options: BenchOptions): Row {
  const sum = state.database.prepare(
    'SELECT SUM(amount) AS balance FROM outputs WHERE spent_height IS NULL',
  );
  return compare(
    {
      name: 'wallet::balance/outputs=100000',
      ours: { name: 'kept totals', run: () => void state.outputs.totals() },
      peer: { name: 'sum over the table', run: () => void sum.get() },
      limit: 100,
      operations: 5,
      rounds: 10,
    },
    options,
  );
}

function receivedRow({ state }: WalletFixture, options: BenchOptions): Row {
  const all = state.database.prepare(
    'SELECT * FROM outputs JOIN addresses ON addresses.id = outputs.address_id WHERE branch = 0',
  );
  const last = 1 + (SIZE.outputs >> 4) - 7;
  return compare(
    {
      name: 'wallet::received/outputs=100000,new=100',
      ours: {
        name: 'since a height',
        run: () => void state.outputs.receivedAfter(last, Number.MAX_SAFE_INTEGER, 10_000),
      },
      peer: {
        name: 'all, then those above it',
        run: () => void all.all().filter((row) => Number(row['height']) > last),
      },
      limit: 20,
      operations: 1,
      rounds: 5,
    },
    options,
  );
}

function selectionRow(fixture: WalletFixture, options: BenchOptions): Row {
  const { outputs } = fixture.state;
  const source = sourceOf(outputs);
  const context = contextOf(fixture);
  const payments = [{ address: fixture.addressAt(0), amount: 5n * COIN }];
  const order = { payments, subtractFee: false };
  return compare(
    {
      name: 'wallet::select_coins/outputs=100000,inputs=6',
      ours: { name: 'by index', run: () => void planOrder(order, source, context) },
      peer: {
        name: 'every output, sorted',
        run: () =>
          void outputs.smallest(SIZE.outputs).sort((a, b) => (a.amount > b.amount ? -1 : 1)),
      },
      limit: 20,
      operations: 3,
      rounds: 5,
    },
    options,
  );
}

/** The share of the raw signing rate that a payment reaches, one input each, without the node. */
function paymentRow(fixture: WalletFixture, options: BenchOptions): Row {
  const { root } = fixture;
  const message = new Uint8Array(48);
  return compare(
    {
      name: 'wallet::payment/inputs=1',
      ours: { name: 'planned, signed, checked, recorded', run: payerOf(fixture) },
      peer: { name: 'one signature', run: () => void root.sign(0, 0, 0, message, true) },
      limit: 0.15,
      operations: 20,
      rounds: 5,
      statistic: 'mean',
    },
    options,
  );
}

function depositsRow(fixture: WalletFixture, options: BenchOptions): Row {
  const count = options.smoke ? 20 : DEPOSITS;
  const changes = Array.from({ length: count }, (_, at): DetailedChange => {
    const transaction_id = at.toString(16).padStart(96, 'd');
    return {
      address: fixture.addressAt(1),
      addressId: 2 + (at % 100),
      finalized_height: 1_000_000 + (at >> 5),
      kind: 'received',
      outpoint: { transaction_id, output_index: 0 },
      amount: '100000000',
      source: 'regular',
      transaction_id,
      details: NO_DETAILS,
    };
  });
  const last = changes.at(-1)?.finalized_height ?? 0;
  fixture.state.meta.set('indexed_height', '999999');
  const each =
    processorTime(() => {
      const cut = { height: last, cutId: 'ab'.repeat(48) };
      const options = { generation: 0, executed: new Set<string>(), confirmations: 1 };
      applyLive(fixture.state, changes, cut, options);
    }) / count;
  return {
    name: `wallet::catch_up/deposits=${DEPOSITS}`,
    ours: `${formatTime(each)} for each deposit, committed and told`,
    peer: `${formatTime(DEPOSIT_NANOSECONDS_MAX)} allowed`,
    ratio: DEPOSIT_NANOSECONDS_MAX / each,
    limit: 1,
  };
}

function startRow(fixture: WalletFixture): Row {
  fixture.state.close();
  let known = 0;
  const elapsed = processorTime(() => {
    fixture.state = fixture.open();
    known = new AddressBook(fixture.state.addresses).size;
  });
  return {
    name: 'wallet::start/addresses=200000,outputs=100000',
    ours: `${formatTime(elapsed)} to open and know ${known} addresses`,
    peer: `${formatTime(START_NANOSECONDS_MAX)} allowed`,
    ratio: START_NANOSECONDS_MAX / elapsed,
    limit: 1,
  };
}
