import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { init } from 'svc-wasm';
import { equalBytes } from 'svc-wasm/base';
import { decodeCutHeader, type ValidatorSet } from 'svc-wasm/protocol';
import type { ChainTip } from '../src/application.ts';
import type { Network } from '../src/network.ts';
import type { HistoryKeeper, PastCut } from '../src/sync/history-keeper.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { ChainScript } from './testing/script.ts';

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
  /** Blocks are wanted from this height on. */
  blocksFrom = 1;
  /** Called after each put. */
  onPut: () => void = () => {};

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
