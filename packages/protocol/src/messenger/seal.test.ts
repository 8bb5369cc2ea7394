import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../base/svc-error.ts';
import { MESSAGE_HEAD_BYTES } from './limits.ts';
import type { Pair } from './party.ts';
import type { Direction, MessagePayload } from './payload.ts';
import { DIRECTIONS } from './payload.ts';
import { openMessage, sealMessage } from './seal.ts';

const keys = {
  fromRequester: new Uint8Array(32).fill(1),
  fromAccepter: new Uint8Array(32).fill(2),
  confirmation: new Uint8Array(32),
};
const pair: Pair = {
  network: 'development',
  requester: new Uint8Array(49).fill(3),
  accepter: new Uint8Array(49).fill(4),
};

function sealed(direction: Direction): MessagePayload {
  const nonce = new Uint8Array(24).fill(6);
  const head = { chatId: new Uint8Array(24).fill(5), direction, sequence: 1, nonce };
  const payload = sealMessage(keys, pair, head, 'hello');
  return { kind: 'message', ...head, sealed: payload.slice(MESSAGE_HEAD_BYTES) };
}

test('the addresses of both ends and the network are authenticated with a message', () => {
  const others: readonly Pair[] = [
    { ...pair, network: 'testnet' },
    { ...pair, requester: new Uint8Array(49).fill(9) },
    { ...pair, accepter: new Uint8Array(49).fill(9) },
    { ...pair, requester: pair.accepter, accepter: pair.requester },
  ];
  for (const direction of Object.values(DIRECTIONS)) {
    assert.equal(openMessage(keys, pair, sealed(direction)), 'hello');
    for (const other of others) {
      assert.throws(() => openMessage(keys, other, sealed(direction)), SvcError);
    }
  }
});

test('chat, direction, sequence and nonce are authenticated with a message', () => {
  const message = sealed(DIRECTIONS.fromRequester);
  const changes: readonly Partial<MessagePayload>[] = [
    { chatId: new Uint8Array(24) },
    { direction: DIRECTIONS.fromAccepter },
    { sequence: 2 },
    { nonce: new Uint8Array(24) },
  ];
  const sameKeys = { ...keys, fromAccepter: keys.fromRequester };
  for (const change of changes) {
    assert.throws(() => openMessage(sameKeys, pair, { ...message, ...change }), SvcError);
  }
});
