import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { equalBytes } from 'svc-wasm/base';
import { decodeOverlayEndpoint, encodeOverlayEndpoint } from '../src/overlay/endpoint.ts';
import { Overlay } from '../src/overlay/overlay.ts';
import { secureClient } from '../src/overlay/secure-socket.ts';
import { bytesFrom } from './testing/script.ts';
import { Committee, freePort, type Seat } from './testing/validators.ts';

await init();

function hasGot(seat: Seat, from: Seat, message: Uint8Array): boolean {
  return seat.received.some((one) => one.from === from.id && equalBytes(one.message, message));
}

/** Says it again every second, as a validator does: links are there before everyone knows who is behind them. */
async function everyoneHears(committee: Committee, from: Seat, message: Uint8Array): Promise<void> {
  const others = committee.seats.filter((seat) => seat !== from);
  let saidAt = Number.NEGATIVE_INFINITY;
  await until(() => {
    if (performance.now() - saidAt >= 1_000) {
      saidAt = performance.now();
      from.overlay.broadcast(message);
    }
    return others.every((seat) => hasGot(seat, from, message));
  }, `the word of ${from.index}`);
}

test('validators with routes link once for each pair, and the lower id dials', async (t) => {
  const committee = await Committee.start(t, 'routed', ['routed', 'routed', 'routed', 'routed'], {
    dialBackMillis: 60_000,
  });
  committee.convene();
  await until(() => committee.linkCounts().every((count) => count === 3), 'links');
  const [first, , , last] = committee.seats as [Seat, Seat, Seat, Seat];
  const message = committee.vote(3);
  last.overlay.broadcast(message);
  const others = committee.seats.filter((seat) => seat !== last);
  await until(() => others.every((seat) => hasGot(seat, last, message)), 'the word of the last');
  const direct = committee.vote(0);
  first.overlay.send(last.id, direct);
  await until(() => hasGot(last, first, direct), 'a message to one');
  assert.equal(committee.checks, 0);
  assert.ok(committee.seats.every((seat) => seat.received.length <= 2));
});

test('[OPS-14] routed, unrouted and relayed validators reach each other; forwarders check signatures', async (t) => {
  const reaches = [
    'routed',
    'routed',
    'routed',
    'routed',
    'unrouted',
    'unrouted',
    'relayed',
  ] as const;
  const committee = await Committee.start(t, 'reach', reaches);
  committee.convene();
  await until(() => equal(committee.linkCounts(), [6, 6, 5, 5, 4, 4, 2]), 'links of every kind');
  const relayed = committee.seats[6] as Seat;
  await until(() => relayed.overlay.relays.length === 2, 'two slots at relays');
  for (const seat of committee.seats) {
    await everyoneHears(committee, seat, committee.vote(seat.index));
  }
  assert.ok(committee.checks > 0, 'forwarders checked signatures');
  const [, , , , unrouted] = committee.seats as [Seat, Seat, Seat, Seat, Seat];
  const sent = committee.vote(4, 1);
  unrouted.overlay.send(relayed.id, sent);
  await until(() => hasGot(relayed, unrouted, sent), 'a message through relays');
  const copies = relayed.received.filter(({ message }) => equalBytes(message, sent));
  assert.ok(copies.length <= 2, `${copies.length} copies`);
  assert.ok(
    copies.every(
      ({ from, via }) =>
        from === unrouted.id && committee.seats.slice(0, 2).some(({ id }) => id === via),
    ),
    'the relay that passed it on is named beside the sender',
  );
});

test('a forged vote is not forwarded, and the member that sent it is disconnected', async (t) => {
  const reaches = ['routed', 'routed', 'unrouted', 'unrouted'] as const;
  const committee = await Committee.start(t, 'forged', reaches);
  committee.convene();
  await until(() => equal(committee.linkCounts(), [3, 3, 2, 2]), 'links');
  const [, , forger, victim] = committee.seats as [Seat, Seat, Seat, Seat];
  await everyoneHears(committee, forger, committee.vote(2, 1));
  const forged = committee.vote(2);
  const at = forged.length - 1;
  forged[at] = (forged[at] as number) ^ 1;
  forger.overlay.send(victim.id, forged);
  await until(() => forger.overlay.neighbours().length < 2, 'disconnection');
  assert.ok(!hasGot(victim, forger, forged));
});

test('[OPS-14] of two with routes the other dials back when the lower id cannot reach it, as after a move', async (t) => {
  const committee = await Committee.start(t, 'dial back', ['routed', 'routed']);
  const [lower, higher] = committee.seats as [Seat, Seat];
  const { keyHash } = decodeOverlayEndpoint(higher.endpoint);
  const closedPort = { host: '127.0.0.1', port: 9, tcp: true, quic: true };
  higher.endpoint = encodeOverlayEndpoint({ keyHash, routes: [closedPort] });
  const startedAt = performance.now();
  committee.convene();
  await until(() => lower.overlay.neighbours().length === 1, 'the call back');
  assert.ok(performance.now() - startedAt >= 1_000);
});

