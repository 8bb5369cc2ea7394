import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromHex, toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { WalletRoot } from '../keys/wallet-root.ts';
import { addressFromPublicKey, burnAddress } from '../text/address-documents.ts';
import { messengerLimits } from './limits.ts';
import { isMessengerPayload } from './payload.ts';

await init();

const network = 'development';

interface Payment {
  readonly transaction_id: string;
  readonly height?: string;
  readonly sender_address: string;
  readonly recipient_address: string;
  readonly payload_hex: string;
}

interface Message {
  readonly transaction_id: string;
  readonly direction: string;
  readonly sequence: string;
  readonly text: string;
}

interface Chat {
  readonly chat_id: string;
  readonly state: string;
  readonly own_address: string;
  readonly peer_address: string;
  readonly peer_messenger_id: string;
  readonly request_payload_hex: string;
  readonly accept_payload_hex?: string;
  readonly next_sequence: string;
  readonly messages: readonly Message[];
}

interface Chats {
  readonly chats: readonly Chat[];
  readonly ignored: readonly { readonly transaction_id: string; readonly reason: string }[];
}

class Person {
  readonly root: WalletRoot;
  readonly address: string;

  constructor(seed: number) {
    this.root = WalletRoot.fromEntropy(new Uint8Array(32).fill(seed));
    this.address = addressFromPublicKey(this.root.derivePublicKey(0, 0, 0), network);
  }

  to(peer: Person): object {
    return { network, sender_address: this.address, recipient_address: peer.address };
  }

  chats(payments: readonly Payment[], own: readonly string[] = [this.address]): Chats {
    const request = { network, own_addresses: own, payments };
    return JSON.parse(this.root.messengerChats(0, JSON.stringify(request))) as Chats;
  }
}

const alice = new Person(1);
const bob = new Person(2);
const eve = new Person(3);

let payments = 0;

function pay(documentJson: string, height?: number): Payment {
  const { sender_address, recipient_address, payload_hex } = JSON.parse(documentJson) as Payment;
  const transaction_id = (++payments).toString(16).padStart(96, '0');
  const at = height === undefined ? {} : { height: String(height) };
  return { transaction_id, ...at, sender_address, recipient_address, payload_hex };
}

function open(from: Person, to: Person): { request: Payment; accept: Payment } {
  const request = pay(from.root.messengerRequest(0, JSON.stringify(from.to(to))), 1);
  const asked = { ...to.to(from), request_payload_hex: request.payload_hex };
  return { request, accept: pay(to.root.messengerAccept(0, JSON.stringify(asked)), 2) };
}

const { request, accept } = open(alice, bob);

function write(from: Person, to: Person, sequence: number, text: string, height?: number): Payment {
  const document = {
    ...from.to(to),
    request_payload_hex: request.payload_hex,
    accept_payload_hex: accept.payload_hex,
    sequence: String(sequence),
    text,
  };
  return pay(from.root.messengerMessage(0, JSON.stringify(document)), height);
}

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}

test('[WASM-07] two wallets talk, and each rebuilds the chat from its words and the chain alone', () => {
  const list = [
    request,
    accept,
    write(alice, bob, 0, 'hello Bob', 3),
    write(bob, alice, 0, 'hello Alice 👋', 4),
    write(alice, bob, 1, 'a\nsecond line', 5),
  ];
  const restored = WalletRoot.fromEntropy(new Uint8Array(32).fill(2));
  const bobs = JSON.parse(
    restored.messengerChats(
      0,
      JSON.stringify({ network, own_addresses: [bob.address], payments: list }),
    ),
  ) as Chats;
  const [hers] = alice.chats(list).chats as [Chat];
  const [his] = bobs.chats as [Chat];
  const shown = ({ messages }: Chat): string[] =>
    messages.map(({ direction, sequence, text }) => `${direction} ${sequence} ${text}`);
  assert.deepEqual(shown(hers), [
    'sent 0 hello Bob',
    'received 0 hello Alice 👋',
    'sent 1 a\nsecond line',
  ]);
  assert.deepEqual(shown(his), [
    'received 0 hello Bob',
    'sent 0 hello Alice 👋',
    'received 1 a\nsecond line',
  ]);
  assert.deepEqual([hers.state, his.state, hers.chat_id], ['open', 'open', his.chat_id]);
  assert.deepEqual([hers.next_sequence, his.next_sequence], ['2', '1']);
  assert.equal(hers.peer_address, bob.address);
  assert.equal(hers.peer_messenger_id, bob.root.messengerId(0, 0, 0, network));
  assert.deepEqual(bobs.ignored, []);
});

