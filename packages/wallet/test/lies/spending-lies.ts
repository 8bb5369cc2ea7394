/**
 * Lies about what was spent: payments that were never made, coins that are there, change that is kept back. While one is told
 * no payment is settled by it and the balance stays what it was; with the truth everything is as it should be.
 */
import assert from 'node:assert/strict';
import type { WalletError } from '../../src/errors.ts';
import { beginRestore } from '../../src/state/readings.ts';
import type { Wallet } from '../../src/wallet.ts';
import { eachList, type Lie, type LyingProxy, type Row } from '../testing/lying-proxy.ts';
import type { TestNetwork } from '../testing/network.ts';
import { until } from '../testing/open-wallet.ts';

export interface SpendingKit {
  readonly net: TestNetwork;
  readonly proxy: LyingProxy;
  readonly shop: Wallet;
  /** What the shop has logged as wrong. */
  readonly wrong: string[];
  /** An address of another wallet. */
  readonly stranger: string;
}

interface SpendingLie {
  readonly name: string;
  /** Returns what the wallet says of it. */
  tellAndName(kit: SpendingKit): Promise<string>;
}

const NOBODY = 'ef'.repeat(48);
const TURNS_MAX = 1_000;
const PAID = 100_000n;
let payments = 0;

interface Paid {
  readonly transaction: string;
  /** The address that its change goes to. */
  readonly change: string;
}

/** A payment of the shop that waits to be executed. */
async function pay({ shop, stranger }: SpendingKit): Promise<Paid> {
  const requestId = `spending-${++payments}`;
  const recipients = [{ to: stranger, amount: String(PAID) }];
  const request = { requestId, method: 'send_many', params: { recipients }, isAutomatic: false };
  const change = shop.keychain.changeAhead(0);
  let transaction = '';
  await until('paid', async () => {
    try {
      const reply = await shop.outgoing.perform(request);
      transaction = (reply as unknown as { transaction: string }).transaction;
      return true;
    } catch (error) {
      // The clock of the shop runs so fast that it may find no time for a payment; a repeat is none of its own.
      if ((error as WalletError).kind === 'wallet_busy') return false;
      throw error;
    }
  });
  return { transaction, change };
}

function coinOf({ shop }: SpendingKit, branch: 0 | 1) {
  const coins = shop.state.outputs.listUnspent(0, 1_000_000);
  const coin = coins.find((each) => each.branch === branch && each.reservedBy === null);
  return coin ?? assert.fail(`there is no coin of branch ${branch}`);
}

/** The row that says that a transaction has spent a coin. */
function spentRow(coin: ReturnType<typeof coinOf>, transaction_id: string): Row {
  const { address, amount, outputIndex, transactionId } = coin;
  const outpoint = { transaction_id: transactionId, output_index: outputIndex };
  const spent = { kind: 'spent', address, outpoint, amount: String(amount), transaction_id };
  return { ...spent, source: 'regular', index: 0 } as Row;
}

/** Adds a row to what every cut did. */
function inEveryCut(row: Row): Lie {
  const lie = eachList((rows) => [...rows, row]);
  return (document, path) => (path.endsWith('/leaves') ? lie(document, path) : document);
}

/** Adds a spending to what the first cut did, as the past of an address is told. */
function inPast(row: Row): Lie {
  const spent = { ...row, finalized_height: 1 };
  return (document, path) =>
    path === '/v1/address/changes'
      ? { ...document, changes: [...(document['changes'] as Row[]), spent] }
      : document;
}

/** What the wallet says of a lie. Until it does the balance stays, and no payment is final. */
async function named(kit: SpendingKit, lie: Lie, says: RegExp): Promise<string> {
  const { net, proxy, shop } = kit;
  const { outputs, journal } = shop.state;
  const { balance } = outputs.totals();
  const open = journal.open().map(({ id }) => id);
  proxy.tell(lie);
  for (let turns = 0; turns < TURNS_MAX; turns++) {
    await net.network.mine(1);
    const said = await shop.catchUp().then(
      () => '',
      (error: Error) => error.message,
    );
    assert.equal(outputs.totals().balance, balance, 'the balance stays');
    for (const id of open) assert.equal(journal.transaction(id).outcome, null, 'nothing is final');
    if (!says.test(said)) continue;
    assert.throws(() => shop.history.expectAgreement(), { kind: 'node_not_believed' });
    proxy.tellTruth();
    return said;
  }
  return assert.fail('never named');
}

