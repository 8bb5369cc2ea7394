import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { equalBytes } from 'svc-wasm/base';
import { decodeCutHeader, type ValidatorSet } from 'svc-wasm/protocol';
import type { ChainTip } from '../src/application.ts';
import type { Network } from '../src/network.ts';
import type { HistoryKeeper, MissingIds, PastCut } from '../src/sync/history-keeper.ts';
import { FAULT_POINTS } from '../src/wire/peer-fault.ts';
import { IdList } from './testing/id-list.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { bytesFrom, ChainScript } from './testing/script.ts';

await init();

const LENGTH = 22;
const FIRST = 19;
const EPOCH_CUTS = 5;
const script = new ChainScript({ seed: 'history', epochCuts: EPOCH_CUTS }).grow(LENGTH);
/** Under load an answer may take long; nothing here waits for an answer that does not come. */
const TIMING = { silenceMillisMax: 60_000, answerMillisMax: 60_000 };

class MemoryHistory implements HistoryKeeper {
  readonly interval = EPOCH_CUTS;
  readonly recoveredHeights: readonly number[] = [];
  readonly kept: PastCut[] = [];
  readonly puts: number[] = [];
  /** The list whose ids are missing, and how many of it there are; none unless a test says so. */
  list: { readonly ids: IdList; readonly height: number } | undefined;
  readonly ids: Uint8Array[] = [];
  /** Blocks are wanted from this height on. */
  blocksFrom = 1;
  /** Called after each put. */
  onPut: () => void = () => {};

  get missingIds(): MissingIds | undefined {
    const [list, from] = [this.list, this.ids.length];
    if (list === undefined || from >= list.height) return undefined;
    return { height: list.height, from, root: list.ids.root(list.height) };
  }

  async putIds(from: number, ids: readonly Uint8Array[]): Promise<void> {
    assert.equal(from, this.ids.length);
    this.ids.push(...ids);
    this.onPut();
  }

  get wanted(): ChainTip | undefined {
    const height = FIRST - 1 - this.kept.length;
    const cut = script.cuts[height - 1];
    return cut === undefined ? undefined : { height, cutId: cut.id };
  }

  wantsBlocks(height: number): boolean {
    return height >= this.blocksFrom;
  }

  setAt(): ValidatorSet | undefined {
    return undefined;
  }

  async put(cuts: readonly PastCut[]): Promise<void> {
    this.kept.push(...cuts);
    this.puts.push(cuts.length);
    this.onPut();
  }

  /** Everything is what the script made, and checkpoints of known sets have their certificates. */
  expectWhole(certifiedFrom = 1): void {
    assert.equal(this.kept.length, FIRST - 1);
    for (const { header, body, certificate, blocks } of this.kept) {
      const height = Number(decodeCutHeader(header).height);
      const cut = script.cuts[height - 1] ?? assert.fail();
      assert.ok(equalBytes(header, cut.header) && equalBytes(body, cut.body));
      assert.deepEqual(blocks, height >= this.blocksFrom ? cut.blocks : null);
      const isCheckpoint = height % EPOCH_CUTS === 0 && height >= certifiedFrom;
      assert.deepEqual(certificate, isCheckpoint ? cut.certificate : null);
    }
  }
}

function serve(t: TestContext, change: Partial<MemoryApplication> = {}): Promise<Network> {
  return startNetwork(t, Object.assign(new MemoryApplication(script).adopt(), change));
}

/** A node that has the newest cuts and asks for the others. */
async function newcomerOf(t: TestContext, servers: readonly Network[]): Promise<Network> {
  const bootstrap = servers.map(({ addresses }) => addresses[0] as string);
  const application = new MemoryApplication(script).adopt();
  application.holdings = { mode: 'full', headersFrom: FIRST, blocksFrom: FIRST };
  return startNetwork(t, application, { bootstrap, syncTiming: TIMING });
}

test('earlier cuts come in steps, newest first, with blocks as far as they are wanted', async (t) => {
  const newcomer = await newcomerOf(t, [await serve(t)]);
  const keeper = new MemoryHistory();
  keeper.blocksFrom = 9;
  await newcomer.historyFetch(keeper).run();
  keeper.expectWhole();
  assert.deepEqual(keeper.puts, [3, 5, 2, 3, 5], 'a step ends at checkpoints and where blocks end');
});

test('a peer that sends a wrong old body, and one that sends another chain, cost one request each', async (t) => {
  let lies = 0;
  const wrongBody = async (height: number): Promise<Uint8Array | undefined> => {
    lies++;
    return script.cuts[height]?.body;
  };
  const other = new ChainScript({ seed: 'another history' }).grow(LENGTH);
  let others = 0;
  const otherChain = async (from: number, count: number): Promise<Uint8Array[]> => {
    others++;
    return other.cuts.slice(from - 1, from - 1 + count).map(({ header }) => header);
  };
  const servers = await Promise.all([
    serve(t, { cutBody: wrongBody }),
    serve(t, { headers: otherChain }),
    serve(t),
  ]);
  const newcomer = await newcomerOf(t, servers);
  const keeper = new MemoryHistory();
  await newcomer.historyFetch(keeper).run();
  keeper.expectWhole();
  assert.ok(lies <= EPOCH_CUTS, `${lies} bodies were asked of the first liar: more than one range`);
  assert.ok(others <= 1, `${others} ranges of headers were asked of the second liar`);
});