test('[WASM-07] a request waits on one side and invites on the other until it is accepted', () => {
  const [hers] = alice.chats([request]).chats as [Chat];
  const [his] = bob.chats([request]).chats as [Chat];
  assert.deepEqual([hers.state, his.state], ['requested', 'invited']);
  assert.equal(his.request_payload_hex, request.payload_hex);
  assert.equal(his.accept_payload_hex, undefined);
});

test('[WASM-07] messenger payloads are distinguished from all others', () => {
  const message = write(alice, bob, 0, 'x');
  for (const { payload_hex } of [request, accept, message]) {
    const payload = fromHex(payload_hex);
    assert.equal(isMessengerPayload(payload), true);
    assert.equal(isMessengerPayload(payload.subarray(0, -1)), false);
    assert.equal(isMessengerPayload(Uint8Array.of(...payload, 0)), false);
    for (const at of [0, 4, 5]) {
      const changed = payload.slice();
      changed[at] = 99;
      assert.equal(isMessengerPayload(changed), false);
    }
  }
  assert.equal(isMessengerPayload(new Uint8Array(0)), false);
  assert.equal(isMessengerPayload('SVCM' as unknown as Uint8Array), false);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      assert.equal(isMessengerPayload(noise), false);
    }),
  );
});

test('[WASM-07] the limits are those of the payloads', () => {
  const limits = JSON.parse(messengerLimits()) as Record<string, string | string[]>;
  assert.equal(limits['request_payload_bytes'], String(request.payload_hex.length / 2));
  assert.equal(limits['accept_payload_bytes'], String(accept.payload_hex.length / 2));
  const most = Number(limits['max_text_bytes']);
  const sizes = [1, 62, 63, 126, 127, most].map(
    (length) => write(alice, bob, 0, 'a'.repeat(length)).payload_hex.length / 2,
  );
  const steps = limits['message_payload_bytes'] as string[];
  assert.deepEqual(sizes.map(String), [
    steps[0],
    steps[0],
    steps[1],
    steps[1],
    steps[2],
    steps.at(-1),
  ]);
  assert.ok(Math.max(...sizes) <= 8192);
  refused('bad_length', () => write(alice, bob, 0, 'a'.repeat(most + 1)));
  refused('bad_length', () => write(alice, bob, 0, ''));
  refused('bad_length', () => write(alice, bob, 0, 'é'.repeat(2048)));
});

test('texts of the same step have the same length, and no text is sealed twice alike', () => {
  const first = write(alice, bob, 0, 'yes');
  const second = write(alice, bob, 0, 'a long refusal');
  const third = write(alice, bob, 0, 'yes');
  assert.equal(first.payload_hex.length, second.payload_hex.length);
  assert.notEqual(first.payload_hex, third.payload_hex);
});

const character = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

test('every text comes back as it was written', () => {
  const text = fc.string({ unit: character, minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 0xffffffff }), (written, sequence) => {
      const [chat] = bob.chats([request, accept, write(alice, bob, sequence, written)]).chats as [
        Chat,
      ];
      assert.equal(chat.messages[0]?.text, written);
      assert.equal(chat.messages[0]?.sequence, String(sequence));
    }),
    { numRuns: 15 },
  );
});

test('[WASM-07] a third party reads nothing, even if it claims the addresses of others', () => {
  const secret = 'meet me at noon';
  const list = [request, accept, write(alice, bob, 0, secret, 3), write(bob, alice, 0, secret, 4)];
  for (const own of [[eve.address], [alice.address], [bob.address], [alice.address, bob.address]]) {
    const result = eve.chats(list, own);
    assert.ok(!JSON.stringify(result).includes(secret));
    assert.ok(result.chats.every(({ messages }) => messages.length === 0));
    assert.ok(result.chats.every(({ state }) => state === 'invited'));
  }
  const other = JSON.parse(
    alice.root.messengerChats(
      1,
      JSON.stringify({ network, own_addresses: [alice.address], payments: list }),
    ),
  ) as Chats;
  assert.deepEqual(other.chats, []);
  refused('wrong_party', () =>
    eve.root.messengerMessage(
      0,
      JSON.stringify({
        ...alice.to(bob),
        request_payload_hex: request.payload_hex,
        accept_payload_hex: accept.payload_hex,
        sequence: '0',
        text: 'I am Alice',
      }),
    ),
  );
});

