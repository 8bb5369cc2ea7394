/**
 * A signer and its nodes in one process, on a clock that the test moves: frames go from one side to the other as bytes.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { ManualClock } from 'svc-base/testing';
import {
  type CutId,
  decodeSignState,
  height,
  NO_ROUND,
  openSigner,
  round,
  type Signer,
  type SignResult,
  type SignStateStorage,
  type UnsignedVote,
} from 'svc-consensus/machine';
import { init, operationMessage } from 'svc-wasm';
import { CONTEXTS, contextBytes } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { createManifest, defaultRules, encodeBody, voteSignBytes } from 'svc-wasm/protocol';
import { ValidatorKey } from '../validator-key.ts';
import { decodeAnswer, encodeRequest, type SignerAnswer, type SignerRequest } from './frames.ts';
import { type SignerLease, SignerSession } from './signer-session.ts';
import { CONNECTIONS_MAX, LEASE_MILLIS, SigningDesk } from './signing-desk.ts';

const CHAIN = new Uint8Array(48).fill(1);
const SET = new Uint8Array(48).fill(2);
const [A, B] = ['aa'.repeat(48) as CutId, 'bb'.repeat(48) as CutId];

/** The record of a disk that fails only when set to. */
class MemoryRecord implements SignStateStorage {
  stored: Uint8Array | undefined;
  isBroken = false;
  #next: Uint8Array | undefined;
  read = () => this.stored;
  writeTemporary(bytes: Uint8Array): void {
    if (this.isBroken) throw new Error('no space');
    this.#next = bytes;
  }
  syncTemporary(): void {}
  renameTemporary(): void {
    this.stored = this.#next;
  }
  syncDirectory(): void {}
}

