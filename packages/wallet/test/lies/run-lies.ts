/**
 * Pays deposits to a wallet whose node lies in every way that would make it credit what was not paid, or miss what was, and
 * then has it pay while the node lies about what was spent. The wallet is asked after each lie: nothing wrong is credited, the lie is named, and with the truth all deposits come.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Log } from 'svc-base/pure';
import { init } from 'svc-wasm';
import type { Wallet } from '../../src/wallet.ts';
import { fastClock } from '../testing/fast-clock.ts';
import { eachList, type Lie, LyingProxy, type Row } from '../testing/lying-proxy.ts';
import { startTestNetwork } from '../testing/network.ts';
import { openWallet, until } from '../testing/open-wallet.ts';
import { newWords } from '../testing/words.ts';
import { SPENDING_LIES } from './spending-lies.ts';

export interface LiesRun {
  readonly deposits: number;
  readonly directory: string;
  onLie(name: string, told: string): void;
}

interface Told {
  readonly name: string;
  /** What the wallet says of it, in its refusal or its log. */
  readonly says: RegExp;
  /** The lie about payments to these addresses. */
  lie(addresses: ReadonlySet<string>): Lie;
}

const isFor = (addresses: ReadonlySet<string>, { address = '' }: Row): boolean =>
  addresses.has(address);

const WRONG_LIST = /does not show all changes of cut \d+ that validators signed/;

const LIES: readonly Told[] = [
  {
    name: 'a payment that was never made',
    says: WRONG_LIST,
    lie: (addresses) =>
      eachList((rows) =>
        rows.flatMap((row) => {
          const invented = { transaction_id: 'ef'.repeat(48), output_index: 0 };
          return isFor(addresses, row) && row.kind === 'received'
            ? [row, { ...row, transaction_id: invented.transaction_id, outpoint: invented }]
            : [row];
        }),
      ),
  },
  {
    name: 'a larger amount',
    says: WRONG_LIST,
    lie: (addresses) =>
      eachList((rows) =>
        rows.map((row) => (isFor(addresses, row) ? { ...row, amount: '999000000' } : row)),
      ),
  },
  {
    name: 'a payment to somebody else',
    says: WRONG_LIST,
    lie: (addresses) => {
      const [first = ''] = addresses;
      return eachList((rows) =>
        rows.map((row) => (row.kind === 'received' ? { ...row, address: first } : row)),
      );
    },
  },
  {
    name: 'finality that nobody signed',
    says: /is not certified/,
    lie: () => (document, path) =>
      path.endsWith('/certificate') && typeof document['certificate_hex'] === 'string'
        ? { ...document, certificate_hex: flipped(document['certificate_hex']) }
        : document,
  },
  {
    name: 'a payment kept back',
    says: WRONG_LIST,
    lie: (addresses) => eachList((rows) => rows.filter((row) => !isFor(addresses, row))),
  },
];

function flipped(hex: string): string {
  const last = hex.at(-1) === '0' ? '1' : '0';
  return `${hex.slice(0, -1)}${last}`;
}

const PAID_TOGETHER = 7;
const TURNS_MAX = 1_000;

/** A log that keeps what is wrong, so that a lie which is healed at once can be found in it. */
function keepingLog(lines: string[]): Log {
  const keep = (_: unknown, message: string): void => void lines.push(message);
  const log = { debug: () => {}, info: () => {}, warn: keep, error: keep, child: () => log };
  return log as unknown as Log;
}

/** Answers how many lies were told and named. */
export async function runLies({ deposits, directory, onLie }: LiesRun): Promise<number> {
  await init();
  const net = await startTestNetwork();
  const proxy = await LyingProxy.start(net.url);
  const at = (name: string): string => join(directory, name);
  const rich = await openWallet({ directory: at('rich'), words: net.words, service: net.url });
  const words = newWords();
  const wrong: string[] = [];
  const options = { words, service: proxy.url, clock: fastClock(10_000), log: keepingLog(wrong) };
  const shop = await openWallet({ directory: at('shop'), ...options });
  const paid = new Map<string, string>();
  try {
    await net.network.mine(1);
    await rich.catchUp();
    await shop.catchUp();
    const share = Math.ceil(deposits / LIES.length);
    for (const told of LIES) {
      const count = Math.min(share, deposits - paid.size);
      const addresses = new Set<string>();
      for (let made = 0; made < count; made += PAID_TOGETHER) {
        const recipients = await payDeposits(
          made,
          Math.min(PAID_TOGETHER, count - made),
          told.name,
        );
        for (const { amount, to } of recipients) {
          addresses.add(to);
          paid.set(to, amount);
        }
      }
      proxy.tell(told.lie(addresses));
      onLie(told.name, await nameOf(told, addresses));
      proxy.tellTruth();
      await untilCredited();
    }
    const kit = { net, proxy, shop, wrong, stranger: rich.keychain.issue(0, null).address };
    for (const lie of SPENDING_LIES) onLie(lie.name, await lie.tellAndName(kit));
    return LIES.length + SPENDING_LIES.length;
  } finally {
    await Promise.all([rich.close(), shop.close()]);
    await proxy.close();
    await net.close();
  }

  /** Pays some fresh addresses of the shop with one transaction, and waits until it is final. */
  async function payDeposits(first: number, count: number, name: string) {
    const recipients = Array.from({ length: count }, (_, index) => ({
      to: shop.keychain.issue(0, null).address,
      amount: String(1_000_000 + paid.size + first + index),
    }));
    await until('coins', async () => {
      await rich.catchUp();
      return rich.state.outputs.largest(1).length > 0;
    });
    const request = { requestId: `${name}-${first}`, method: 'send_many', params: { recipients } };
    await rich.outgoing.perform({ ...request, isAutomatic: false });
    await until('final', async () => {
      await net.network.mine(1);
      await rich.catchUp();
      return rich.state.journal.openCount() === 0;
    });
    return recipients;
  }

  /** What the wallet says of the lie; it must not credit anything meanwhile. */
  async function nameOf({ name, says }: Told, addresses: ReadonlySet<string>): Promise<string> {
    for (let turns = 0; turns < TURNS_MAX; turns++) {
      const said = await shop.catchUp().then(
        () => '',
        (error: Error) => error.message,
      );
      for (const { address, amount } of creditedBy(shop)) {
        assert.ok(!addresses.has(address), `${name}: credited ${amount} while the node lied`);
      }
      if (says.test(said)) return said;
      await net.network.mine(1);
    }
    return assert.fail(`${name}: never named`);
  }

  async function untilCredited(): Promise<void> {
    const isWhole = async (): Promise<boolean> => {
      await shop.catchUp().catch(() => {});
      return creditedBy(shop).length === paid.size;
    };
    await until('credited', isWhole);
    for (const { address, amount } of creditedBy(shop)) {
      assert.equal(String(amount), paid.get(address), 'what was paid was credited');
    }
    const { balance } = shop.state.outputs.totals();
    assert.equal(
      balance,
      [...paid.values()].reduce((sum, amount) => sum + BigInt(amount), 0n),
    );
  }
}

function creditedBy({ state }: Wallet) {
  return state.outputs.receivedAfter(0, Number.MAX_SAFE_INTEGER, 1_000_000);
}
