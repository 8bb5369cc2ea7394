import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { encodeMessage, height, NO_ROUND, round } from 'svc-consensus/machine';
import { LocalVoteChecks, ValidatorKey } from 'svc-consensus/shell';
import { developmentGenesis, type Genesis, genesisBondId, validatorIdOf } from 'svc-ledger';
import { openOverlayEndpoint } from 'svc-network/endpoint';
import { init } from 'svc-wasm';
import { hashLabel } from 'svc-wasm/protocol';
import { ChainCore } from '../chain/chain-core.ts';
import { devKeys } from '../dev/dev-genesis.ts';
import { MemoryBlocks } from '../testing/cluster-blocks.ts';
import { startNodeValidator } from '../validator/start-validator.ts';
import { ValidatorDirectory } from '../validator/validator-disk.ts';
import { OverlayNetwork } from './overlay-network.ts';
import { until } from './testing/network-node.ts';

await init();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Place {
  readonly directory: string;
  readonly port: number | null;
}

function validatorId(place: number): string {
  return validatorIdOf(hashLabel, genesisBondId(hashLabel, place));
}

async function genesisOf(places: readonly Place[], paceMillis: number): Promise<Genesis> {
  const keys = devKeys(places.length);
  const endpoints = await Promise.all(
    places.map(({ directory, port }) =>
      openOverlayEndpoint(directory, port === null ? [] : [{ host: '127.0.0.1', port }]),
    ),
  );
  return developmentGenesis({
    accounts: keys.accounts.map(({ address }) => address),
    validators: keys.consensus.map(({ publicKey }, index) => ({
      consensusPublicKey: publicKey,
      endpoint: endpoints[index] as Uint8Array,
    })),
    timeMillis: Date.now(),
    paceMillis,
  });
}

/** Of the round after the first, so that nobody has the real one. */
function forgedVote({ wire, next }: ChainCore): Uint8Array {
  return encodeMessage(wire, {
    kind: 'prevote',
    height: height(next.height),
    round: round(1),
    validRound: NO_ROUND,
    value: null,
    validatorIndex: 0,
    signature: new Uint8Array(3_309),
  });
}

test('validators with and without routes agree on cuts over the overlay', async (t) => {
  const ports = [await freePort(), await freePort(), null, null];
  const places = ports.map((port): Place => {
    return { directory: join(temporaryDirectory(), 'validator-overlay'), port };
  });
  const genesis = await genesisOf(places, 1_000);
  const keys = devKeys(places.length);
  const fatal: unknown[] = [];
  const onFatal = (error: unknown): void => void fatal.push(error);
  const shared = { clock: SYSTEM_CLOCK, log: SILENT_LOG, onFatal };
  const chains: ChainCore[] = [];
  const overlays: OverlayNetwork[] = [];
  for (const [index, { directory, port }] of places.entries()) {
    const data = temporaryDirectory();
    const chain = await ChainCore.open({
      ...shared,
      directory: join(data, 'chain'),
      genesis,
      mode: 'archive',
      cacheBytes: 1 << 20,
    });
    const blocks = new MemoryBlocks(chain, SYSTEM_CLOCK);
    chain.useBlocks(blocks);
    const checks = new LocalVoteChecks(chain.wire.chainId);
    checks.learnSet(chain.next.validators.encoded);
    const overlay = await OverlayNetwork.open({
      chain,
      checks,
      directory,
      validatorId: validatorId(index),
      listen: port === null ? [] : [`/ip4/127.0.0.1/tcp/${port}`],
    });
    await overlay.start();
    const driver = await startNodeValidator({
      ...shared,
      chain,
      blocks,
      key: ValidatorKey.fromSeed(keys.consensus[index]?.seed as Uint8Array),
      signState: 'first',
      overlay,
      disk: new ValidatorDirectory(join(data, 'validator')),
    });
    overlay.useRound(() => driver.status.round);
    t.after(async () => {
      driver.close();
      await overlay.close();
      await chain.close();
    });
    chains.push(chain);
    overlays.push(overlay);
  }
  await until(
    () => chains.every(({ head }) => head.height >= 5),
    'five cuts of four validators',
    60_000,
  );
  assert.deepEqual(
    overlays.map((overlay) => overlay.neighbours().length),
    [3, 3, 2, 2],
  );
  const ids = chains.map((chain) => chain.recentCutId(5));
  assert.equal(new Set(ids).size, 1);
  await until(() => {
    overlays[3]?.send(validatorId(0), forgedVote(chains[3] as ChainCore));
    return !overlays[0]?.neighbours().includes(validatorId(3));
  }, 'the end of the link that a forged vote came over');
  assert.deepEqual(fatal, []);
});
