import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bodyOf,
  COIN,
  manifestWith,
  NETWORK,
  person,
  signAll,
  signWith,
} from '../../test/transaction-fixture.ts';
import { toHex } from '../base/bytes.ts';
import { CONTEXTS } from '../base/labels.ts';
import { init } from '../entry/node.ts';
import { encodeAddress } from '../text/address.ts';
import { addressFromPublicKey } from '../text/address-documents.ts';
import { assembleTransaction } from './assemble.ts';
import { spendMessage } from './messages.ts';
import { verifyTransaction, verifyTransactionWithReferencedKeys } from './verify.ts';
import { encodeWitness } from './witness.ts';

await init();
const manifest = manifestWith();

test('a registered key is reported under an address of one key, not under a policy of the same hash', () => {
  const { wire, previousOutputs } = signAll({}, manifest);
  const { addressBytes, address, publicKey } = person(0);
  const check = (reported: string) =>
    verifyTransactionWithReferencedKeys(
      wire,
      JSON.stringify(previousOutputs),
      null,
      JSON.stringify([{ address: reported, public_key_hex: toHex(publicKey) }]),
      manifest.json,
    );
  assert.ok(check(address));
  const policy = encodeAddress(Uint8Array.of(1, ...addressBytes.subarray(1)), NETWORK);
  assert.throws(() => check(policy), { code: 'key_mismatch', path: 'registered_keys[0]' });
});

test('a key that differs in its last bit from one just used gets no signature of that one accepted', () => {
  const signer = person(0);
  const twin = signer.publicKey.slice();
  twin[twin.length - 1] = (twin[twin.length - 1] as number) ^ 1;
  const body = bodyOf({}, manifest);
  const verify = (publicKey: Uint8Array) => {
    const address = addressFromPublicKey(publicKey, NETWORK);
    const previous = { address, amount: String(100n * COIN) };
    const message = spendMessage(body, 0, JSON.stringify(previous), manifest.json);
    const witness = encodeWitness(publicKey, signWith(signer, message, CONTEXTS.spend));
    const wire = assembleTransaction(body, [witness], manifest.json);
    return verifyTransaction(wire, JSON.stringify([previous]), null, manifest.json);
  };
  for (let round = 0; round < 2; round++) {
    assert.ok(verify(signer.publicKey));
    assert.throws(() => verify(twin), { code: 'bad_spend_signature', path: 'witnesses[0]' });
  }
});
