/**
 * Two whole nodes, each with a validator of its own, that know each other through nothing but sockets: peers for
 * blocks and cuts, the overlay for votes.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { ValidatorKey } from 'svc-consensus/shell';
import { chainIdOf, developmentGenesis, type Genesis, genesisValidatorId } from 'svc-ledger';
import { openOverlayEndpoint } from 'svc-network/endpoint';
import { init } from 'svc-wasm';
import { hashLabel } from 'svc-wasm/protocol';
import {
  type ComposedNode,
  composeNode,
  type NodeContext,
} from '../../src/compose/composed-node.ts';
import type { NodeCore } from '../../src/compose/node-core.ts';
import { mustWait, openOwnSeat, openWhenRegistered } from '../../src/compose/own-validator.ts';
import type { NodeConfig } from '../../src/config/node-config.ts';
import { type DevKeys, devKeys } from '../../src/dev/dev-genesis.ts';
import { NodeMetrics } from '../../src/metrics/node-metrics.ts';
import { read, until } from './kit.ts';

const HOST = '127.0.0.1';
const VERSION = '0.0.0-test';
const PLACES = [0, 1] as const;
/** The chain has not begun by it, so keys need no record of what they signed. */
const BEFORE = { ...SYSTEM_CLOCK, now: () => 0 };

const PEER_FIGURES = [
  /^svc_node_synced 1$/m,
  /^svc_node_peers [1-9]/m,
  /^svc_node_best_peer_height [1-9]/m,
  /^svc_node_p2p_received_bytes_total [1-9]/m,
  /^svc_node_p2p_sent_bytes_total [1-9]/m,
];

interface Ports {
  readonly peers: number;
  readonly overlay: number;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

class Pair {
  readonly directory = temporaryDirectory(undefined, MEMORY_PARENT);
  readonly keys: DevKeys = devKeys(PLACES.length);
  readonly ports: Ports[] = [];
  readonly #metrics = new Map<ComposedNode, NodeMetrics>();
  genesis: Genesis | undefined;

  async prepare(): Promise<void> {
    while (this.ports.length < PLACES.length)
      this.ports.push({ peers: await freePort(), overlay: await freePort() });
    const endpoints = await Promise.all(
      PLACES.map((place) =>
        openOverlayEndpoint(join(this.dataDir(place), 'network', 'validator-overlay'), [
          { host: HOST, port: this.ports[place]?.overlay as number },
        ]),
      ),
    );
    this.genesis = developmentGenesis({
      accounts: this.keys.accounts.map(({ address }) => address),
      validators: this.keys.consensus.map(({ publicKey }, place) => ({
        consensusPublicKey: publicKey,
        endpoint: endpoints[place] as Uint8Array,
      })),
      timeMillis: Date.now(),
      paceMillis: 500,
    });
  }

  dataDir(place: number): string {
    return join(this.directory, String(place));
  }

  metricsOf(node: ComposedNode): string {
    return this.#metrics.get(node)?.text() ?? assert.fail('it was not started here');
  }

  /** A node whose key belongs to no validator. */
  async startUnregistered(): Promise<ComposedNode> {
    const config = {
      ...this.#config(0),
      dataDir: join(this.directory, 'unregistered'),
      validatorOverlay: { announcedRoutes: [], listen: [`/ip4/${HOST}/tcp/0`] },
    };
    config.peers = {
      ...config.peers,
      port: 0,
      bootstrap: this.ports.map(({ peers }) => `${HOST}:${peers}`),
    };
    const keys = { key: ValidatorKey.fromSeed(new Uint8Array(32).fill(77)), heartbeat: null };
    const wishOf = (core: NodeCore) => {
      return { config, keys, core, newSignState: false, clock: SYSTEM_CLOCK, log: SILENT_LOG };
    };
    return composeNode({
      config,
      context: this.#context(new NodeMetrics({ version: VERSION, network: 'development' })),
      seats: (core) => (mustWait(wishOf(core)) ? [] : assert.fail('it is registered')),
      isAwaited: () => true,
      laterSeats: async function* (core, relay, closing) {
        yield await openWhenRegistered(wishOf(core), relay, closing);
      },
    });
  }

  #context(metrics: NodeMetrics): NodeContext {
    const genesis = this.genesis as Genesis;
    return {
      genesis,
      chainId: chainIdOf(hashLabel, genesis),
      log: SILENT_LOG,
      metrics,
      version: VERSION,
      onFatal: (error) => {
        throw error;
      },
    };
  }

