/**
 * Writes `vectors/wallet.json`: text, keys, wallet file, address proof, service answer, payloads and
 * a chat. Signatures, salts and nonces are random, so every run writes other bytes: run it only when
 * a format gains a version, and keep the vectors of the older one.
 */
import { writeFileSync } from 'node:fs';
import { toHex } from '../src/base/bytes.ts';
import * as svc from '../src/entry/node.ts';
import { mlDsa65 } from '../src/kernel/ml-dsa.ts';
import { signServiceResponse } from '../src/service/service-answer.ts';

const network = 'development';
const WORDS = `${'abandon '.repeat(23)}art`;

await svc.init();

const alice = svc.WalletRoot.fromMnemonic(WORDS);
const bob = svc.WalletRoot.fromMnemonic(WORDS, 'bob');
const publicKey = alice.derivePublicKey(0, 0, 0);
const aliceAddress = svc.addressFromPublicKey(publicKey, network);
const bobAddress = svc.addressFromPublicKey(bob.derivePublicKey(0, 0, 0), network);

function keys(): object[] {
  const paths = [
    ['', 0, 0, 0],
    ['', 0, 1, 0],
    ['', 0x7fffffff, 1, 0x7fffffff],
    ['bob', 0, 0, 0],
  ] as const;
  return paths.map(([passphrase, account, branch, index]) => {
    using root = svc.WalletRoot.fromMnemonic(WORDS, passphrase);
    const key = root.derivePublicKey(account, branch, index);
    const address = svc.addressFromPublicKey(key, 'mainnet');
    return {
      words: WORDS,
      passphrase,
      path: [account, branch, index],
      fingerprint: root.fingerprint(),
      public_key_hex: toHex(key),
      address,
      verification_words: svc.addressVerificationWords(address),
    };
  });
}

function walletFile(): object {
  const [contents, password] = ['{"words":"café"}', 'caf\u00e9 42'];
  const cost = '{"memory_kib":"7168","passes":"5","lanes":"2"}';
  return { contents, password, file_hex: toHex(svc.sealWalletFile(contents, password, cost)) };
}

function addressProof(): object {
  const request = svc.addressProofRequest(
    JSON.stringify({
      network,
      chain_id: 'ab'.repeat(48),
      address: aliceAddress,
      domain: 'exchange.example',
      expires_at_millis: '1767225600000',
    }),
  );
  return { request: JSON.parse(request), proof: JSON.parse(alice.proveAddress(0, 0, 0, request)) };
}

function serviceAnswer(): object {
  const answer = {
    method: 'GET',
    target: '/v1/chain/head',
    requestBody: new Uint8Array(0),
    status: 200,
    responseBody: new TextEncoder().encode('{"api_version":1}'),
    nonce: new Uint8Array(32).fill(1),
    chainId: new Uint8Array(48).fill(2),
    finalizedHeight: 7n,
  };
  const service = mlDsa65.keygen(new Uint8Array(32).fill(3));
  return {
    method: answer.method,
    target: answer.target,
    request_body_hex: '',
    status: String(answer.status),
    response_body_hex: toHex(answer.responseBody),
    headers: signServiceResponse(service, answer),
    public_key_hex: toHex(service.publicKey),
    identity: svc.serviceIdentityForPublicKey(service.publicKey),
    nonce: toHex(answer.nonce),
    chain_id: toHex(answer.chainId),
  };
}

function chat(): object {
  const to = { network, sender_address: aliceAddress, recipient_address: bobAddress };
  const back = { network, sender_address: bobAddress, recipient_address: aliceAddress };
  const payload = (json: string): string =>
    (JSON.parse(json) as { payload_hex: string }).payload_hex;
  const request_payload_hex = payload(alice.messengerRequest(0, JSON.stringify(to)));
  const asked = { ...back, request_payload_hex };
  const accept_payload_hex = payload(bob.messengerAccept(0, JSON.stringify(asked)));
  const opened = { request_payload_hex, accept_payload_hex };
  const write = (root: svc.WalletRoot, parties: object, sequence: string, text: string): object => {
    const document = { ...parties, ...opened, sequence, text };
    return {
      text,
      sequence,
      payload_hex: payload(root.messengerMessage(0, JSON.stringify(document))),
    };
  };
  return {
    words: WORDS,
    requester: { passphrase: '', address: aliceAddress },
    accepter: { passphrase: 'bob', address: bobAddress },
    ...opened,
    from_requester: write(alice, to, '0', 'hello Bob'),
    from_accepter: write(bob, back, '7', 'hello Alice 👋'),
  };
}

const entries = [
  { output_index: '0', text: 'Invoice 17 ✓' },
  { output_index: '2', bytes_hex: '00ff' },
];
const vectors = {
  note: 'Keys, wallet file, address proof, service answer, recipient payloads and a chat of sections 10.3 to 15 of docs/protocol.md. Steps on the way to them are in keys.json, what must be refused in wallet-refused.json.',
  keys: keys(),
  wallet_file: walletFile(),
  address_proof: addressProof(),
  service_answer: serviceAnswer(),
  recipient_payloads: {
    entries,
    payload_hex: toHex(svc.encodeRecipientPayloads(JSON.stringify(entries))),
  },
  chat: chat(),
};
const url = new URL('../../../vectors/wallet.json', import.meta.url);
writeFileSync(url, `${JSON.stringify(vectors, undefined, 1)}\n`);
