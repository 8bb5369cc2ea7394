/**
 * Two nodes of `svcd run` with a validator each, over real sockets: one rotates its consensus key while it runs. A cut
 * needs both, so the chain would stand if a single one were missed for good, and every cut names its signers.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodeSignState, isBitSet, SILENT_FOR_GOOD, type SignState } from 'svc-consensus/machine';
import { indexIn, ValidatorKey } from 'svc-consensus/shell';
import { epochOf, LEDGER_PARAMETERS } from 'svc-ledger';
import { withInterval } from 'svc-ledger/testing';
import { openOverlayEndpoint } from 'svc-network/endpoint';
import { readAtHead } from 'svc-storage';
import { encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import { sealKeyFile } from 'svc-wasm/protocol';
import type { ComposedNode } from '../src/compose/composed-node.ts';
import { startNode } from '../src/compose/start-node.ts';
import { loadConfig } from '../src/config/load.ts';
import { NodeMetrics } from '../src/metrics/node-metrics.ts';
import { RecordedLog } from '../src/testing/cluster-log.ts';
import { signDraft } from '../src/testing/fixture-wallet.ts';
import { type PlannedNode, PrivateNetwork } from './cluster/testing/private-network.ts';
import { read, until } from './process/kit.ts';
import { OutsideMiner } from './process/outside-miner.ts';

/** Long enough for a block to be found, passed on, checked and registered many times in an epoch. */
const INTERVAL = 48;
const PARAMETERS = withInterval(LEDGER_PARAMETERS.development, INTERVAL);
const PASSWORD = 'the password of the next key';
const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
const NEXT_SEED = new Uint8Array(32).fill(99);
const FEE = 1_000_000n;
const CUTS_TO_REGISTER = 16;