/** Waits until all payments are final and the balance is what it should be; nothing that was said brings it there. */
async function untilRight({ net, shop }: SpendingKit, balance: bigint): Promise<void> {
  const { journal, outputs } = shop.state;
  await until('right', async () => {
    await net.network.mine(1);
    await shop.catchUp().catch(() => {});
    return journal.openCount() === 0 && outputs.totals().balance === balance;
  });
}

/** Has the shop pay, tells a lie about it, and sees the payment become final with the truth. */
async function nameWhilePaying(
  kit: SpendingKit,
  lieAbout: (paid: Paid, coin: Row) => Lie,
  says: RegExp,
): Promise<string> {
  const { journal, outputs } = kit.shop.state;
  const before = outputs.totals().balance;
  const paid = await pay(kit);
  const own = journal.findTransaction(paid.transaction) ?? assert.fail('it was not recorded');
  const [coin] = outputs.reservedBy(own.id);
  assert.ok(coin !== undefined);
  const said = await named(kit, lieAbout(paid, spentRow(coin, paid.transaction)), says);
  await untilRight(kit, before - PAID - own.fee);
  assert.equal(journal.transaction(own.id).outcome, 'finalized');
  return said;
}

/** Tells a lie while the past is read before anything counts. The balance is what is proven at the head. */
async function nameAfterRestore(kit: SpendingKit, lie: Lie, says: RegExp): Promise<string> {
  const { net, proxy, shop } = kit;
  const { balance } = shop.state.outputs.totals();
  proxy.tell(lie);
  shop.state.database.transaction(() => {
    shop.state.outputs.undoAbove(0);
    beginRestore(shop.state);
  });
  await until('restored', async () => {
    await net.network.mine(1);
    await shop.scanner.catchUp();
    return !shop.scanner.isRestoring;
  });
  const said = await named(kit, lie, says);
  await untilRight(kit, balance);
  return said;
}

const WRONG_LIST = /does not show all changes of cut \d+ that validators signed/;
const LACKS = /says that cut 1 has spent \d+ atoms .+ changes that validators signed lack it/;

export const SPENDING_LIES: readonly SpendingLie[] = [
  {
    name: 'a payment that is called made',
    tellAndName: (kit) => nameWhilePaying(kit, (_, row) => inEveryCut(row), WRONG_LIST),
  },
  {
    name: 'change kept back',
    tellAndName: (kit) =>
      nameWhilePaying(
        kit,
        ({ change }) => eachList((rows) => rows.filter(({ address }) => address !== change)),
        WRONG_LIST,
      ),
  },
  ...([0, 1] as const).flatMap((branch): SpendingLie[] => {
    const what = branch === 0 ? 'a coin' : 'change';
    return [
      {
        name: `${what} that is called spent by nobody's transaction`,
        tellAndName: (kit) =>
          named(kit, inEveryCut(spentRow(coinOf(kit, branch), NOBODY)), WRONG_LIST),
      },
      {
        name: `${what} that is called spent by a transaction that was made`,
        tellAndName: async (kit) => {
          // A payment to the shop: it was executed, and has spent something else.
          const coins = kit.shop.state.outputs.listUnspent(0, 1_000_000);
          const made = coins.find(({ outputIndex }) => outputIndex === 0) ?? assert.fail();
          const row = spentRow(coinOf(kit, branch), made.transactionId);
          return await named(kit, inEveryCut(row), WRONG_LIST);
        },
      },
    ];
  }),
  {
    name: 'change that is called spent while the past is read once more',
    tellAndName: async (kit) => {
      kit.shop.rescan(undefined);
      return await named(kit, inPast(spentRow(coinOf(kit, 1), NOBODY)), LACKS);
    },
  },
  {
    name: 'change that is called spent while the past is read',
    tellAndName: (kit) => nameAfterRestore(kit, inPast(spentRow(coinOf(kit, 1), NOBODY)), LACKS),
  },
  {
    name: 'change kept back while the past is read',
    tellAndName: (kit) => {
      const { address: kept } = coinOf(kit, 1);
      const lie: Lie = (document, path) =>
        path.endsWith('/leaves')
          ? document
          : eachList((rows) => rows.filter(({ address }) => address !== kept))(document, path);
      return nameAfterRestore(kit, lie, /the node conceals a payment of/);
    },
  },
];
