/** Who sent a payment, where the node shows other witnesses or other previous outputs than there were. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transaction } from 'svc-api';
import { type Client, ClientError } from 'svc-client';
import {
  addressFromPublicKey,
  assembleTransaction,
  encodeTransactionBody,
  encodeWitness,
  encodeWitnessWithProfile,
  init,
  spendMessage,
  transactionId,
  WalletRoot,
} from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { createManifest } from 'svc-wasm/protocol';
import { termsOf } from '../spend/mass-model.ts';
import type { Change } from './change.ts';
import { readDetails } from './payment-details.ts';

await init();

const NETWORK = 'development';
const { json: MANIFEST } = createManifest(NETWORK, new Uint8Array(48).fill(7));
const TERMS = termsOf(MANIFEST);
const roots = [1, 2].map((seed) => WalletRoot.fromEntropy(new Uint8Array(32).fill(seed)));
const [sender, liar] = roots.map((root) => {
  const publicKey = root.derivePublicKey(0, 0, 0);
  return { root, publicKey, address: addressFromPublicKey(publicKey, NETWORK) };
}) as [Party, Party];

interface Party {
  readonly root: WalletRoot;
  readonly publicKey: Uint8Array;
  readonly address: string;
}

const AMOUNT = '100000000';

interface Payment {
  readonly body: Uint8Array;
  readonly change: Change;
}

function paymentOf(amount: string, payload_hex: string): Payment {
  const request = {
    valid_from_height: '1',
    valid_until_height: '50',
    inputs: [{ transaction_id: '11'.repeat(48), output_index: '0' }],
    outputs: [{ address: liar.address, amount }],
    payload_hex,
  };
  const body = encodeTransactionBody(JSON.stringify(request), MANIFEST);
  const transaction_id = transactionId(body, MANIFEST);
  return { body, change: { transaction_id, outpoint: { output_index: 0 }, amount } as Change };
}

const PAYMENT = paymentOf('90000000', '');

/** The transaction as if its input lay at the address of the party that signs. */
function signedBy(
  { root, publicKey, address }: Party,
  isReferenced = false,
  { body }: Payment = PAYMENT,
): string {
  const spent = JSON.stringify({ address, amount: AMOUNT });
  const signature = root.sign(0, 0, 0, spendMessage(body, 0, spent, MANIFEST), true);
  const witness = isReferenced
    ? encodeWitnessWithProfile('referenced', null, signature)
    : encodeWitness(publicKey, signature);
  return toHex(assembleTransaction(body, [witness], MANIFEST));
}

interface Answer {
  readonly wire_hex: string;
  readonly inputs: readonly { readonly address?: string; readonly amount?: string }[];
  readonly key?: Uint8Array;
}

async function detailsFor(answer: Answer | undefined, { change }: Payment = PAYMENT) {
  const client = {
    transaction: async () => {
      if (answer === undefined) throw new ClientError('refused', 'gone', { status: 404 });
      return answer as unknown as Transaction;
    },
    keysRegistered: async () => ({
      keys: [{ public_key: answer?.key === undefined ? null : toHex(answer.key) }],
    }),
  };
  const detailsOf = await readDetails(client as unknown as Client, TERMS, [change]);
  return detailsOf(change);
}

const sendersOf = async (answer: Answer | undefined) => (await detailsFor(answer)).senders;

const inputs = [{ address: sender.address, amount: AMOUNT }];

test('the sender is named once its signature holds for the output that was spent', async () => {
  assert.deepEqual(await sendersOf({ wire_hex: signedBy(sender), inputs }), [sender.address]);
  const wire_hex = signedBy(sender, true);
  const key = sender.publicKey;
  assert.deepEqual(await sendersOf({ wire_hex, inputs, key }), [sender.address]);
});

test('nobody is named who has not signed this transaction', async () => {
  const lies: readonly (readonly [string, Answer, string])[] = [
    ['a witness of somebody else', { wire_hex: signedBy(liar), inputs }, 'not_verified'],
    [
      'an address that signed nothing',
      { wire_hex: signedBy(liar), inputs: [{ address: sender.address, amount: AMOUNT }] },
      'not_verified',
    ],
    [
      'another amount',
      { wire_hex: signedBy(sender), inputs: [{ address: sender.address, amount: '100000001' }] },
      'not_verified',
    ],
    [
      'another key in the registry',
      { wire_hex: signedBy(sender, true), inputs, key: liar.publicKey },
      'not_verified',
    ],
    [
      'no key in the registry',
      { wire_hex: signedBy(sender, true), inputs },
      'previous_outputs_unknown',
    ],
    ['no previous output', { wire_hex: signedBy(sender), inputs: [] }, 'previous_outputs_unknown'],
    ['other bytes', { wire_hex: '00', inputs }, 'not_kept'],
  ];
  for (const [what, answer, reason] of lies) {
    assert.equal(await sendersOf(answer), reason, what);
  }
  assert.equal(await sendersOf(undefined), 'not_kept');
});

test('a message of the messenger names its sender by the same rule', async () => {
  const parties = {
    network: NETWORK,
    sender_address: sender.address,
    recipient_address: liar.address,
  };
  const composed = sender.root.messengerRequest(0, JSON.stringify(parties));
  const message = paymentOf('1', (JSON.parse(composed) as { payload_hex: string }).payload_hex);
  const [honest, forged] = [sender, liar].map((signer) => signedBy(signer, false, message)) as [
    string,
    string,
  ];
  const read = async (wire_hex: string) => {
    const { isMessenger, senders } = await detailsFor({ wire_hex, inputs }, message);
    return [isMessenger, senders];
  };
  assert.deepEqual(await read(honest), [true, [sender.address]]);
  assert.deepEqual(await read(forged), [true, 'not_verified']);
});