test('it stops in order on the way, and another one continues with what is missing', async (t) => {
  const server = await serve(t);
  const newcomer = await newcomerOf(t, [server]);
  const keeper = new MemoryHistory();
  const first = newcomer.historyFetch(keeper);
  keeper.onPut = () => first.close();
  await first.run();
  assert.deepEqual(keeper.puts, [3]);
  keeper.onPut = () => {};
  await newcomer.historyFetch(keeper).run();
  keeper.expectWhole();
});

test('a certificate is not kept where no peer has the validator set that signed it', async (t) => {
  const known = new Map([...script.sets].slice(-3));
  const validatorSet = async (id: string): Promise<Uint8Array | undefined> => known.get(id);
  const newcomer = await newcomerOf(t, [await serve(t, { validatorSet })]);
  const keeper = new MemoryHistory();
  await newcomer.historyFetch(keeper).run();
  const certified = keeper.kept.filter(({ certificate }) => certificate !== null);
  assert.ok(certified.length > 0 && certified.length < 3);
  assert.equal(keeper.kept.length, FIRST - 1);
});

/** More than two pages of ids. */
const IDS = Array.from({ length: 9_000 }, (_, height) => bytesFrom(`id ${height}`, 48));
const LIST = new IdList(IDS);

/** A node without the cuts before its first one, and without their ids. */
function keeperOfIds(): MemoryHistory {
  const keeper = new MemoryHistory();
  keeper.list = { ids: LIST, height: IDS.length };
  return keeper;
}

test('ids of all cuts come in proven pages before the cuts, from those peers that have them', async (t) => {
  const pages: number[] = [];
  const cutIds = (height: number, from: number, count: number): Uint8Array | undefined => {
    pages.push(count);
    return LIST.proof(height, from, count);
  };
  const newcomer = await newcomerOf(t, [await serve(t), await serve(t, { cutIds })]);
  const keeper = keeperOfIds();
  keeper.onPut = () => assert.ok(keeper.kept.length === 0 || keeper.missingIds === undefined);
  await newcomer.historyFetch(keeper).run();
  assert.deepEqual(keeper.ids, IDS);
  assert.deepEqual(pages, [4_096, 4_096, 808]);
  keeper.expectWhole();
});

type CutIds = MemoryApplication['cutIds'];

const OTHER = new IdList([...IDS.slice(1), bytesFrom('other', 48)]);
const LIES: Readonly<Record<string, CutIds>> = {
  'a wrong id': (height, from, count) => {
    const proof = LIST.proof(height, from, count) as Uint8Array;
    const last = proof.length - 1;
    return proof.with(last, 1 ^ (proof[last] as number));
  },
  'other ids': (height, from, count) => LIST.proof(height, from + 1, count - 1),
  'a shorter list': (height, from, count) => LIST.proof(height - 1, from, count),
  'another list': (height, from, count) => OTHER.proof(height, from, count),
};

for (const [name, lie] of Object.entries(LIES))
  test(`a peer that sends ${name} as cut ids is penalised and not asked again, and nothing of it is kept`, async (t) => {
    let lies = 0;
    const liar = await serve(t, {
      cutIds: (...range) => {
        lies++;
        return lie(...range);
      },
    });
    const newcomer = await newcomerOf(t, [liar]);
    const honest = new MemoryApplication(script).adopt();
    honest.cutIds = (...range) => LIST.proof(...range);
    await startNetwork(t, honest, { bootstrap: [newcomer.addresses[0] as string] });
    // Of two unknown peers the one that this node dialled is asked first.
    await until(() => newcomer.peers.list().length === 2, 'both peers');
    const keeper = keeperOfIds();
    await newcomer.historyFetch(keeper).run();
    assert.deepEqual(keeper.ids, IDS);
    assert.equal(lies, 1);
    const { score } = newcomer.peers.list().find(({ id }) => id === liar.peerId) ?? assert.fail();
    assert.equal(score, -FAULT_POINTS.invalid);
  });

test('ids that no peer has do not delay the cuts', async (t) => {
  const newcomer = await newcomerOf(t, [await serve(t)]);
  const keeper = keeperOfIds();
  const fetch = newcomer.historyFetch(keeper);
  keeper.onPut = () => {
    if (keeper.wanted === undefined) fetch.close();
  };
  await fetch.run();
  assert.deepEqual(keeper.ids, []);
  keeper.expectWhole();
});

test('ids continue after a stop where they ended', async (t) => {
  const cutIds = (height: number, from: number, count: number): Uint8Array | undefined =>
    LIST.proof(height, from, count);
  const newcomer = await newcomerOf(t, [await serve(t, { cutIds })]);
  const keeper = keeperOfIds();
  const first = newcomer.historyFetch(keeper);
  keeper.onPut = () => first.close();
  await first.run();
  assert.equal(keeper.ids.length, 4_096);
  keeper.onPut = () => {};
  await newcomer.historyFetch(keeper).run();
  assert.deepEqual(keeper.ids, IDS);
});
