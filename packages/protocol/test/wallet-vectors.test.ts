/**
 * The vectors of `vectors/wallet.json`, checked by the module and by a second implementation of
 * `docs/protocol.md` that shares no code with it.
 */
import assert from 'node:assert/strict';
import { argon2Sync, createHash, createHmac, hkdfSync, pbkdf2Sync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';
import { bech32m } from '@scure/base';
import * as svc from '../src/entry/node.ts';

await svc.init();

interface KeyVector {
  readonly words: string;
  readonly passphrase: string;
  readonly path: readonly [number, number, number];
  readonly fingerprint: string;
  readonly public_key_hex: string;
  readonly address: string;
  readonly verification_words: string;
}

interface Party {
  readonly passphrase: string;
  readonly address: string;
}

interface Written {
  readonly text: string;
  readonly sequence: string;
  readonly payload_hex: string;
}

interface Vectors {
  readonly keys: readonly KeyVector[];
  readonly wallet_file: { contents: string; password: string; file_hex: string };
  readonly address_proof: { request: Record<string, string>; proof: Record<string, string> };
  readonly service_answer: Record<string, string> & { readonly headers: Record<string, string> };
  readonly recipient_payloads: { entries: object; payload_hex: string };
  readonly chat: {
    readonly words: string;
    readonly requester: Party;
    readonly accepter: Party;
    readonly request_payload_hex: string;
    readonly accept_payload_hex: string;
    readonly from_requester: Written;
    readonly from_accepter: Written;
  };
}

const vectors = JSON.parse(
  readFileSync(new URL('../../../vectors/wallet.json', import.meta.url), 'utf8'),
) as Vectors;

const ascii = (text: string): Buffer => Buffer.from(text, 'ascii');
const hex = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'hex');

function labelled(label: string, ...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha384')
    .update(Buffer.concat([ascii(label), ...parts]))
    .digest();
}

function u64(value: string | undefined): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value ?? ''));
  return bytes;
}

/** Length in one byte, then the bytes: a varint below 128. */
function short(bytes: Uint8Array): Buffer {
  assert.ok(bytes.length < 128);
  return Buffer.concat([Uint8Array.of(bytes.length), bytes]);
}

function addressBytes(text: string): Buffer {
  const { words } = bech32m.decode(text as `${string}1${string}`, 90);
  return Buffer.concat([Uint8Array.of(words[0] as number), bech32m.fromWords(words.slice(1))]);
}

function derive(words: string, passphrase: string, path: readonly number[]): Buffer {
  const seed = pbkdf2Sync(words, `mnemonic${passphrase}`, 2048, 64, 'sha512');
  let node = createHmac('sha512', 'svc ml-dsa-65 seed').update(seed).digest();
  for (const index of path) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(0x80000000 + index);
    const data = Buffer.concat([Uint8Array.of(0), node.subarray(0, 32), number]);
    node = createHmac('sha512', node.subarray(32)).update(data).digest();
  }
  return node.subarray(0, 32);
}

test('[WASM-08] [WASM-15] keys, fingerprints, addresses and words follow the document', () => {
  for (const vector of vectors.keys) {
    const { words, passphrase, path, address } = vector;
    using root = svc.WalletRoot.fromMnemonic(words, passphrase);
    assert.equal(Buffer.from(root.derivePublicKey(...path)).toString('hex'), vector.public_key_hex);
    assert.equal(root.fingerprint(), vector.fingerprint);
    assert.equal(svc.addressVerificationWords(address), vector.verification_words);

    const { publicKey } = ml_dsa65.keygen(derive(words, passphrase, [204, ...path]));
    assert.equal(Buffer.from(publicKey).toString('hex'), vector.public_key_hex);
    const secret = derive(words, passphrase, [206]);
    const fingerprint = labelled('SVC_FINGERPRINT_V1', secret).subarray(0, 8).toString('hex');
    assert.equal(fingerprint, vector.fingerprint);
    const keyHash = labelled('SVC_KEY_V1', publicKey);
    assert.equal(addressBytes(address).toString('hex'), `00${keyHash.toString('hex')}`);
  }
});

test('[WASM-10] the wallet file opens, also by another Argon2', () => {
  const { contents, password, file_hex } = vectors.wallet_file;
  const file = hex(file_hex);
  assert.equal(svc.openWalletFile(Uint8Array.from(file), password), contents);
  const key = argon2Sync('argon2id', {
    message: password,
    nonce: file.subarray(19, 51),
    memory: file.readUInt32LE(10),
    passes: file.readUInt32LE(14),
    parallelism: file.readUInt8(18),
    tagLength: 32,
  });
  const cipher = xchacha20poly1305(key, file.subarray(51, 75), file.subarray(0, 75));
  assert.equal(Buffer.from(cipher.decrypt(file.subarray(75))).toString(), contents);
});

test('[WASM-09] the address proof holds', () => {
  const { request, proof } = vectors.address_proof;
  const now = Number(request['expires_at_millis']) - 1;
  svc.verifyAddressProof(JSON.stringify(proof), JSON.stringify(request), now);
  const message = labelled(
    'SVC_ADDRESS_PROOF_V1',
    Uint8Array.of(1, 4),
    hex(request['chain_id']),
    addressBytes(request['address'] as string),
    short(ascii(request['domain'] as string)),
    hex(request['nonce']),
    u64(request['expires_at_millis']),
  );
  const context = ascii('svc/address-proof/v1');
  const [publicKey, signature] = [hex(proof['public_key_hex']), hex(proof['signature_hex'])];
  assert.ok(ml_dsa65.verify(signature, message, publicKey, { context }));
});

