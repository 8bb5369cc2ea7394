/**
 * What the tests of the daemon share: a network, a rich wallet and a shop, each with a daemon of its own.
 */
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { type Notification, startDaemon, type TestDaemon } from '../testing/daemon.ts';
import { startTestNetwork, type TestNetwork } from '../testing/network.ts';
import { until as untilOn } from '../testing/open-wallet.ts';

export { untilOn };

export const SHOP_CONFIRMATIONS = 2;

export class World {
  #net: TestNetwork | undefined;
  #rich: TestDaemon | undefined;
  #shop: TestDaemon | undefined;
  #shopDirectory = '';
  readonly #ended: (() => void)[] = [];
  /** Methods that had a result, with the parameters that they were given. */
  readonly #called = new Map<string, Set<string>>();

  get net(): TestNetwork {
    return this.#net as TestNetwork;
  }

  get rich(): TestDaemon {
    return this.#rich as TestDaemon;
  }

  get shop(): TestDaemon {
    return this.#shop as TestDaemon;
  }

  async open(): Promise<void> {
    await init();
    this.#net = await startTestNetwork();
    await this.#net.network.mine(2);
    const context = { after: (end: () => void) => void this.#ended.push(end) } as never;
    this.#shopDirectory = temporaryDirectory(context);
    const { url, words } = this.#net;
    const directory = temporaryDirectory(context);
    this.#rich = await startDaemon({ directory, service: url, words, onCall: this.onCall });
    this.#shop = await this.#startShop(true);
    for (const daemon of [this.rich, this.shop]) await following(daemon);
  }

  async close(): Promise<void> {
    await Promise.all([this.rich.close(), this.shop.close()]);
    await this.net.close();
    for (const end of this.#ended) end();
  }

  /** Does something while the shop's daemon is away. */
  async restartShop(meanwhile: () => Promise<void>): Promise<void> {
    const { shop } = this;
    this.#shop = undefined;
    await shop.close();
    await meanwhile();
    this.#shop = await this.#startShop(false);
  }

  wasCalled(method: string, param?: string): boolean {
    const params = this.#called.get(method);
    return params !== undefined && (param === undefined || params.has(param));
  }

  /** Keeps in mind that a method had a result; for daemons that a test starts. */
  onCall = (method: string, params: object): void => {
    const before = this.#called.get(method) ?? [];
    this.#called.set(method, new Set([...before, ...Object.keys(params)]));
  };

  /**
   * Makes cuts until a condition holds, then waits until the daemons have read all of them: on a busy machine a daemon
   * is many cuts behind by then, and refuses to pay.
   */
  until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    await untilOn(what, holds, this.net);
    for (const daemon of [this.#rich, this.#shop])
      if (daemon !== undefined) await this.untilRead(daemon);
  };

  /** Waits until a daemon has read every cut; none is made meanwhile. */
  async untilRead(daemon: TestDaemon): Promise<void> {
    const { head } = this.net.network.node.composed.core.chain;
    await untilOn('every cut is read', async () => {
      const { indexed_height, node_height } = await daemon.call('status', {});
      return indexed_height >= head.height && (node_height ?? 0) >= head.height;
    });
  }

  /** Makes cuts until something is done. */
  whileCutting = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // A refusal is the caller's, and no news for anybody before that.
    void done.catch(() => {});
    await this.until('done', () => isDone).catch(() => {});
    return await done;
  };

  #startShop(isNew: boolean): Promise<TestDaemon> {
    return startDaemon({
      directory: this.#shopDirectory,
      service: this.net.url,
      isNew,
      confirmations: SHOP_CONFIRMATIONS,
      onCall: this.onCall,
    });
  }
}

/** No cut is made meanwhile: the daemon would be behind again. */
export async function following(daemon: TestDaemon): Promise<void> {
  const phase = async (): Promise<string> => (await daemon.call('status', {})).scan.phase;
  await untilOn('following', async () => (await phase()) === 'following');
}

export function paymentsOf(notification: Notification | undefined): Record<string, unknown>[] {
  return (notification?.params['payments'] ?? []) as Record<string, unknown>[];
}

let names = 0;
export const requestId = (): string => `request-${++names}`;
