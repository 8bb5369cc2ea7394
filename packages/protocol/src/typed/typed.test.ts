/** Every typed call against the call that it wraps: the checks of the public functions run through the typed calls. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPublicChecks } from '../../test/public-functions/index.ts';
import * as svc from '../entry/node.ts';
import * as kernel from '../kernel/index.ts';
import { typed as toTyped, untyped } from './fields.ts';
import * as calls from './index.ts';

await svc.init();

type AnyCall = (...given: unknown[]) => unknown;

/** Calls of the module that take and give no document: bytes, words, the caller's own text, or typed from the start. */
const WITHOUT_DOCUMENTS = [
  ...[
    'certifyCut',
    'certifyEarlierCuts',
    'checkCutChanges',
    'checkCutOutcomes',
    'checkAddressCompleteness',
    'checkUtxoProof',
    'encodeWitness',
  ],
  ...['verifyCutCertificate', 'verifyUtxoProof', 'verifyAddressCompleteness'],
  ...['encodeWitnessWithProfile', 'fromHex', 'toHex', 'init', 'isMessengerPayload'],
  ...['mnemonicEntropy', 'mnemonicFromEntropy', 'WalletRoot', 'SvcError', 'BRANCHES'],
  ...['openWalletFile', 'openWalletFileAsync', 'sealWalletFile', 'sealWalletFileAsync'],
];

test('every call with a document has a typed one', () => {
  const without = Object.keys(svc).filter((name) => !Object.hasOwn(calls, name));
  assert.deepEqual(without.sort(), WITHOUT_DOCUMENTS.toSorted());
});

/** Calls that take something else than documents where the wrapped call takes text. */
const PLAIN_TEXT = ['validateManifest', 'parseAmount', 'parseAddress', 'parsePaymentUri'];

