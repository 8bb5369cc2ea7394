/** The sender of a message, where the node names another one or shows other witnesses than there were. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assembleTransaction,
  encodeTransactionBody,
  encodeWitness,
  encodeWitnessWithProfile,
  init,
  mnemonicFromEntropy,
  spendMessage,
  transactionId,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { createManifest } from 'svc-wasm/protocol';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import { Account } from './account.ts';
import { createMessenger, type Messenger } from './messenger.ts';

await init();

const NETWORK = 'development';
const { json: MANIFEST } = createManifest(NETWORK, new Uint8Array(48).fill(7));
const AMOUNT = '100000000';
const [alice, bob, liar] = [1, 2, 3].map(
  (seed) => new Account(mnemonicFromEntropy(new Uint8Array(32).fill(seed)), { network: NETWORK }),
) as [Account, Account, Account];

/** What the node answers for a transaction; nothing if it does not keep the transaction. */
interface Answer {
  readonly wire_hex: string;
  readonly inputs: readonly { readonly address?: string; readonly amount?: string }[];
}

interface Message {
  readonly id: string;
  readonly body: Uint8Array;
}

interface Wish {
  readonly from: Account;
  readonly payloadHex: string;
  readonly amount?: string;
  readonly inputs?: number;
}

/** The node's document of each body, which is true unless a test falsifies it. */
const said = new Map<string, object>();

/** A payment to Bob; `from` gets the change. */
function paymentToBob({ from, payloadHex, amount = '1', inputs = 1 }: Wish): Message {
  const request = {
    valid_from_height: '1',
    valid_until_height: '50',
    inputs: Array.from({ length: inputs }, (_, at) => ({
      transaction_id: '11'.repeat(48),
      output_index: String(at),
    })),
    outputs: [
      { address: bob.address, amount },
      { address: from.address, amount: '90000000' },
    ],
    payload_hex: payloadHex,
  };
  const body = encodeTransactionBody(JSON.stringify(request), MANIFEST);
  const id = transactionId(body, MANIFEST);
  said.set(id, { transaction_id: id, outputs: request.outputs, payload_hex: payloadHex });
  return { id, body };
}

/** The payload with which an account asks Bob for a chat, in the name of an address. */
function requestPayload(by: Account, sender: string): string {
  const parties = { network: NETWORK, sender_address: sender, recipient_address: bob.address };
  const composed = by.messenger('messengerRequest', parties) as { readonly payload_hex: string };
  return composed.payload_hex;
}

/** The transaction as if its inputs were at the addresses of those who sign, one after another. */
function signedBy({ body }: Message, ...signers: Account[]): string {
  const witnesses = signers.map((signer, at) => {
    const spent = JSON.stringify({ address: signer.address, amount: AMOUNT });
    return encodeWitness(
      signer.publicKey,
      signer.signSpend(spendMessage(body, at, spent, MANIFEST)),
    );
  });
  return toHex(assembleTransaction(body, witnesses, MANIFEST));
}

const spentOf = (...owners: Account[]) =>
  owners.map(({ address }) => ({ address, amount: AMOUNT }));

/** Bob's messenger with a node that says these transactions are final, and answers so for each. */
function bobsMessenger(answers: ReadonlyMap<string, Answer | undefined>): Messenger {
  const client = {
    pages: {
      async *addressHistory() {
        for (const id of answers.keys())
          yield { transaction_id: id, finalized_height: 5, kind: 'received', source: 'regular' };
      },
    },
    transactionsManifest: async () => JSON.parse(MANIFEST) as unknown,
    keysRegistered: async ({ addresses }: { readonly addresses: readonly string[] }) => ({
      keys: addresses.map(() => ({ public_key: null })),
    }),
    transaction: async ({ id }: { readonly id: string }) => {
      const answer = answers.get(id);
      if (answer === undefined) throw new ClientError('refused', 'gone', { status: 404 });
      return { ...said.get(id), ...answer };
    },
  };
  return createMessenger(client as unknown as Client, bob);
}

const request = paymentToBob({ from: alice, payloadHex: requestPayload(alice, alice.address) });
const honest: Answer = { wire_hex: signedBy(request, alice), inputs: spentOf(alice) };
/** The liar's own key, in the name of Alice: a client that accepts it would seal every message for the liar. */
const forged = paymentToBob({ from: liar, payloadHex: requestPayload(liar, alice.address) });