describe('a signer and the nodes that ask it', () => {
  let key: ValidatorKey;
  before(async () => {
    await init();
    key = ValidatorKey.fromSeed(new Uint8Array(32).fill(7));
  });

  function scene() {
    const clock = new ManualClock();
    const storage = new MemoryRecord();
    const opened = openSigner(
      { storage, lock: { acquire: () => true, release: () => {} }, key },
      { chainHeight: height(0), newSignState: true, firstUse: true },
    );
    assert.ok(opened.type === 'open');
    const { signer } = opened;
    const desk = new SigningDesk({ signer, key, chainId: CHAIN, clock, log: SILENT_LOG });
    return {
      clock,
      storage,
      signer,
      desk,
      node: (name: string) => new TestNode(desk, clock, name),
    };
  }

  test('one node has the lease; another gets it when the connection of the first ends', async () => {
    const { desk, node } = scene();
    const [first, second] = [node('first'), node('second')];
    assert.ok(first.lease !== undefined && second.lease === undefined);
    assert.deepEqual([second.heldBy, second.publicKey], ['first', key.publicKey]);
    assert.equal((await first.sign(vote(5, 0, A))).type, 'signed');
    first.disconnect();
    assert.equal(desk.holder, 'second');
    const taken = second.lease as SignerLease | undefined;
    assert.ok(taken !== undefined);
    assert.deepEqual([taken.number, recordOf(taken).last?.height], [2, 5]);
  });

  test('no two nodes get signatures for different messages of one position', async () => {
    const { node } = scene();
    const [first, second] = [node('first'), node('second')];
    await first.sign(vote(5, 0, A));
    first.disconnect();
    assert.deepEqual(await second.sign(vote(5, 0, B)), {
      type: 'refused',
      reason: 'conflicting_message',
    });
    assert.deepEqual(await second.sign(vote(4, 0, B)), {
      type: 'refused',
      reason: 'height_regression',
    });
    assert.equal((await second.sign(vote(5, 0, A))).type, 'signed');
  });

  test('a node that is silent loses its lease, and what it sends after that is refused', async () => {
    const { desk, node, clock } = scene();
    const first = node('first');
    const second = node('second');
    first.isDeaf = true;
    clock.advance(LEASE_MILLIS + 1_000);
    assert.equal(desk.holder, 'second');
    assert.notEqual(first.ended, undefined);
    assert.equal((await second.sign(vote(9, 0, A))).type, 'signed');
  });

  test('of several that wait the one that asked last gets the lease: another may have vanished', () => {
    const { desk, node, clock } = scene();
    const [first, second] = [node('first'), node('second')];
    node('third');
    second.isDeaf = true;
    clock.advance(LEASE_MILLIS / 2);
    assert.equal(second.ended, undefined, 'it was not noticed yet');
    first.disconnect();
    assert.equal(desk.holder, 'third');
  });

  test('a lease is of one connection: its number does not help another one', () => {
    const { desk } = scene();
    const holder = rawLink(desk);
    const thief = rawLink(desk);
    holder.ask();
    const answer = thief.request({
      type: 'sign',
      lease: 1,
      id: 3,
      message: vote(5, 0, A),
      setId: SET,
    });
    assert.deepEqual(answer, { type: 'refused', id: 3, reason: 'lease_lost' });
    const old = holder.request({ type: 'keep', lease: 9 });
    assert.deepEqual(old, { type: 'refused', id: 0, reason: 'lease_lost' });
  });

  test('another chain, another version and bytes that are no frame get nothing', () => {
    const { desk } = scene();
    const link = rawLink(desk);
    const ask = { type: 'ask', version: 1, chainId: CHAIN, name: 'x' } as const;
    assert.deepEqual(link.request({ ...ask, chainId: SET }), {
      type: 'refused',
      id: 0,
      reason: 'wrong_chain',
    });
    assert.deepEqual(link.request({ ...ask, version: 2 }), {
      type: 'refused',
      id: 0,
      reason: 'unknown_version',
    });
    link.connection.receive(Uint8Array.of(99));
    assert.equal(link.isEnded, true);
    assert.equal(desk.holder, null);
  });

  test('connections are counted, and one that says nothing is ended', () => {
    const { desk, clock } = scene();
    const links = Array.from({ length: CONNECTIONS_MAX }, () => rawLink(desk));
    assert.equal(desk.connect({ send: () => {}, end: () => {} }), undefined);
    clock.advance(LEASE_MILLIS);
    assert.ok(links.every(({ isEnded }) => isEnded));
    assert.ok(desk.connect({ send: () => {}, end: () => {} }) !== undefined);
  });

  test('the signature is over the bytes of the chain that the signer was started for', async () => {
    const { node } = scene();
    const message = vote(5, 0, A);
    const result = await node('first').sign(message);
    assert.ok(result.type === 'signed');
    const bytes = voteSignBytes(
      {
        kind: 'prevote',
        height: 5n,
        round: 0,
        validRound: -1,
        cutId: new Uint8Array(48).fill(0xaa),
        validatorSetId: SET,
      },
      CHAIN,
    );
    const context = contextBytes(CONTEXTS.vote);
    assert.ok(mlDsa65.verify(key.publicKey, bytes, result.signature, { context }));
  });

  test('silence and stop that a node decides on are in the record before the next signature', async () => {
    const { node, signer } = scene();
    const first = node('first');
    const copy = openCopy(first.lease as SignerLease);
    copy.recordLacks(height(5), false);
    const silent = { type: 'refused', reason: 'silent_after_new_sign_state' };
    assert.deepEqual(await first.sign(vote(200, 0, A)), silent);
    copy.beginSilence(height(7), 1);
    assert.deepEqual(await first.sign(vote(8, 0, A)), silent);
    assert.equal((await first.sign(vote(9, 0, A))).type, 'signed');
    copy.ownMessageSeen('prevote', height(99), round(0), Uint8Array.of(1));
    assert.deepEqual(await first.sign(vote(10, 0, A)), {
      type: 'refused',
      reason: 'key_in_use_elsewhere',
    });
    assert.ok(signer.state.stopped);
    assert.equal(signer.adopt({ silentThrough: height(0), stopped: false }), false);
  });

  test('a record that cannot be written ends the signer, and no signature leaves', () => {
    const { desk, storage, signer } = scene();
    const link = rawLink(desk);
    link.ask();
    storage.isBroken = true;
    const request = { type: 'sign', lease: 1, id: 3, message: vote(5, 0, A), setId: SET } as const;
    assert.throws(() => link.connection.receive(encodeRequest(request)), /no space/);
    assert.equal(link.answers.length, 1);
    assert.deepEqual(signer.sign('prevote', height(6), round(0), SET), {
      type: 'refused',
      reason: 'storage_failed',
    });
  });

  test('heartbeats of this chain are signed, other operations and other chains are not', async () => {
    const { node } = scene();
    const lease = node('first').lease as SignerLease;
    const manifest = createManifest('development', CHAIN, defaultRules('development'));
    const beat = { type: 'heartbeat', data: { validator_id: 'cd'.repeat(48), epoch: '3' } };
    const body = encodeBody(JSON.stringify(requestWith(beat)), manifest);
    const signature = await lease.signHeartbeat(body, manifest.json);
    const context = contextBytes(CONTEXTS.operation);
    const message = operationMessage(body, manifest.json);
    assert.ok(signature !== undefined);
    assert.ok(mlDsa65.verify(key.publicKey, message, signature, { context }));

    const exit = { type: 'exit', data: { validator_id: 'cd'.repeat(48) } };
    const other = encodeBody(JSON.stringify(requestWith(exit)), manifest);
    assert.equal(await lease.signHeartbeat(other, manifest.json), undefined);
    const elsewhere = createManifest('development', SET, defaultRules('development'));
    const foreign = encodeBody(JSON.stringify(requestWith(beat)), elsewhere);
    assert.equal(await lease.signHeartbeat(foreign, elsewhere.json), undefined);
  });

  function openCopy(lease: SignerLease): Signer {
    const opened = openSigner(
      { storage: lease.storage, lock: { acquire: () => true, release: () => {} }, key },
      { chainHeight: height(0), newSignState: false },
    );
    assert.ok(opened.type === 'open');
    return opened.signer;
  }
});