test('[WASM-11] the service answer holds', () => {
  const answer = vectors.service_answer;
  svc.verifyServiceResponse(JSON.stringify(answer));
  const message = labelled(
    'SVC_HTTP_V1',
    Uint8Array.of(1),
    short(ascii(answer['method'] as string)),
    short(ascii(answer['target'] as string)),
    short(hex(answer['request_body_hex'])),
    Uint8Array.of(200, 0),
    short(hex(answer['response_body_hex'])),
    hex(answer['nonce']),
    hex(answer['chain_id']),
    u64(answer.headers['x-svc-tip-height']),
  );
  const publicKey = hex(answer['public_key_hex']);
  const signature = hex(answer.headers['x-svc-signature']);
  assert.ok(ml_dsa65.verify(signature, message, publicKey, { context: ascii('svc/http/v1') }));
  assert.equal(labelled('SVC_SERVICE_V1', publicKey).toString('hex'), answer['identity']);
});

test('[WASM-06] the recipient payload is met', () => {
  const { entries, payload_hex } = vectors.recipient_payloads;
  const payload = svc.encodeRecipientPayloads(JSON.stringify(entries));
  assert.equal(Buffer.from(payload).toString('hex'), payload_hex);
  assert.deepEqual(JSON.parse(svc.decodeRecipientPayloads(payload)), entries);
});

test('[WASM-07] both sides read the chat', () => {
  const { chat } = vectors;
  const { requester, accepter } = chat;
  const pay = (id: string, sender: Party, recipient: Party, payload_hex: string): object => ({
    transaction_id: id.repeat(96),
    sender_address: sender.address,
    recipient_address: recipient.address,
    payload_hex,
  });
  const payments = [
    pay('1', requester, accepter, chat.request_payload_hex),
    pay('2', accepter, requester, chat.accept_payload_hex),
    pay('3', requester, accepter, chat.from_requester.payload_hex),
    pay('4', accepter, requester, chat.from_accepter.payload_hex),
  ];
  for (const party of [requester, accepter]) {
    using root = svc.WalletRoot.fromMnemonic(chat.words, party.passphrase);
    const list = { network: 'development', own_addresses: [party.address], payments };
    const { chats } = JSON.parse(root.messengerChats(0, JSON.stringify(list))) as {
      chats: { messages: Written[] }[];
    };
    const read = chats[0]?.messages.map(({ text, sequence }) => `${sequence} ${text}`);
    const written = [chat.from_requester, chat.from_accepter];
    assert.deepEqual(
      read,
      written.map(({ text, sequence }) => `${sequence} ${text}`),
    );
  }
});

test('[WASM-07] the chat opens by the document alone', () => {
  const { chat } = vectors;
  const [request, accept] = [hex(chat.request_payload_hex), hex(chat.accept_payload_hex)];
  const parties = [addressBytes(chat.requester.address), addressBytes(chat.accepter.address)];
  const [from, to] = parties as [Buffer, Buffer];
  const secret = derive(chat.words, chat.requester.passphrase, [205, 0]);
  const info = Buffer.concat([ascii('svc/messenger/request/v1'), Uint8Array.of(4), from, to]);
  const seed = new Uint8Array(hkdfSync('sha512', secret, request.subarray(6, 38), info, 64));
  const { publicKey, secretKey } = ml_kem768.keygen(seed);
  assert.deepEqual(Buffer.from(publicKey), request.subarray(38));

  const messenger = (...parts: readonly Uint8Array[]): Buffer =>
    labelled('SVC_MESSENGER_V1', ...parts);
  const requestId = messenger(Uint8Array.of(1, 4), from, to, request);
  assert.deepEqual(accept.subarray(6, 30), requestId.subarray(0, 24));
  const ciphertext = accept.subarray(30, 1118);
  const shared = ml_kem768.decapsulate(ciphertext, secretKey);
  const ids = parties.map((address) => messenger(Uint8Array.of(0, 4), address));
  const transcript = messenger(Uint8Array.of(2), requestId, ciphertext);
  const chatInfo = Buffer.concat([ascii('svc/messenger/chat/v1'), ...ids]);
  const keys = Buffer.from(hkdfSync('sha512', shared, transcript, chatInfo, 96));
  assert.deepEqual(keys.subarray(64), accept.subarray(1118));

  const read = (payloadHex: string, key: Uint8Array, ends: readonly Buffer[]): string => {
    const payload = hex(payloadHex);
    const data = Buffer.concat([payload.subarray(0, 59), Uint8Array.of(4), ...ends]);
    const cipher = xchacha20poly1305(key, payload.subarray(35, 59), data);
    const block = Buffer.from(cipher.decrypt(payload.subarray(59)));
    return block.subarray(2, 2 + block.readUInt16LE(0)).toString();
  };
  const { from_requester: hers, from_accepter: his } = chat;
  assert.equal(read(hers.payload_hex, keys.subarray(0, 32), [from, to]), hers.text);
  assert.equal(read(his.payload_hex, keys.subarray(32, 64), [to, from]), his.text);
});