async function peersOf(messenger: Messenger): Promise<string[]> {
  return (await messenger.chats()).map(({ peer }) => peer);
}

test('a chat is shown with the peer whose signature holds for the outputs that were spent', async () => {
  const messenger = bobsMessenger(new Map([[request.id, honest]]));
  assert.deepEqual(await messenger.chats(), [
    { peer: alice.address, state: 'invited', messages: [] },
  ]);
  assert.deepEqual(await messenger.unchecked(), []);
});

test('a forged sender is not shown, not accepted, and the reason is reported', async () => {
  const referenced = encodeWitnessWithProfile('referenced', null, new Uint8Array(3309));
  const unregistered = toHex(assembleTransaction(forged.body, [referenced], MANIFEST));
  const lies: readonly (readonly [string, Answer | undefined, string])[] = [
    [
      'an address that signed nothing',
      { wire_hex: signedBy(forged, liar), inputs: spentOf(alice) },
      'not_verified',
    ],
    [
      'another amount than was signed',
      { wire_hex: signedBy(forged, liar), inputs: [{ address: liar.address, amount: '2' }] },
      'not_verified',
    ],
    [
      'no key in the registry',
      { wire_hex: unregistered, inputs: spentOf(alice) },
      'previous_outputs_unknown',
    ],
    [
      'no address of what was spent',
      { wire_hex: signedBy(forged, liar), inputs: [{}] },
      'previous_outputs_unknown',
    ],
    ['a true transaction under another id', honest, 'not_kept'],
    ['bytes that are no transaction', { wire_hex: '00', inputs: spentOf(alice) }, 'not_kept'],
    ['nothing', undefined, 'not_kept'],
  ];
  for (const [what, answer, sendersUnknown] of lies) {
    const messenger = bobsMessenger(new Map([[forged.id, answer]]));
    assert.deepEqual(await messenger.chats(), [], what);
    const told = [{ transactionId: forged.id, sendersUnknown }];
    assert.deepEqual(await messenger.unchecked(), told, what);
    const isNoChat = (error: unknown) => error instanceof ClientError && error.code === 'no_chat';
    await assert.rejects(messenger.accept(alice.address), isNoChat, what);
  }
});

test('who signs for an address of their own is shown as that address', async () => {
  const answer = { wire_hex: signedBy(forged, liar), inputs: spentOf(liar) };
  assert.deepEqual(await peersOf(bobsMessenger(new Map([[forged.id, answer]]))), [liar.address]);
});

test('payload and recipient are those that were signed, whatever the document of the node says', async () => {
  const lie = {
    ...honest,
    payload_hex: requestPayload(liar, alice.address),
    outputs: [{ address: liar.address, amount: '1' }],
  };
  const messenger = bobsMessenger(new Map([[request.id, lie]]));
  assert.deepEqual(await peersOf(messenger), [alice.address]);
});

test('a payment that several addresses sign, of more than an atom or with another payload is no message', async () => {
  const payloadHex = requestPayload(alice, alice.address);
  const shared = paymentToBob({ from: alice, payloadHex, inputs: 2 });
  const large = paymentToBob({ from: alice, payloadHex, amount: '2' });
  const other = paymentToBob({ from: alice, payloadHex: '' });
  const messenger = bobsMessenger(
    new Map([
      [shared.id, { wire_hex: signedBy(shared, alice, liar), inputs: spentOf(alice, liar) }],
      [large.id, { wire_hex: signedBy(large, alice), inputs: spentOf(alice) }],
      [other.id, { wire_hex: signedBy(other, alice), inputs: [] }],
    ]),
  );
  assert.deepEqual(await messenger.chats(), []);
  assert.deepEqual(await messenger.unchecked(), []);
});

test('a lie is not remembered: the next answer is read anew', async () => {
  const answers = new Map<string, Answer>([[request.id, { ...honest, inputs: spentOf(liar) }]]);
  const messenger = bobsMessenger(answers);
  assert.deepEqual(await peersOf(messenger), []);
  answers.set(request.id, honest);
  assert.deepEqual(await peersOf(messenger), [alice.address]);
  assert.deepEqual(await messenger.unchecked(), []);
});
