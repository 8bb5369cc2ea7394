import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromHex } from '../base/bytes.ts';
import { CONTEXTS, contextBytes } from '../base/labels.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { mlDsa65 } from '../kernel/ml-dsa.ts';
import { WalletRoot } from '../keys/wallet-root.ts';
import { encodeAddress } from '../text/address.ts';
import { addressFromPublicKey, burnAddress } from '../text/address-documents.ts';
import { verifyAddressProof } from './address-proof.ts';
import { addressProofRequest, proofMessage, readProofRequest } from './proof-request.ts';

await init();

type Document = Record<string, string>;

const root = WalletRoot.fromEntropy(new Uint8Array(32).fill(1));
const publicKey = root.derivePublicKey(0, 0, 0);
const now = 1_700_000_000_000;
const asked: Document = {
  network: 'development',
  chain_id: 'ab'.repeat(48),
  address: addressFromPublicKey(publicKey, 'development'),
  domain: 'exchange.example',
  expires_at_millis: String(now + 60_000),
};

function request(changes: Document = {}): string {
  return addressProofRequest(JSON.stringify({ ...asked, ...changes }));
}

function changed(json: string, changes: Document): string {
  return JSON.stringify({ ...(JSON.parse(json) as Document), ...changes });
}

function refused(code: string, call: () => unknown): void {
  assert.throws(call, (error) => {
    assert.ok(error instanceof SvcError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}

test('[WASM-09] [WASM-08] the holder of an address proves it on request', () => {
  const challenge = request();
  const proof = root.proveAddress(0, 0, 0, challenge);
  assert.deepEqual(JSON.parse(verifyAddressProof(proof, challenge, now)), {
    verified: true,
    network: 'development',
    chain_id: asked['chain_id'],
    address: asked['address'],
    domain: 'exchange.example',
  });
});

test('every request has a nonce of its own', () => {
  const nonces = [request(), request()].map((json) => (JSON.parse(json) as Document)['nonce']);
  assert.match(nonces[0] as string, /^[0-9a-f]{64}$/);
  assert.notEqual(nonces[0], nonces[1]);
});

test('[WASM-09] a proof holds for its own request alone: every field is signed', () => {
  const challenge = request();
  const proof = root.proveAddress(0, 0, 0, challenge);
  const otherAddress = addressFromPublicKey(root.derivePublicKey(0, 0, 1), 'development');
  const table: readonly (readonly [string, Document])[] = [
    ['bad_signature', { chain_id: 'ac'.repeat(48) }],
    ['bad_signature', { domain: 'exchange.exampl' }],
    ['bad_signature', { expires_at_millis: String(now + 60_001) }],
    [
      'bad_signature',
      {
        network: 'testnet',
        address: addressFromPublicKey(publicKey, 'testnet'),
      },
    ],
    ['wrong_request', { address: otherAddress }],
    ['wrong_request', { nonce: '00'.repeat(32) }],
  ];
  for (const [code, changes] of table) {
    refused(code, () => verifyAddressProof(proof, changed(challenge, changes), now));
  }
  const nonce = { nonce: '00'.repeat(32) };
  refused('bad_signature', () =>
    verifyAddressProof(changed(proof, nonce), changed(challenge, nonce), now),
  );
});

test('a changed proof is refused', () => {
  const challenge = request();
  const proof = root.proveAddress(0, 0, 0, challenge);
  const { signature_hex: signature = '' } = JSON.parse(proof) as Document;
  const flipped = (signature.startsWith('0') ? '1' : '0') + signature.slice(1);
  const otherKey = Buffer.from(root.derivePublicKey(0, 0, 1)).toString('hex');
  const table: readonly (readonly [string, Document])[] = [
    ['bad_signature', { signature_hex: flipped }],
    ['wrong_request', { public_key_hex: otherKey }],
    ['bad_hex', { signature_hex: signature.slice(2) }],
    ['bad_hex', { public_key_hex: '' }],
    ['unsupported_version', { version: '2' }],
    ['unknown_field', { extra: '1' }],
  ];
  for (const [code, changes] of table) {
    refused(code, () => verifyAddressProof(changed(proof, changes), challenge, now));
  }
});

test('a proof counts until the moment it expires', () => {
  const challenge = request();
  const proof = root.proveAddress(0, 0, 0, challenge);
  verifyAddressProof(proof, challenge, now + 59_999);
  refused('expired', () => verifyAddressProof(proof, challenge, now + 60_000));
  for (const wrong of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY]) {
    refused('out_of_range', () => verifyAddressProof(proof, challenge, wrong));
  }
  for (const wrong of ['0', undefined, 0n]) {
    refused('bad_type', () => verifyAddressProof(proof, challenge, wrong as unknown as number));
  }
});

test('multisig and burn addresses cannot be proven', () => {
  const multisig = encodeAddress(Uint8Array.of(1, ...new Uint8Array(48)), 'development');
  for (const address of [multisig, burnAddress('development')]) {
    refused('not_provable', () => request({ address }));
    refused('not_provable', () => root.proveAddress(0, 0, 0, changed(request(), { address })));
    refused('not_provable', () => verifyAddressProof('{}', changed(request(), { address }), now));
  }
});

test('a proof is no spend signature and a spend signature is no proof', () => {
  const challenge = request();
  const message = proofMessage(readProofRequest(challenge));
  const proof = root.proveAddress(0, 0, 0, challenge);
  const signature = fromHex((JSON.parse(proof) as Document)['signature_hex'] as string);
  for (const [name, text] of Object.entries(CONTEXTS)) {
    const context = contextBytes(text);
    assert.equal(
      mlDsa65.verify(publicKey, message, signature, { context }),
      name === 'addressProof',
      name,
    );
  }
  const spend = Buffer.from(root.sign(0, 0, 0, message, true)).toString('hex');
  refused('bad_signature', () =>
    verifyAddressProof(changed(proof, { signature_hex: spend }), challenge, now),
  );
});

test('only the key of the address answers', () => {
  refused('wrong_request', () => root.proveAddress(0, 0, 1, request()));
});

test('malformed requests are refused', () => {
  const table: readonly (readonly [string, Document])[] = [
    ['wrong_network', { network: 'moon' }],
    ['wrong_network', { network: 'testnet' }],
    ['bad_hex', { chain_id: 'ab' }],
    ['bad_address', { address: 'dsvc1' }],
    ['bad_text', { domain: '' }],
    ['bad_text', { domain: 'Exchange.example' }],
    ['bad_text', { domain: 'exch\u0430nge.example' }],
    ['bad_text', { domain: 'a b' }],
    ['bad_text', { domain: `${'a'.repeat(254)}` }],
    ['out_of_range', { expires_at_millis: '0' }],
    ['out_of_range', { expires_at_millis: '9007199254740992' }],
    ['bad_integer', { expires_at_millis: '1e3' }],
    ['unknown_field', { nonce: '00'.repeat(32) }],
  ];
  for (const [code, changes] of table) refused(code, () => request(changes));
  refused('missing_field', () => addressProofRequest('{}'));
  refused('bad_json', () => addressProofRequest('{'));
  refused('missing_field', () => readProofRequest(JSON.stringify(asked)));
});
