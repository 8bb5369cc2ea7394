/**
 * What must be refused of sections 12 to 15: the good ones of `wallet.json` with one thing changed.
 */
import { concatBytes, fromHex, toHex } from '../../src/base/bytes.ts';
import { Writer } from '../../src/base/writer.ts';
import { decodeMessengerPayload } from '../../src/messenger/payload.ts';
import { verifyAddressProof } from '../../src/ownership/address-proof.ts';
import { decodeRecipientPayloads } from '../../src/payload/recipient-payloads.ts';
import { verifyServiceResponse } from '../../src/service/verify-service-response.ts';
import { burnAddress } from '../../src/text/address-documents.ts';
import { openWalletFile } from '../../src/wallet-file/wallet-file.ts';
import { codeOf, refusedBytes, withBytes } from './refused.ts';
import type { WalletVectors } from './wallet-file-vectors.ts';
import { walletVectors } from './wallet-file-vectors.ts';

function refusedFiles({ wallet_file: { file_hex, password } }: WalletVectors): object {
  const file = fromHex(file_hex);
  const last = file.length - 1;
  const open = (bytes: Uint8Array) => openWalletFile(bytes, password);
  const u32 = (value: number) => new Writer().u32(value).finish();
  return {
    password,
    files: refusedBytes('file_hex', open, {
      'another magic': withBytes(file, 7, 0x58),
      'version 2': withBytes(file, 8, 2),
      'another key derivation': withBytes(file, 9, 2),
      'too little memory': withBytes(file, 10, ...u32(7167)),
      'too much memory': withBytes(file, 10, ...u32(262_145)),
      'no passes': withBytes(file, 14, ...u32(0)),
      'seventeen passes': withBytes(file, 14, ...u32(17)),
      'memory times passes too large': withBytes(file, 10, ...u32(262_144), ...u32(5)),
      'no lanes': withBytes(file, 18, 0),
      'five lanes': withBytes(file, 18, 5),
      'a header alone': file.slice(0, 75),
      'another salt': withBytes(file, 19, (file[19] ?? 0) ^ 1),
      'another tag': withBytes(file, last, (file[last] ?? 0) ^ 1),
    }),
    wrong_password: {
      password: `${password}!`,
      code: codeOf('another password', () => openWalletFile(file, `${password}!`)),
    },
  };
}

function refusedProofs({ address_proof: { request, proof } }: WalletVectors): object[] {
  const { expires_at_millis: expires = '', signature_hex: signature = '' } = {
    ...request,
    ...proof,
  };
  const bitten = toHex(
    withBytes(fromHex(signature), 0, Number.parseInt(signature.slice(0, 2), 16) ^ 1),
  );
  const cases: [string, object, object, number][] = [
    ['at its end', request, proof, Number(expires)],
    ['another domain', { ...request, domain: 'exchange.example.org' }, proof, 0],
    ['another time', { ...request, expires_at_millis: `${expires}0` }, proof, 0],
    ['another chain', { ...request, chain_id: '00'.repeat(48) }, proof, 0],
    ['another nonce', request, { ...proof, nonce: '00'.repeat(32) }, 0],
    ['one bit of the signature', request, { ...proof, signature_hex: bitten }, 0],
    ['the burn address', { ...request, address: burnAddress('development') }, proof, 0],
    ['a domain in upper case', { ...request, domain: 'Exchange.example' }, proof, 0],
    ['a domain with a path', { ...request, domain: 'exchange.example/a' }, proof, 0],
    ['version 2', { ...request, version: '2' }, proof, 0],
  ];
  return cases.map(([name, asked, answered, now]) => ({
    name,
    request: asked,
    proof: answered,
    now_millis: now,
    code: codeOf(name, () =>
      verifyAddressProof(JSON.stringify(answered), JSON.stringify(asked), now),
    ),
  }));
}

function refusedAnswers({ service_answer: answer }: WalletVectors): object[] {
  const headers = (change: object) => ({ headers: { ...answer.headers, ...change } });
  const cases: [string, object][] = [
    ['another status', { status: '201' }],
    ['another target', { target: '/v1/chain/head?a' }],
    ['another body', { response_body_hex: '7b7d' }],
    ['another nonce than the client sent', { nonce: '02'.repeat(32) }],
    ['another chain', { chain_id: '03'.repeat(48) }],
    ['another height', headers({ 'x-svc-tip-height': '8' })],
    ['another identity', { identity: '00'.repeat(48) }],
    ['another version', headers({ 'x-svc-envelope-version': '2' })],
    ['a height with a leading zero', headers({ 'x-svc-tip-height': '07' })],
    ['a target without a slash', { target: 'v1/chain/head' }],
  ];
  return cases.map(([name, change]) => ({
    name,
    change,
    code: codeOf(name, () => verifyServiceResponse(JSON.stringify({ ...answer, ...change }))),
  }));
}

function refusedPayloads({ recipient_payloads: { payload_hex } }: WalletVectors): object[] {
  const good = fromHex(payload_hex);
  const head = (entries: number) => Uint8Array.of(...fromHex('5356435001'), entries);
  const made = (entries: number, ...bytes: number[]) =>
    concatBytes(head(entries), Uint8Array.of(...bytes));
  return refusedBytes('payload_hex', (bytes) => decodeRecipientPayloads(bytes), {
    'one byte short': good.slice(0, -1),
    'one byte long': concatBytes(good, Uint8Array.of(0)),
    'another magic': withBytes(good, 3, 0x4d),
    'version 2': withBytes(good, 4, 2),
    'no entries': made(0),
    'seventeen entries': made(17),
    'an output index of 16': made(1, 16, 2, 1, 0),
    'an output index twice': made(2, 3, 2, 1, 0, 3, 2, 1, 0),
    'output indexes that fall': made(2, 3, 2, 1, 0, 2, 2, 1, 0),
    'the kind 3': made(1, 0, 3, 1, 0),
    'no data': made(1, 0, 2, 0),
    'text that is no UTF-8': made(1, 0, 1, 1, 0xff),
    'a padded length': made(1, 0, 2, 0x81, 0, 0),
  });
}

function refusedMessages({ chat }: WalletVectors): object[] {
  const request = fromHex(chat.request_payload_hex);
  const accept = fromHex(chat.accept_payload_hex);
  const message = fromHex(chat.from_requester.payload_hex);
  return refusedBytes('payload_hex', decodeMessengerPayload, {
    'a request one byte short': request.slice(0, -1),
    'an accept one byte long': concatBytes(accept, Uint8Array.of(0)),
    'version 2': withBytes(message, 4, 2),
    'the kind 4': withBytes(message, 5, 4),
    'the direction 2': withBytes(message, 30, 2),
    'a block of no size': message.slice(0, -1),
  });
}

export function refusedWalletVectors(): object {
  const good = walletVectors();
  return {
    note: 'What must be refused of sections 12 to 15 of docs/protocol.md, made from wallet.json. A `change` of a service answer replaces the fields it names. Files whose header is good are refused by their seal.',
    wallet_files: refusedFiles(good),
    address_proofs: refusedProofs(good),
    service_answers: refusedAnswers(good),
    recipient_payloads: refusedPayloads(good),
    messenger_payloads: refusedMessages(good),
  };
}
