/**
 * Runs the handshake over a fresh TLS socket, from either side. Nothing but the handshake is sent or read
 * before both have proven who they are; it ends the socket if that takes too long.
 */
import type { TLSSocket } from 'node:tls';
import type { Clock } from 'svc-base/pure';
import { toHex } from 'svc-wasm/base';
import type { KeyPair } from 'svc-wasm/kernel';
import { keyHash } from 'svc-wasm/protocol';
import { Budget } from '../wire/budget.ts';
import {
  decodeCallerHello,
  decodeChallenge,
  decodeWelcome,
  encodeCallerHello,
  encodeChallenge,
  encodeWelcome,
  HANDSHAKE,
  HANDSHAKE_LIMITS,
  newNonce,
  type Transcript,
  transcriptBytes,
} from './handshake-bytes.ts';
import { LINK_LIMITS } from './link-bytes.ts';
import { signOverlay, verifies } from './overlay-signature.ts';
import { channelBinding } from './secure-socket.ts';
import { SocketChannel } from './socket-channel.ts';

export interface OwnIdentity {
  readonly chainId: Uint8Array;
  readonly validatorId: string;
  readonly key: KeyPair;
}

export interface HandshakePorts {
  readonly own: OwnIdentity;
  readonly clock: Clock;
  /** The hash of a validator's overlay key, if it is one to talk to. */
  readonly keyHashOf: (validatorId: string) => string | undefined;
  /** The read budget of a validator that has authenticated. */
  readonly budgetOf: (validatorId: string) => Budget;
}

export interface Greeted {
  readonly channel: SocketChannel;
  readonly validatorId: string;
  /** Sends later frames and the end of the channel to these handlers. */
  readonly attach: (handlers: LinkHandlers) => void;
}

export interface LinkHandlers {
  readonly onFrame: (kind: number, payload: Uint8Array) => void;
  readonly onClose: (error: Error | undefined) => void;
}

export const HANDSHAKE_MILLIS_MAX = 5_000;
/** Two frames at most, before it is known whose they are. */
const STRANGER_BUDGET = {
  bytes: { perSecond: 16_384, burst: 16_384 },
  messages: { perSecond: 2, burst: 4 },
};

/** The caller's side: the socket was dialled to reach this validator. */
export function greet(
  socket: TLSSocket,
  validatorId: string,
  ports: HandshakePorts,
): Promise<Greeted> {
  const { own, keyHashOf } = ports;
  const calledKeyHash = keyHashOf(validatorId);
  let transcript: Transcript | undefined;
  return converse(socket, ports, (channel, kind, payload) => {
    if (calledKeyHash === undefined) throw new Error('not a validator to talk to');
    if (kind === HANDSHAKE.challenge && transcript === undefined) {
      const callerNonce = newNonce();
      transcript = {
        chainId: own.chainId,
        callerId: own.validatorId,
        calledId: validatorId,
        callerKeyHash: hashOf(own.key.publicKey),
        calledKeyHash,
        callerNonce,
        calledNonce: decodeChallenge(payload),
        binding: channelBinding(socket),
      };
      const signature = sign(own, transcriptBytes('caller', transcript));
      const { publicKey } = own.key;
      const ids = { callerId: own.validatorId, calledId: validatorId };
      const hello = encodeCallerHello({ ...ids, nonce: callerNonce, publicKey, signature });
      channel.send(HANDSHAKE.hello, hello);
      return undefined;
    }
    if (kind !== HANDSHAKE.welcome || transcript === undefined) throw new Error('out of turn');
    const { publicKey, signature } = decodeWelcome(payload);
    if (hashOf(publicKey) !== calledKeyHash) throw new Error('another overlay key than registered');
    expectSigned(publicKey, transcriptBytes('called', transcript), signature);
    return validatorId;
  });
}

/** The side that was called: says nothing of itself before the caller has proven to be a validator. */
export function answer(socket: TLSSocket, ports: HandshakePorts): Promise<Greeted> {
  const { own, keyHashOf } = ports;
  const calledNonce = newNonce();
  return converse(
    socket,
    ports,
    (channel, kind, payload) => {
      if (kind !== HANDSHAKE.hello) throw new Error('out of turn');
      const { callerId, calledId, nonce, publicKey, signature } = decodeCallerHello(payload);
      if (calledId !== own.validatorId || callerId === own.validatorId)
        throw new Error('meant for another validator');
      const callerKeyHash = keyHashOf(callerId);
      if (callerKeyHash === undefined || hashOf(publicKey) !== callerKeyHash)
        throw new Error('not a validator to talk to');
      const transcript: Transcript = {
        chainId: own.chainId,
        callerId,
        calledId,
        callerKeyHash,
        calledKeyHash: hashOf(own.key.publicKey),
        callerNonce: nonce,
        calledNonce,
        binding: channelBinding(socket),
      };
      expectSigned(publicKey, transcriptBytes('caller', transcript), signature);
      const welcome = sign(own, transcriptBytes('called', transcript));
      const bytes = encodeWelcome({ publicKey: own.key.publicKey, signature: welcome });
      channel.send(HANDSHAKE.welcome, bytes);
      return callerId;
    },
    (channel) => channel.send(HANDSHAKE.challenge, encodeChallenge(calledNonce)),
  );
}

/** Hands frames to `onFrame` until it names the validator at the other end. */
function converse(
  socket: TLSSocket,
  { clock, budgetOf }: HandshakePorts,
  onFrame: (channel: SocketChannel, kind: number, payload: Uint8Array) => string | undefined,
  onSecure: (channel: SocketChannel) => void = () => {},
): Promise<Greeted> {
  return new Promise((resolve, reject) => {
    const early: [number, Uint8Array][] = [];
    let handlers: LinkHandlers | undefined;
    let validatorId: string | undefined;
    const channel: SocketChannel = new SocketChannel(socket, {
      limits: HANDSHAKE_LIMITS,
      clock,
      budget: new Budget(STRANGER_BUDGET, () => clock.monotonic()),
      onFrame: (kind, payload) => {
        if (handlers !== undefined) return handlers.onFrame(kind, payload);
        if (validatorId !== undefined) return void early.push([kind, payload]);
        validatorId = onFrame(channel, kind, payload);
        if (validatorId === undefined) return;
        cancel();
        // Frames after the handshake may have arrived together with its last frame.
        channel.useLimits(LINK_LIMITS);
        channel.useBudget(budgetOf(validatorId));
        const attach = (given: LinkHandlers): void => {
          handlers = given;
          for (const [earlyKind, bytes] of early.splice(0)) given.onFrame(earlyKind, bytes);
        };
        resolve({ channel, validatorId, attach });
      },
      onClose: (error) => {
        cancel();
        handlers?.onClose(error);
        reject(error ?? new Error('closed in the handshake'));
      },
    });
    const cancel = clock.after(HANDSHAKE_MILLIS_MAX, () => {
      channel.close(new Error(`no handshake within ${HANDSHAKE_MILLIS_MAX} ms`));
    });
    socket.once('secure', () => onSecure(channel));
  });
}

function hashOf(publicKey: Uint8Array): string {
  return toHex(keyHash(publicKey));
}

function sign({ key }: OwnIdentity, message: Uint8Array): Uint8Array {
  return signOverlay(key, message);
}

function expectSigned(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
  if (verifies(publicKey, message, signature)) return;
  throw new Error('the signature does not hold');
}
