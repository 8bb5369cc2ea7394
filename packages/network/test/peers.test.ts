import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { HANDSHAKE_PROTOCOL } from '../src/handshake/handshake.ts';
import { EXCHANGE_PROTOCOL } from '../src/peers/exchange.ts';
import { RELAY_PROTOCOL } from '../src/relay/relay.ts';
import { SYNC_PROTOCOL } from '../src/sync/sync-server.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { bytesFrom, ChainScript, payment } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'peers' });

test('nodes that know one node find each other through it', async (t) => {
  const hub = await startNetwork(t, new MemoryApplication(script));
  const bootstrap = [hub.addresses[0] as string];
  const second = await startNetwork(t, new MemoryApplication(script), { bootstrap });
  await until(() => hub.peers.size === 1, 'the first peer');
  const third = await startNetwork(t, new MemoryApplication(script), { bootstrap });
  await until(() => third.peers.get(second.peerId) !== undefined, 'a reported peer');
  await until(() => second.peers.get(third.peerId) !== undefined, 'the same from the other side');
});

test('after a restart a node keeps its name and finds its peers without help', async (t) => {
  const friend = await startNetwork(t, new MemoryApplication(script));
  const directory = temporaryDirectory();
  const first = await startNetwork(t, new MemoryApplication(script), {
    directory,
    bootstrap: [friend.addresses[0] as string],
  });
  await until(() => first.peers.size === 1, 'the first meeting');
  await first.close();
  const again = await startNetwork(t, new MemoryApplication(script), { directory });
  assert.equal(again.peerId, first.peerId);
  await until(() => again.peers.size === 1, 'the second meeting');
});