describe('the rotation of a consensus key', () => {
  let network: PrivateNetwork;
  let miner: OutsideMiner;
  let isOver = false;
  let mining: Promise<void>;
  const running = new Map<string, ComposedNode>();
  const log = new RecordedLog();
  const missed: string[] = [];

  const planned = (name: string) => network.nodes.get(name) as PlannedNode;
  const node = (name: string) => running.get(name) as ComposedNode;
  const record = (folder: string): SignState =>
    decodeSignState(
      readFileSync(join(planned('one').directory, 'data', 'validator', folder, 'sign-state')),
    ) ?? assert.fail('the record is damaged');

  async function start(name: string): Promise<ComposedNode> {
    const { directory } = planned(name);
    const { config } = loadConfig({
      flags: new Map(),
      environment: {},
      file: 'node.json',
      directory,
      home: directory,
    });
    const { genesis, chainId } = network;
    const started = await startNode(config, {
      genesis,
      chainId,
      parameters: PARAMETERS,
      log,
      metrics: new NodeMetrics({ version: '0', network: 'development', validator: true }),
      version: '0',
      onFatal: (error) => {
        throw error;
      },
    });
    running.set(name, started);
    return started;
  }

  /** A block for whatever waits, and another if it still waits some cuts later: heartbeats and the rotation get into cuts. */
  async function mineOn(): Promise<void> {
    const minedAt = new Map<string, number>();
    const payout = encodeAddress(
      fromHex(network.keys.accounts[9]?.address as string),
      'development',
    );
    while (!isOver) {
      const { core, mining: place } = running.get('two') as ComposedNode;
      const { height } = core.chain.head;
      const waiting = [...core.mempool.all()].map(({ id }) => id);
      if (waiting.some((id) => height >= (minedAt.get(id) ?? -Infinity) + CUTS_TO_REGISTER)) {
        const block = await miner
          .mine(`http://${place.host}:${place.port}`, payout)
          .catch(() => undefined);
        if (block !== undefined) for (const id of waiting) minedAt.set(id, height);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  const reach = (height: number) =>
    until(
      async () =>
        ['one', 'two'].every((name) => node(name).core.chain.head.height >= height) || undefined,
      `cut ${height}`,
    );

  before(async () => {
    network = await PrivateNetwork.make({
      paceMillis: 200,
      startsInMillis: 6_000,
      nodes: [
        { name: 'one', validator: 'routed', bootstrap: ['two'] },
        { name: 'two', validator: 'routed', bootstrap: ['one'] },
      ],
    });
    miner = new OutsideMiner(network.chainId, PARAMETERS);
    await start('one');
    const { chain } = (await start('two')).core;
    chain.finalized.on(({ height, header }) => {
      const set = chain.setAt(height - 1);
      for (const index of set?.validators.keys() ?? [])
        if (height > 1 && !isBitSet(header.previousSigners, index))
          missed.push(`${index} at ${height - 1}`);
    });
    mining = mineOn();
  });

  after(async () => {
    isOver = true;
    await mining;
    await miner.close();
    for (const one of running.values()) await one.close();
    network.remove();
  });

  async function rotate(): Promise<void> {
    const { directory } = planned('one');
    const overlay = join(directory, 'data', 'network', 'validator-overlay');
    const { host, overlayPort: port } = planned('one').place;
    const endpoint = await openOverlayEndpoint(overlay, [{ host, port }]);
    const { chain, mempool } = node('one').core;
    const from = network.keys.accounts[0]?.address as string;
    const { rows } = await readAtHead(chain, (reader) => reader.utxos(from, { limit: 1 }));
    const [coin] = rows;
    assert.ok(coin);
    const next = ValidatorKey.fromSeed(NEXT_SEED);
    const wire = signDraft(
      {
        from: 0,
        coins: [[coin.outpoint, { ...coin, address: from }]],
        outputs: [{ address: from, amount: coin.amount - FEE }],
        validFrom: chain.head.height,
        validUntil: chain.head.height + 60,
        operation: {
          type: 'rotate_key',
          data: {
            validator_id: network.validatorId(planned('one')),
            consensus_public_key_hex: toHex(next.publicKey),
            overlay_endpoint_hex: toHex(endpoint),
          },
        },
        possessionSeed: NEXT_SEED,
      },
      chain.manifest,
    );
    assert.equal((await mempool.submit(wire, 'own')).type, 'accepted');
  }

  test('[LIVE-09] both keys are loaded, the switch comes at its epoch, and no cut is missed', async () => {
    await reach(2);
    const { directory } = planned('one');
    const seal = { kind: 'consensus', network: 'development' } as const;
    const secret = { mode: 0o600 };
    writeFileSync(join(directory, 'password.next'), PASSWORD, secret);
    const sealed = sealKeyFile(NEXT_SEED, seal, PASSWORD, CHEAP);
    writeFileSync(join(directory, 'consensus.key.next'), sealed, secret);
    await rotate();
    const { chain } = node('two').core;
    const id = network.validatorId(planned('one'));
    const pending = await until(
      async () => chain.view.get('validators', id)?.pendingKey ?? undefined,
      'the rotation',
    );
    const folder = () =>
      readdirSync(join(directory, 'data', 'validator')).find((name) => name.startsWith('key-'));
    await until(async () => folder(), 'the record of the next key');
    const next = ValidatorKey.fromSeed(NEXT_SEED);
    const old = ValidatorKey.fromSeed(network.keys.consensus[0]?.seed as Uint8Array);
    await until(
      async () => epochOf(chain.head.height + 1, INTERVAL) >= pending.epoch || undefined,
      'the epoch of the switch',
    );
    const first = pending.epoch * INTERVAL + 1;
    await reach(first + 4);
    assert.equal(indexIn(chain.setAt(first - 1), next), undefined);
    assert.notEqual(indexIn(chain.setAt(first - 1), old), undefined);
    assert.equal(indexIn(chain.setAt(first), old), undefined);
    assert.notEqual(indexIn(chain.setAt(first), next), undefined);
    assert.deepEqual(missed, []);
    const isRetired = () => record('own').silentThrough === SILENT_FOR_GOOD || undefined;
    await until(async () => isRetired(), 'the end of the old key');
    assert.ok((record('own').last?.height ?? 0) < first, 'the old key signed nothing of the epoch');
    assert.ok((record(folder() as string).last?.height ?? 0) >= first);
    await until(async () => {
      const beat = chain.view.get('validators', id)?.heartbeatEpoch ?? 0;
      return beat >= pending.epoch || undefined;
    }, 'a heartbeat that the new key signed');
    const { host, port } = node('one').http;
    await until(async () => {
      const { validator } = await read<{ validator: { committee: boolean; state: string } }>(
        `http://${host}:${port}/v1/node/status`,
      );
      return (validator.committee && validator.state === 'active') || undefined;
    }, 'a status that says so');
  });

  test('a node that starts again signs with the new key, though its files still name the old one first', async () => {
    await node('one').close();
    await start('one');
    await reach(node('two').core.chain.head.height + 3);
    assert.equal(record('own').silentThrough, SILENT_FOR_GOOD);
  });
});