  async start(place: number): Promise<ComposedNode> {
    const config = this.#config(place);
    const key = ValidatorKey.fromSeed(this.keys.consensus[place]?.seed as Uint8Array);
    const feeKey = ValidatorKey.fromSeed(this.keys.fees[place]?.seed as Uint8Array);
    const validatorId = genesisValidatorId(hashLabel, place);
    const heartbeat = { validatorId, feeKey, maxFeeAtoms: 1_000_000n, feeRatePerMass: null };
    const metrics = new NodeMetrics({ version: VERSION, network: 'development', validator: true });
    const node = await composeNode({
      config,
      context: this.#context(metrics),
      seats: async (core, closing) => {
        const keys = { key, heartbeat };
        const wish = { config, keys, core, newSignState: false, clock: BEFORE, log: SILENT_LOG };
        return [await openOwnSeat(wish, closing)];
      },
    });
    this.#metrics.set(node, metrics);
    return node;
  }

  #config(place: number): NodeConfig {
    const { peers, overlay } = this.ports[place] as Ports;
    const other = this.ports[1 - place] as Ports;
    return {
      network: 'development',
      dataDir: this.dataDir(place),
      genesisFile: null,
      recoveryFiles: [],
      http: {
        bind: { host: HOST, port: 0 },
        isPublic: false,
        publicNames: [],
        browserOrigins: [],
        trustedProxies: [],
        ui: false,
      },
      mining: { bind: { host: HOST, port: 0 } },
      metrics: { bind: null },
      log: { filter: 'warn', file: null, format: 'auto', statusSeconds: 0 },
      sync: { state: false, trust: null },
      storage: {
        mode: 'archive',
        cacheBytes: 1 << 20,
        scrubHours: 0,
        stateEveryCuts: 0,
        freeBytesMin: 0,
      },
      peers: {
        listenHosts: [HOST],
        port: peers,
        bootstrap: [`${HOST}:${other.peers}`],
        inboundMax: 8,
        outboundMax: 8,
        quic: false,
        uploadBytesPerSecond: 0,
        certificateEveryCuts: 1,
      },
      proofOfWork: { mode: 'light', threads: 1, datasetDir: null },
      validator: null,
      validatorOverlay: { announcedRoutes: [], listen: [`/ip4/${HOST}/tcp/${overlay}`] },
    };
  }
}

test('two nodes with a validator each agree over their sockets, and one that was away comes back', async (t) => {
  await init();
  const pair = new Pair();
  const running: ComposedNode[] = [];
  t.after(async () => {
    await Promise.all(running.map((node) => node.close()));
    rmSync(pair.directory, { recursive: true, force: true });
  });
  await pair.prepare();
  const [first, second] = await Promise.all([pair.start(0), pair.start(1)]);
  running.push(first, second);
  const reach = (nodes: readonly ComposedNode[], height: number) =>
    until(
      async () => nodes.every(({ core }) => core.chain.head.height >= height) || undefined,
      `cut ${height}`,
    );
  await reach([first, second], 4);
  assert.equal(first.core.chain.recentCutId(4), second.core.chain.recentCutId(4));
  const url = `http://${HOST}:${first.http.port}/v1/node/sync`;
  const sync = await read<{ synced: boolean; peers: number }>(url);
  assert.deepEqual([sync.synced, sync.peers > 0], [true, true]);
  await until(async () => {
    const figures = pair.metricsOf(first);
    return PEER_FIGURES.every((line) => line.test(figures)) || undefined;
  }, 'figures of a peer');

  const unregistered = await pair.startUnregistered();
  running.push(unregistered);
  await reach([unregistered], 4);
  const own = `http://${HOST}:${unregistered.http.port}/v1/node/status`;
  const status = await read<{ validator: unknown; validator_waits: boolean }>(own);
  assert.deepEqual([status.validator, status.validator_waits], [null, true]);
  await unregistered.close();

  await second.close();
  const stood = first.core.chain.head.height;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.ok(first.core.chain.head.height <= stood + 1, 'one of two decides nothing');
  const again = await pair.start(1);
  running.push(again);
  await reach([first, again], stood + 3);
  assert.equal(first.core.chain.recentCutId(stood + 2), again.core.chain.recentCutId(stood + 2));
});