test('the traffic counted is the traffic that passed, within a hundredth, and what the kernel counted', async (t) => {
  const application = new MemoryApplication(script);
  const server = await startNetwork(t, application);
  const serverPort = Number(/tcp\/(\d+)/.exec(server.addresses[0] as string)?.[1]);
  const passed = { up: 0, down: 0 };
  /** Traffic of closed connections, which the kernel no longer counts. */
  const past = { up: 0, down: 0 };
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1');
    far.on('close', () => {
      past.up += far.bytesWritten;
      past.down += far.bytesRead;
    });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    near.on('data', (bytes) => {
      passed.up += bytes.length;
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      passed.down += bytes.length;
      near.write(bytes);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  const { port } = proxy.address() as { port: number };
  const client = await startNetwork(t, new MemoryApplication(script), {
    bootstrap: [`/ip4/127.0.0.1/tcp/${port}`],
    listenHosts: [],
  });
  await until(() => client.peers.size === 1, 'peers');
  for (let i = 0; i < 40; i++)
    await application.submitTransaction(payment(script.manifest, `counted ${i}`).wire);
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= 0.01 * b;
  await until(
    () =>
      passed.down > 140_000 &&
      isNear(client.traffic.receivedBytes, passed.down) &&
      isNear(client.traffic.sentBytes, passed.up) &&
      isNear(server.traffic.sentBytes, passed.down) &&
      isNear(server.traffic.receivedBytes, passed.up),
    'both counts',
  );
  let kernel: KernelCount | undefined;
  try {
    await until(async () => {
      const { sentBytes, receivedBytes } = server.traffic;
      kernel = await kernelBytes(serverPort);
      if (kernel === undefined) return true;
      const { traffic } = server;
      return (
        isBetween(kernel.sent + past.down, sentBytes, traffic.sentBytes) &&
        isBetween(kernel.received + past.up, receivedBytes, traffic.receivedBytes)
      );
    }, 'a count of the kernel that is that of the node');
  } finally {
    const { sentBytes, receivedBytes } = server.traffic;
    t.diagnostic(
      kernel === undefined
        ? 'the count of the kernel is passed over: there is no ss'
        : `sent: the kernel ${kernel.sent}, the node ${sentBytes}; received: ${kernel.received}, ${receivedBytes}`,
    );
  }
});

/** Whether the kernel counted what a node did that kept counting meanwhile, within a twentieth. */
function isBetween(kernel: number, before: number, after: number): boolean {
  return before <= 1.05 * kernel && after >= 0.95 * kernel;
}

interface KernelCount {
  readonly sent: number;
  readonly received: number;
}

/**
 * What the kernel counted on the connections that a port has accepted; what it sent again, on a busy machine, counts once.
 * Undefined where there is no `ss`.
 */
async function kernelBytes(port: number): Promise<KernelCount | undefined> {
  const asked = promisify(execFile)('ss', ['-tinH', `sport = :${port}`]);
  const answer = await asked.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (answer === undefined) return undefined;
  const { stdout } = answer;
  const sum = (name: string): number =>
    [...stdout.matchAll(new RegExp(`\\b${name}:(\\d+)`, 'g'))].reduce(
      (total, [, bytes]) => total + Number(bytes),
      0,
    );
  return { sent: sum('bytes_sent') - sum('bytes_retrans'), received: sum('bytes_received') };
}

test('without a handshake no stream is served', async (t) => {
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application);
  const raw = await RawPeer.create(t);
  await raw.dial(network);
  for (const protocol of [RELAY_PROTOCOL, SYNC_PROTOCOL, EXCHANGE_PROTOCOL]) {
    const stream = await raw.open(protocol);
    await until(() => stream.stream.status !== 'open', `${protocol} closes`);
  }
  assert.equal(network.peers.size, 0);
});

test('garbage in the handshake ends the connection', async (t) => {
  const network = await startNetwork(t, new MemoryApplication(script));
  const reasons: string[] = [];
  network.handshake.refused.on(({ reason }) => reasons.push(reason));
  const wrong = [
    Uint8Array.of(9, 0),
    Uint8Array.of(1, 3, 1, 0, 0),
    Uint8Array.of(2, 1, 0),
    bytesFrom('noise', 400),
  ];
  for (const [index, bytes] of wrong.entries()) {
    const raw = await RawPeer.create(t);
    await raw.dial(network);
    const stream = await raw.open(HANDSHAKE_PROTOCOL);
    stream.sendBytes(bytes);
    await until(() => reasons.length > index, `refusal ${index}`);
    await until(() => raw.connection.status !== 'open', `disconnection ${index}`);
  }
  assert.equal(network.peers.size, 0);
});

test('endless requests for peers are answered at a limited rate', async (t) => {
  const application = new MemoryApplication(script);
  const network = await startNetwork(t, application);
  const raw = await RawPeer.create(t);
  await raw.join(network, application);
  const stream = await raw.open(EXCHANGE_PROTOCOL);
  for (let i = 0; i < 50; i++) stream.send(1, new Uint8Array(0));
  const answers = (): number => stream.frames.filter(({ kind }) => kind === 2).length;
  await until(() => answers() > 0, 'an answer');
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.ok(answers() <= 5, `${answers()} answers`);
});

test('a node that was behind asks what waits once it has caught up', async (t) => {
  const chain = new ChainScript({ seed: 'pending' }).grow(40);
  const ahead = new MemoryApplication(chain).adopt();
  const wires = Array.from({ length: 10 }, (_, index) => payment(chain.manifest, `p ${index}`));
  const server = await startNetwork(t, ahead);
  const behind = new MemoryApplication(chain);
  behind.installDelayMillis = 40;
  const network = await startNetwork(t, behind, { bootstrap: [server.addresses[0] as string] });
  await until(() => behind.tip.height > 5, 'some cuts');
  assert.equal(network.sync.isFollowing, false, 'the headers of the rest are proven');
  for (const { wire } of wires) await ahead.submitTransaction(wire);
  const whileBehind: number[] = [];
  await until(() => {
    if (!network.sync.isFollowing) whileBehind.push(behind.submissions.transactions);
    return behind.pool.size === 10;
  }, 'payments after the sync');
  assert.ok(whileBehind.length > 0 && whileBehind.every((submissions) => submissions === 0));
});

test('a node follows a fast network though it has its cuts a second or two later', async (t) => {
  const chain = new ChainScript({ seed: 'fast' }).grow(8);
  const server = await startNetwork(t, new MemoryApplication(chain).adopt());
  const bootstrap = [server.addresses[0] as string];
  for (const [paceMillis, isFollowing] of [
    [2_500, false],
    [200, true],
  ] as const) {
    const behind = new MemoryApplication(chain);
    behind.installDelayMillis = 500;
    const network = await startNetwork(t, behind, { bootstrap, syncTiming: { paceMillis } });
    await until(() => network.sync.bestPeerHeight === 8, 'the headers to be proven');
    assert.ok(behind.tip.height < 6, 'three cuts at least are not installed');
    assert.equal(network.sync.isFollowing, isFollowing, `a pace of ${paceMillis} ms`);
  }
});