test('a payload sent by another address, or the other way round, is set aside', () => {
  const message = write(alice, bob, 0, 'pay Carol', 3);
  const table: readonly (readonly [string, Partial<Payment>])[] = [
    ['wrong_party', { sender_address: eve.address }],
    ['wrong_party', { sender_address: bob.address, recipient_address: alice.address }],
    ['wrong_party', { recipient_address: eve.address }],
    ['bad_address', { sender_address: bob.address }],
  ];
  for (const [reason, changes] of table) {
    const result = bob.chats([request, accept, { ...message, ...changes }]);
    assert.deepEqual(
      result.ignored.map((one) => one.reason),
      [reason],
    );
    assert.deepEqual(result.chats[0]?.messages, []);
  }
});

test('an answer opens a chat only when it comes from the one who was asked', () => {
  const table: readonly Partial<Payment>[] = [
    { sender_address: eve.address },
    { recipient_address: eve.address },
    { sender_address: alice.address, recipient_address: bob.address },
  ];
  for (const changes of table) {
    const result = alice.chats([request, { ...accept, ...changes }]);
    assert.equal(result.chats[0]?.state, 'requested');
    assert.deepEqual(
      result.ignored.map(({ reason }) => reason),
      ['wrong_party'],
    );
  }
});

test('every changed bit of a message, an answer or a request costs only that payload', () => {
  const good = write(bob, alice, 0, 'still here', 9);
  const message = write(bob, alice, 1, 'changed', 10);
  const bytes = fromHex(message.payload_hex);
  for (let at = 0; at < bytes.length; at += 5) {
    const changed = bytes.slice();
    changed[at] = (changed[at] as number) ^ 4;
    const list = [request, accept, good, { ...message, payload_hex: toHex(changed) }];
    const { chats, ignored } = alice.chats(list);
    assert.deepEqual(
      chats[0]?.messages.map(({ text }) => text),
      ['still here'],
    );
    assert.equal(ignored.length, 1);
  }
  for (const at of [10, 40, 600, 1149]) {
    const changed = fromHex(accept.payload_hex);
    changed[at] = (changed[at] as number) ^ 4;
    const bad = { ...accept, payload_hex: toHex(changed) };
    assert.equal(alice.chats([request, bad, good]).chats[0]?.state, 'requested');
    assert.equal(bob.chats([request, bad, good]).chats[0]?.state, 'invited');
    assert.equal(alice.chats([request, bad, accept, good]).chats[0]?.messages.length, 1);
  }
  const changed = fromHex(request.payload_hex);
  changed[20] = (changed[20] as number) ^ 4;
  const bad = { ...request, payload_hex: toHex(changed) };
  assert.deepEqual(alice.chats([bad, accept, good]).chats, []);
});

test('repeats are dropped, and the order of the list does not matter', () => {
  const list = [
    request,
    accept,
    write(alice, bob, 0, 'one', 3),
    write(alice, bob, 1, 'two', 3),
    write(bob, alice, 0, 'three', 4),
    write(bob, alice, 1, 'pending'),
  ];
  const replays = list.map((payment) => ({
    ...payment,
    transaction_id: 'f'.repeat(96),
    height: '99',
  }));
  const expected = alice.chats(list);
  assert.deepEqual(
    expected.chats[0]?.messages.map(({ text }) => text),
    ['one', 'two', 'three', 'pending'],
  );
  assert.deepEqual(alice.chats(list.toReversed()).chats, expected.chats);
  const again = alice.chats([...replays.slice(0, 5), ...list]);
  assert.deepEqual(again.chats, expected.chats);
  assert.deepEqual(
    again.ignored.map(({ reason }) => reason),
    Array(5).fill('duplicate'),
  );
});

test('two chats between the same people are kept apart', () => {
  const second = open(alice, bob);
  const message = write(alice, bob, 0, 'in the first', 5);
  const { chats } = bob.chats([request, accept, second.request, second.accept, message]);
  assert.equal(chats.length, 2);
  const lengths = new Map(chats.map(({ chat_id, messages }) => [chat_id, messages.length]));
  assert.deepEqual(
    [...lengths.values()].sort((a, b) => a - b),
    [0, 1],
  );
  const swapped = { ...second.accept, payload_hex: accept.payload_hex };
  assert.equal(alice.chats([second.request, swapped]).chats[0]?.state, 'requested');
});

test('a chat between two addresses of one wallet works too', () => {
  const own = addressFromPublicKey(alice.root.derivePublicKey(0, 0, 1), network);
  const parties = { network, sender_address: alice.address, recipient_address: own };
  const asked = pay(alice.root.messengerRequest(0, JSON.stringify(parties)), 1);
  const back = { network, sender_address: own, recipient_address: alice.address };
  const answer = { ...back, request_payload_hex: asked.payload_hex };
  const accepted = pay(alice.root.messengerAccept(0, JSON.stringify(answer)), 2);
  const { chats } = alice.chats([asked, accepted], [alice.address, own]);
  assert.equal(chats[0]?.state, 'open');
});