test('[OPS-14] a validator that moved is found where it announces to be, without a transaction', async (t) => {
  const port = await freePort();
  const [host, quic] = ['127.0.0.1', false];
  const committee = await Committee.start(
    t,
    'moved',
    ['routed', 'routed', 'unrouted'],
    ([hub, ...more]) =>
      hub === undefined || more.length > 0
        ? {}
        : {
            listen: [`/ip4/${host}/tcp/${port}`],
            announcedRoutes: [{ host, port, tcp: true, quic }],
            relays: [hub.id],
          },
  );
  const [hub, moved, other] = committee.seats as [Seat, Seat, Seat];
  const { keyHash } = decodeOverlayEndpoint(moved.endpoint);
  const left = { host, port: 9, tcp: true, quic };
  moved.endpoint = encodeOverlayEndpoint({ keyHash, routes: [left] });
  committee.convene();
  await until(() => other.overlay.neighbours().includes(moved.id), 'a link to the new place');
  assert.ok(moved.overlay.neighbours().includes(hub.id));
});

test('who is no member, or has another key than registered, is not linked', async (t) => {
  const committee = await Committee.start(t, 'strangers', ['routed', 'unrouted', 'unrouted']);
  const [server, stranger, impostor] = committee.seats as [Seat, Seat, Seat];
  const { keyHash } = decodeOverlayEndpoint(stranger.endpoint);
  const members = [
    { validatorId: server.id, endpoint: server.endpoint },
    { validatorId: impostor.id, endpoint: encodeOverlayEndpoint({ keyHash, routes: [] }) },
  ];
  server.overlay.setCommittee(members);
  for (const { overlay, id, endpoint } of [stranger, impostor])
    overlay.setCommittee([...members, { validatorId: id, endpoint }]);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  assert.deepEqual(committee.linkCounts(), [0, 0, 0]);
  committee.convene();
  await until(() => equal(committee.linkCounts(), [2, 1, 1]), 'links once they are members');
});

test('another chain cannot even finish TLS, and garbage ends the connection unheard', async (t) => {
  const committee = await Committee.start(t, 'garbage', ['routed']);
  const [server] = committee.seats as [Seat];
  committee.convene();
  const [port] = server.overlay.ports as [number];
  const outcomes: string[] = [];
  for (const bytes of [bytesFrom('noise', 500), Uint8Array.of(22, 3, 1, 255, 255)]) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    outcomes.push('closed');
  }
  const foreign = secureClient(connect(port, '127.0.0.1'), bytesFrom('another chain', 48));
  foreign.on('secureConnect', () => outcomes.push('secure'));
  foreign.on('error', () => {});
  foreign.resume();
  await new Promise((resolve) => foreign.once('close', resolve));
  const own = secureClient(connect(port, '127.0.0.1'), committee.script.manifest.chainId);
  own.on('error', () => {});
  own.resume();
  await new Promise((resolve) => own.once('secureConnect', resolve));
  assert.match(String(own.getProtocol()), /TLSv1\.3/);
  assert.deepEqual(Object(own.getEphemeralKeyInfo()).name, 'X25519MLKEM768');
  own.write(bytesFrom('not a hello', 64));
  await new Promise((resolve) => own.once('close', resolve));
  assert.deepEqual(outcomes, ['closed', 'closed']);
});

test('a broken link comes back by itself', async (t) => {
  const committee = await Committee.start(t, 'again', ['routed', 'unrouted']);
  committee.convene();
  await until(() => equal(committee.linkCounts(), [1, 1]), 'link');
  const [server, client] = committee.seats as [Seat, Seat];
  client.overlay.send(server.id, committee.vote(1));
  await until(() => server.received.length === 1, 'a message');
  server.received[0]?.blame('a test');
  await until(() => equal(committee.linkCounts(), [0, 0]), 'no link');
  await until(() => equal(committee.linkCounts(), [1, 1]), 'link again');
  assert.ok(server.overlay.traffic.receivedBytes > 10_000);
});

test('a validator restarted with the same folder keeps its overlay key', async (t) => {
  const directory = join(temporaryDirectory(), 'validator-overlay');
  const committee = await Committee.start(t, 'restart', ['routed', 'unrouted']);
  committee.convene();
  await until(() => equal(committee.linkCounts(), [1, 1]), 'link');
  const [server, client] = committee.seats as [Seat, Seat];
  await client.overlay.close();
  const again = await Overlay.open({
    directory: client.directory,
    chainId: committee.script.manifest.chainId,
    validatorId: client.id,
    listen: [],
    allowPrivateAddresses: true,
    application: {
      wire: committee.wire,
      position: () => ({ height: 1, round: 0 }),
      verify: () => [],
    },
  });
  t.after(() => again.close());
  again.setCommittee(committee.seats.map(({ id, endpoint }) => ({ validatorId: id, endpoint })));
  await again.start();
  await until(() => again.neighbours().length === 1, 'link with the old key');
  assert.deepEqual(server.overlay.neighbours(), [client.id]);
  assert.notEqual(directory, client.directory);
});

function equal(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
