/**
 * The handshake between validators against a peer that keeps to its form and signs what it must, but with a key of its own.
 */
import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';
import { keyHash } from 'svc-wasm/protocol';
import { bytesFrom } from '../../test/testing/script.ts';
import { Budget } from '../wire/budget.ts';
import { answer, greet, type HandshakePorts } from './handshake.ts';
import {
  decodeCallerHello,
  decodeChallenge,
  encodeCallerHello,
  encodeChallenge,
  encodeWelcome,
  HANDSHAKE,
  HANDSHAKE_LIMITS,
  newNonce,
  transcriptBytes,
} from './handshake-bytes.ts';
import { MemberBudgets } from './member-budgets.ts';
import { signOverlay } from './overlay-signature.ts';
import { channelBinding, secureClient, secureServer } from './secure-socket.ts';
import { SocketChannel } from './socket-channel.ts';

await init();

const CHAIN_ID = bytesFrom('chain', 48);
const [CALLER_KEY, CALLED_KEY, FOREIGN_KEY] = [1, 2, 3].map((seed) =>
  mlDsa65.keygen(new Uint8Array(32).fill(seed)),
) as [KeyPair, KeyPair, KeyPair];
const hashOf = ({ publicKey }: KeyPair) => toHex(keyHash(publicKey));
const callerId = '11'.repeat(48);
const calledId = '22'.repeat(48);
const REGISTERED = new Map([
  [callerId, hashOf(CALLER_KEY)],
  [calledId, hashOf(CALLED_KEY)],
]);
const PARTIES = {
  chainId: CHAIN_ID,
  callerId,
  calledId,
  callerKeyHash: hashOf(CALLER_KEY),
  calledKeyHash: hashOf(CALLED_KEY),
};
const budgets = new MemberBudgets(SYSTEM_CLOCK);

function portsOf(validatorId: string, key: KeyPair): HandshakePorts {
  return {
    own: { chainId: CHAIN_ID, validatorId, key },
    clock: SYSTEM_CLOCK,
    keyHashOf: (id) => REGISTERED.get(id),
    budgetOf: (id) => budgets.readBudgetOf(id),
  };
}

/** The two ends of one connection. */
async function connected(t: TestContext): Promise<readonly [TLSSocket, TLSSocket]> {
  const incoming = Promise.withResolvers<TLSSocket>();
  const server = createServer((socket) => incoming.resolve(secureServer(socket, CHAIN_ID)));
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const caller = secureClient(connect(port, '127.0.0.1'), CHAIN_ID);
  const called = await incoming.promise;
  t.after(() => {
    caller.destroy();
    called.destroy();
  });
  return [caller, called];
}

function channelOn(
  socket: TLSSocket,
  onFrame: (channel: SocketChannel, kind: number, payload: Uint8Array) => void,
): SocketChannel {
  const rate = { perSecond: 1_000_000, burst: 1_000_000 };
  const channel: SocketChannel = new SocketChannel(socket, {
    limits: HANDSHAKE_LIMITS,
    clock: SYSTEM_CLOCK,
    budget: new Budget({ bytes: rate, messages: rate }, () => SYSTEM_CLOCK.monotonic()),
    onFrame: (kind, payload) => onFrame(channel, kind, payload),
    onClose: () => {},
  });
  return channel;
}

/** Is called, and answers as the validator would, but signs with a key. */
function answerWith(socket: TLSSocket, key: KeyPair): void {
  const calledNonce = newNonce();
  const channel = channelOn(socket, (_, kind, payload) => {
    assert.equal(kind, HANDSHAKE.hello);
    const { nonce: callerNonce } = decodeCallerHello(payload);
    const binding = channelBinding(socket);
    const transcript = { ...PARTIES, callerNonce, calledNonce, binding };
    const signature = signOverlay(key, transcriptBytes('called', transcript));
    channel.send(HANDSHAKE.welcome, encodeWelcome({ publicKey: key.publicKey, signature }));
  });
  socket.once('secure', () => channel.send(HANDSHAKE.challenge, encodeChallenge(calledNonce)));
}

/** Calls, and says hello as the validator would, but signs with a key. */
function greetWith(socket: TLSSocket, key: KeyPair): void {
  channelOn(socket, (channel, kind, payload) => {
    if (kind !== HANDSHAKE.challenge) return;
    const callerNonce = newNonce();
    const calledNonce = decodeChallenge(payload);
    const binding = channelBinding(socket);
    const transcript = { ...PARTIES, callerNonce, calledNonce, binding };
    const signature = signOverlay(key, transcriptBytes('caller', transcript));
    const { publicKey } = key;
    const hello = { callerId, calledId, nonce: callerNonce, publicKey, signature };
    channel.send(HANDSHAKE.hello, encodeCallerHello(hello));
  });
}

test('who is called has to sign with the key that is registered for it', async (t) => {
  const [caller, called] = await connected(t);
  answerWith(called, CALLED_KEY);
  const { validatorId } = await greet(caller, calledId, portsOf(callerId, CALLER_KEY));
  assert.equal(validatorId, calledId);
  const [again, foreign] = await connected(t);
  answerWith(foreign, FOREIGN_KEY);
  await assert.rejects(
    greet(again, calledId, portsOf(callerId, CALLER_KEY)),
    /another overlay key/,
  );
});

test('who calls has to sign with the key that is registered for it', async (t) => {
  const [caller, called] = await connected(t);
  const greeted = answer(called, portsOf(calledId, CALLED_KEY));
  greetWith(caller, CALLER_KEY);
  assert.equal((await greeted).validatorId, callerId);
  const [foreign, again] = await connected(t);
  const refused = assert.rejects(
    answer(again, portsOf(calledId, CALLED_KEY)),
    /not a validator to talk to/,
  );
  greetWith(foreign, FOREIGN_KEY);
  await refused;
});