function isDocument(value: unknown): value is string {
  return typeof value === 'string' && /^[[{]/.test(value);
}

/** The typed call with the signature of the call that it wraps. */
function dressed(name: string, call: AnyCall): AnyCall {
  return (...given) => {
    const takesText = PLAIN_TEXT.includes(name);
    const typedGiven = given.map((value) =>
      !takesText && isDocument(value) ? toTyped(JSON.parse(value)) : value,
    );
    const answer = call(...typedGiven);
    if (typeof answer === 'bigint') return String(answer);
    if (typeof answer !== 'object' || answer === null || answer instanceof Uint8Array)
      return answer;
    return JSON.stringify(untyped(answer));
  };
}

test('the checks of the public functions give the same through typed calls', () => {
  const used = new Set<string>();
  const same = ['formatPaymentUri', 'parsePaymentUri', 'formatAmount', 'createMultisigDescriptor'];
  const through = Object.fromEntries(
    Object.entries(svc).map(([name, own]) => {
      const call = (calls as unknown as Record<string, AnyCall>)[name];
      if (call === undefined || same.includes(name)) return [name, own];
      const behind = own as AnyCall;
      const twin = dressed(name, call);
      return [
        name,
        (...given: unknown[]) => {
          const expected = outcome(() => behind(...given));
          const found = outcome(() => twin(...given));
          // Challenges draw a nonce of their own, and malformed text never becomes an object.
          if (name === 'addressProofRequest' || 'refused' in expected) {
            if ('refused' in expected) throw expected.refused;
            return expected.gave;
          }
          assert.deepEqual(plain(found), plain(expected), name);
          used.add(name);
          return expected.gave;
        },
      ];
    }),
  ) as unknown as typeof svc;
  for (const { functions, error } of runPublicChecks(through, kernel))
    assert.equal(error, undefined, String(functions));
  assert.ok(used.size > 25, `${used.size} calls`);
});

type Outcome = { readonly gave: unknown } | { readonly refused: unknown };

function outcome(call: () => unknown): Outcome {
  try {
    return { gave: call() };
  } catch (refused) {
    return { refused };
  }
}

function plain(found: Outcome): unknown {
  if ('refused' in found) return String(found.refused);
  return isDocument(found.gave) ? JSON.parse(found.gave) : found.gave;
}

const WORDS = `${'abandon '.repeat(23)}art`;
const MANIFEST = calls.validateManifest(
  JSON.stringify({
    api_version: 1,
    network: 'development',
    chain_id: '5c'.repeat(48),
    protocol_version: '1',
    rules_id:
      '784facabb482ce42b2274dc0be9bf6a6dd9ae6e9a2cf5be76cf92ae391f76666687f77dad8226f5d713ab37092a0af1b',
    max_transaction_bytes: '60000',
    max_inputs: '8',
    max_outputs: '16',
    max_payload_bytes: '8192',
    max_validity_cuts: '120',
    mass_per_signature: '3000',
    mass_per_output: '500',
    min_fee_per_mass: '10',
  }),
);

test('a payment is made, signed and verified with objects and bigints alone', () => {
  const root = svc.WalletRoot.fromMnemonic(WORDS, '', 'development');
  const key = root.derivePublicKey(0, 0, 0);
  const own = calls.addressFromPublicKey(key, 'development');
  const spent = { address: own, amount: calls.parseAmount('10') };
  const bodyWith = (fee: bigint) =>
    calls.encodeTransactionBody(
      {
        validFromHeight: 1000n,
        validUntilHeight: 1100n,
        fee,
        inputs: [{ transactionId: calls.asTransactionId('11'.repeat(48)), outputIndex: 0 }],
        outputs: [{ address: own, amount: spent.amount - fee }],
        payload: new Uint8Array(0),
      },
      MANIFEST,
    );
  const { minimumFee } = calls.quoteTransaction(bodyWith(1n), MANIFEST);
  const body = bodyWith(minimumFee);
  const message = calls.spendMessage(body, 0, spent, MANIFEST);
  const witness = svc.encodeWitness(key, root.sign(0, 0, 0, message, true));
  const wire = calls.assembleTransaction(body, [witness], MANIFEST);
  const verified = calls.verifyTransaction(wire, [spent], null, MANIFEST);
  assert.equal(verified.fee, minimumFee);
  assert.equal(verified.transactionId, calls.transactionId(body, MANIFEST));
  assert.deepEqual(calls.inspectTransaction(wire, MANIFEST).outputs, [
    { address: own, amount: spent.amount - minimumFee },
  ]);
  const request = calls.addressProofRequest({
    network: 'development',
    chainId: MANIFEST.chainId,
    address: own,
    domain: 'shop.example',
    expiresAtMillis: 2_000_000_000_000,
  });
  const proof = calls.proveAddress(root, 0, 0, 0, request);
  assert.equal(calls.verifyAddressProof(proof, request, 1_900_000_000_000).address, own);
  root.free();
});

test('two of three sign a package, and links and payloads go there and back', () => {
  const root = svc.WalletRoot.fromMnemonic(WORDS, '', 'development');
  const keys = [0, 1, 2].map((index) => root.derivePublicKey(0, 0, index));
  const descriptor = calls.createMultisigDescriptor(2, keys);
  assert.deepEqual(calls.validateMultisigDescriptor(descriptor), descriptor);
  const address = calls.multisigAddress(descriptor, 'development');
  const body = calls.encodeTransactionBody(
    {
      validFromHeight: 1000n,
      validUntilHeight: 1100n,
      fee: 1_000_000n,
      inputs: [{ transactionId: calls.asTransactionId('22'.repeat(48)), outputIndex: 1 }],
      outputs: [{ address, amount: 499_000_000n }],
      payload: calls.encodeRecipientPayloads([{ outputIndex: 0, text: 'order 17' }]),
    },
    MANIFEST,
  );
  const { payload } = calls.inspectTransactionBody(body, MANIFEST);
  assert.deepEqual(calls.decodeRecipientPayloads(payload), [{ outputIndex: 0, text: 'order 17' }]);
  const blank = calls.createMultisigPackage(descriptor, body, [500_000_000n], MANIFEST);
  const review = calls.reviewMultisigPackage(blank, MANIFEST);
  assert.equal(review.recipients[0]?.isChange, true);
  const messages = calls.multisigPackageSigningMessages(blank, review.templateDigest, MANIFEST);
  const signed = [0, 2].map((index) =>
    calls.addMultisigPackageSignatures(
      blank,
      keys[index] as Uint8Array,
      messages.map((message) => root.sign(0, 0, index, message, true)),
      MANIFEST,
    ),
  );
  const all = calls.combineMultisigPackages(signed, MANIFEST);
  const opened = calls.decodeMultisigPackage(all);
  assert.equal(opened.signatures.length, 2);
  assert.ok(opened.signatures[0]?.signatures[0] instanceof Uint8Array);
  assert.ok(calls.completeMultisigPackage(all, MANIFEST).length > 0);
  const asked = { network: 'development', address, amount: 150_000_000n, label: 'Café' } as const;
  assert.deepEqual(calls.parsePaymentUri(calls.formatPaymentUri(asked), 'development'), {
    ...asked,
    type: 'multisig',
  });
  root.free();
});

test('an error names the field as the typed call has it', () => {
  const request = {
    validFromHeight: 1000n,
    validUntilHeight: 1100n,
    inputs: [{ transactionId: 'xx' as calls.TransactionId, outputIndex: 0 }],
    outputs: [],
    payload: new Uint8Array(0),
  };
  assert.throws(() => calls.encodeTransactionBody(request, MANIFEST), {
    path: 'inputs[0].transactionId',
  });
  const misspelt = { ...request, validFromHeigth: 1n };
  assert.throws(() => calls.encodeTransactionBody(misspelt, MANIFEST), { code: 'unknown_field' });
});

/** Not run: the compiler refuses each of these, or there is nothing for it to expect. */
export function doesNotCompile(address: calls.Address, id: calls.TransactionId): void {
  const height = { validFromHeight: 1n, validUntilHeight: 2n, payload: new Uint8Array(0) };
  const lists = { inputs: [], outputs: [] };
  // @ts-expect-error a field is misspelt
  calls.encodeTransactionBody({ ...lists, ...height, feee: 1n }, MANIFEST);
  calls.encodeTransactionBody(
    // @ts-expect-error an amount is a bigint
    { ...height, inputs: [], outputs: [{ address, amount: '1' }] },
    MANIFEST,
  );
  calls.encodeTransactionBody(
    // @ts-expect-error an address is not the id of a transaction
    { ...height, inputs: [{ transactionId: address, outputIndex: 0 }], outputs: [] },
    MANIFEST,
  );
  // @ts-expect-error an id is not an address
  calls.addressVerificationWords(id);
  // @ts-expect-error a text is not an address before it was checked
  calls.addressVerificationWords('svc1…');
  // @ts-expect-error the result has no such field
  assert.ok(calls.quoteTransaction(height.payload, MANIFEST).minimum_fee);
}