test('a chat between two accounts of one wallet works in both, whatever addresses are listed', () => {
  const own = addressFromPublicKey(alice.root.derivePublicKey(1, 0, 0), network);
  const parties = { network, sender_address: alice.address, recipient_address: own };
  const asked = pay(alice.root.messengerRequest(0, JSON.stringify(parties)), 1);
  const back = { network, sender_address: own, recipient_address: alice.address };
  const answer = { ...back, request_payload_hex: asked.payload_hex };
  const accepted = pay(alice.root.messengerAccept(1, JSON.stringify(answer)), 2);
  const list = { network, own_addresses: [alice.address, own], payments: [asked, accepted] };
  for (const account of [0, 1]) {
    const read = JSON.parse(alice.root.messengerChats(account, JSON.stringify(list))) as Chats;
    assert.equal(read.chats[0]?.state, 'open');
  }
});

test('noise among the payments is named and spoils nothing', () => {
  const message = write(bob, alice, 0, 'fine', 3);
  const with_ = (changes: Partial<Payment>): Payment => ({ ...message, ...changes });
  const noise = [
    with_({ payload_hex: '' }),
    with_({ payload_hex: 'zz' }),
    with_({ payload_hex: '5356435001' }),
    with_({ payload_hex: 'ab'.repeat(8193) }),
    with_({ sender_address: burnAddress(network) }),
    with_({ sender_address: 'nonsense' }),
    with_({ sender_address: burnAddress('mainnet') }),
    with_({ recipient_address: bob.address }),
  ];
  const { chats, ignored } = alice.chats([...noise, request, ...noise, accept, message]);
  assert.deepEqual(
    chats[0]?.messages.map(({ text }) => text),
    ['fine'],
  );
  assert.equal(ignored.length, 2 * noise.length);
});

test('a message is written only into the chat that both payloads opened', () => {
  const other = open(alice, bob);
  const damaged = (at: number): string => {
    const bytes = fromHex(accept.payload_hex);
    bytes[at] = (bytes[at] as number) ^ 1;
    return toHex(bytes);
  };
  const [chatId, ciphertext, confirmation] = [6, 30, 1149];
  const answers = [other.accept.payload_hex, ...[chatId, ciphertext, confirmation].map(damaged)];
  for (const [from, to] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    for (const accept_payload_hex of answers) {
      const document = {
        ...from.to(to),
        request_payload_hex: request.payload_hex,
        accept_payload_hex,
        sequence: '0',
        text: 'hello',
      };
      refused('wrong_party', () => from.root.messengerMessage(0, JSON.stringify(document)));
    }
  }
});

test('malformed calls are refused', () => {
  const call = (changes: object): string =>
    alice.root.messengerRequest(0, JSON.stringify({ ...alice.to(bob), ...changes }));
  refused('bad_address', () => call({ recipient_address: alice.address }));
  refused('bad_address', () => call({ recipient_address: burnAddress(network) }));
  refused('wrong_network', () => call({ network: 'testnet' }));
  refused('unknown_field', () => call({ text: 'hi' }));
  refused('out_of_range', () => alice.root.messengerRequest(-1, '{}'));
  refused('bad_json', () => alice.root.messengerAccept(0, '{'));
  const accepting = (payload_hex: string): string =>
    bob.root.messengerAccept(
      0,
      JSON.stringify({ ...bob.to(alice), request_payload_hex: payload_hex }),
    );
  refused('bad_payload', () => accepting(accept.payload_hex));
  refused('bad_payload', () => accepting(''));
  const malformed = `${request.payload_hex.slice(0, 2 * 38)}${'ff'.repeat(1184)}`;
  refused('bad_payload', () => accepting(malformed));
  refused('missing_field', () => alice.root.messengerChats(0, '{}'));
  refused('bad_type', () => alice.chats([7 as unknown as Payment]));
  refused('bad_hex', () => alice.chats([{ ...request, transaction_id: 'x'.repeat(96) }]));
  refused('bad_type', () => alice.chats([{ ...request, height: 7 as unknown as string }]));
  refused('bad_length', () => alice.chats(Array<Payment>(16_385).fill({} as Payment)));
});

test('a freed root has no messenger', () => {
  const root = WalletRoot.fromEntropy(new Uint8Array(32));
  root.free();
  refused('freed', () => root.messengerId(0, 0, 0, network));
  refused('freed', () => root.messengerRequest(0, '{}'));
  refused('freed', () => root.messengerAccept(0, '{}'));
  refused('freed', () => root.messengerMessage(0, '{}'));
  refused('freed', () => root.messengerChats(0, '{}'));
});