/** A node at the other end of a connection. */
class TestNode {
  lease: SignerLease | undefined;
  heldBy: string | undefined;
  publicKey: Uint8Array | undefined;
  ended: string | undefined;
  /** Whether frames get lost on both ways. */
  isDeaf = false;
  readonly disconnect: () => void;

  constructor(desk: SigningDesk, clock: ManualClock, name: string) {
    const connection = desk.connect({
      send: (frame) => {
        if (this.isDeaf) return;
        inbox.push(frame);
        pump();
      },
      end: () => session?.end('the connection has ended'),
    });
    const inbox: Uint8Array[] = [];
    let session: SignerSession | undefined;
    const pump = () => {
      if (session === undefined) return;
      for (let frame = inbox.shift(); frame !== undefined; frame = inbox.shift())
        session.receive(frame);
    };
    session = new SignerSession(
      { chainId: CHAIN, name },
      {
        clock,
        setIdAt: () => SET,
        send: (frame) => {
          if (!this.isDeaf) connection?.receive(frame);
        },
        onGranted: (lease) => {
          this.lease = lease;
        },
        onHeld: (publicKey, holder) => {
          this.heldBy = holder;
          this.publicKey = publicKey;
        },
        onEnded: (reason) => {
          this.ended = reason;
          this.lease = undefined;
        },
      },
    );
    pump();
    this.disconnect = () => connection?.close();
  }

  sign(message: UnsignedVote): Promise<SignResult> {
    assert.ok(this.lease !== undefined);
    return this.lease.sign(message);
  }
}

function rawLink(desk: SigningDesk) {
  const answers: SignerAnswer[] = [];
  const state = { isEnded: false };
  const connection = desk.connect({
    send: (frame) => void answers.push(decodeAnswer(frame)),
    end: () => {
      state.isEnded = true;
    },
  });
  assert.ok(connection !== undefined);
  const request = (value: SignerRequest) => {
    connection.receive(encodeRequest(value));
    return answers.at(-1);
  };
  return {
    connection,
    answers,
    request,
    ask: () => request({ type: 'ask', version: 1, chainId: CHAIN, name: 'raw' }),
    get isEnded() {
      return state.isEnded;
    },
  };
}

function vote(at: number, inRound: number, value: CutId): UnsignedVote {
  return {
    kind: 'prevote',
    height: height(at),
    round: round(inRound),
    validRound: NO_ROUND,
    value,
    validatorIndex: 0,
  };
}

function recordOf(lease: SignerLease) {
  const record = decodeSignState(lease.storage.read() as Uint8Array);
  assert.ok(record !== undefined);
  return record;
}

function requestWith(operation: object) {
  return {
    valid_from_height: '1',
    valid_until_height: '9',
    fee: '1',
    inputs: [{ transaction_id: 'ef'.repeat(48), output_index: '0' }],
    outputs: [],
    payload_hex: '',
    operation,
  };
}
