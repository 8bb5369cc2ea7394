/**
 * What is hashed or signed and never sent as a whole: the messages that keys sign, the root of a state, and the sealed files. Each
 * is written here as `docs/protocol.md` says, and the module must find the hash of exactly these bytes.
 */
import { createHash } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { TABLE_CONSENSUS_KEY } from '../../assembly/transaction/layout.ts';
import { concatBytes, equalBytes, toHex } from '../../src/base/bytes.ts';
import { LABELS, type Label } from '../../src/base/labels.ts';
import { NETWORKS, type Network } from '../../src/base/networks.ts';
import { Reader } from '../../src/base/reader.ts';
import { SvcError } from '../../src/base/svc-error.ts';
import { decodeUtf8, encodeUtf8 } from '../../src/base/utf8.ts';
import { Writer } from '../../src/base/writer.ts';
import { decodeProposal, proposalSignBytes } from '../../src/cut/proposal.ts';
import { decodeVote, voteSignBytes } from '../../src/cut/vote.ts';
import { proofMessage } from '../../src/ownership/proof-request.ts';
import { serviceResponseMessage } from '../../src/service/service-answer.ts';
import { type StateRoots, stateRoot } from '../../src/state/state-root.ts';
import { encodeAddress } from '../../src/text/address.ts';
import { decodeBody } from '../../src/transaction/decode.ts';
import {
  operationMessage,
  possessionMessage,
  spendMessage,
} from '../../src/transaction/messages.ts';
import { openKeyFile } from '../../src/wallet-file/key-file.ts';
import { openWith } from '../../src/wallet-file/wallet-file.ts';
import type { Codec } from './codec.ts';
import { anyProposal, anyVote } from './cut-codecs.ts';
import { Random } from './random.ts';
import { anyAddress, MANIFEST, randomBody } from './transaction-codecs.ts';

const NETWORK_NAMES = Object.keys(NETWORKS) as Network[];

function hashOf(label: Label, bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha384').update(label).update(bytes).digest());
}

/** A codec of bytes of which the module knows the hash alone; `find` reads them to the end. */
function hashedCodec(
  name: string,
  label: Label,
  generate: (random: Random) => Uint8Array,
  find: (reader: Reader) => Uint8Array,
): Codec {
  return {
    name,
    generate,
    again: (bytes) => {
      const reader = new Reader(bytes, name);
      const found = find(reader);
      if (equalBytes(found, hashOf(label, bytes))) return bytes;
      throw new Error(`${name}: the module hashes other bytes than ${toHex(bytes)}`);
    },
  };
}

/** Only ids of known bodies have messages. */
const BODIES = Array.from({ length: 64 }, (_, index) => {
  const body = randomBody(new Random(`signed body ${index}`));
  const table = decodeBody(body, MANIFEST);
  const keyAt = table.u32(TABLE_CONSENSUS_KEY);
  const key = keyAt === 0 ? new Uint8Array(0) : table.slice(keyAt, 1952);
  const { inputCount, operation } = table;
  const [id, keyHash] = [hashOf(LABELS.transaction, body), hashOf(LABELS.key, key)];
  return { body, id, keyHash, inputCount, operation };
});
const WITH_OPERATION = BODIES.filter(({ operation }) => operation !== 0);
const WITH_KEY = BODIES.filter(({ operation }) => [4, 7, 8].includes(operation));

function knownOf(id: Uint8Array): (typeof BODIES)[number] {
  const known = BODIES.find((each) => equalBytes(each.id, id));
  if (known !== undefined) return known;
  throw new SvcError('bad_hex', 'no body has this id', { path: 'id' });
}

function anySpend(random: Random): Uint8Array {
  const { id, inputCount } = random.pick(BODIES);
  const index = random.below(inputCount);
  const writer = new Writer().raw(id).u8(index).raw(anyAddress(random));
  return writer.u64(random.amount()).finish();
}

function spendAgain(reader: Reader): Uint8Array {
  const { body } = knownOf(reader.raw(48));
  const index = reader.u8();
  const address = encodeAddress(reader.raw(49), MANIFEST.network);
  const amount = String(reader.u64());
  reader.end();
  return spendMessage(body, index, JSON.stringify({ address, amount }), MANIFEST.json);
}

function anyPossession(random: Random): Uint8Array {
  const { id, keyHash } = random.pick(WITH_KEY);
  return concatBytes(id, keyHash);
}

function possessionAgain(reader: Reader): Uint8Array {
  const { body, keyHash } = knownOf(reader.raw(48));
  if (!equalBytes(keyHash, reader.raw(48)))
    throw new SvcError('bad_hex', 'the body has another key', { path: 'keyHash' });
  reader.end();
  return possessionMessage(body, MANIFEST.json);
}

function anyProofContent(random: Random): Uint8Array {
  const domain = random.pick(['exchange.example', 'a', 'shop.example:8080']);
  return new Writer()
    .u8(1)
    .u8(NETWORKS[random.pick(NETWORK_NAMES)].code)
    .raw(random.bytes(48))
    .raw(anyAddress(random))
    .counted(encodeUtf8(domain))
    .raw(random.bytes(32))
    .u64(random.u64() >> 11n)
    .finish();
}

function proofContentAgain(reader: Reader): Uint8Array {
  expectOne(reader.u8());
  const code = reader.u8();
  const network = NETWORK_NAMES.find((name) => NETWORKS[name].code === code);
  if (network === undefined)
    throw new SvcError('wrong_network', `code ${code}`, { path: 'network' });
  const request = {
    network,
    chainId: reader.raw(48),
    address: reader.raw(49),
    domain: decodeUtf8(reader.counted(255), 'domain'),
    nonce: reader.raw(32),
    expiresAtMillis: reader.u64(),
  };
  reader.end();
  return proofMessage(request);
}

function anyServiceAnswer(random: Random): Uint8Array {
  return new Writer()
    .u8(1)
    .counted(encodeUtf8(random.pick(['GET', 'POST', 'OPTIONS'])))
    .counted(encodeUtf8(`/v1/${toHex(random.bytes(random.below(40)))}?limit=1`))
    .counted(random.bytes(random.below(100)))
    .u16(random.between(100, 599))
    .counted(random.bytes(random.below(300)))
    .raw(random.bytes(32))
    .raw(random.bytes(48))
    .u64(random.u64())
    .finish();
}

function serviceAnswerAgain(reader: Reader): Uint8Array {
  expectOne(reader.u8());
  const answer = {
    method: decodeUtf8(reader.counted(7), 'method'),
    target: decodeUtf8(reader.counted(8_192), 'target'),
    requestBody: reader.counted(1 << 17),
    status: reader.u16(),
    responseBody: reader.counted(1 << 20),
    nonce: reader.raw(32),
    chainId: reader.raw(48),
    finalizedHeight: reader.u64(),
  };
  reader.end();
  return serviceResponseMessage(answer);
}

function expectOne(version: number): void {
  if (version === 1) return;
  throw new SvcError('unsupported_version', `expected 1, found ${version}`, { path: 'version' });
}

function stateRootAgain(reader: Reader): Uint8Array {
  const [outputs, positions, validators, keys] = [64, 64, 64, 64].map((size) => reader.raw(size));
  const totalsRoot = reader.raw(48);
  reader.end();
  return stateRoot({ outputs, positions, validators, keys, totalsRoot } as StateRoots);
}

/** Signed bytes name the chain and the set before the message without its index and signature. */
function signedVote(random: Random): Uint8Array {
  return voteSignBytes(anyVote(random), random.bytes(48));
}

function signedVoteAgain(bytes: Uint8Array): Uint8Array {
  const reader = new Reader(bytes, 'signed');
  const chainId = reader.raw(48);
  const validatorSetId = reader.raw(48);
  const content = reader.raw(bytes.length - reader.offset);
  const rest = [new Writer().u16(0).raw(validatorSetId).finish(), new Uint8Array(3309)];
  return voteSignBytes(decodeVote(concatBytes(content, ...rest)), chainId);
}

function signedProposal(random: Random): Uint8Array {
  return proposalSignBytes(anyProposal(random), random.bytes(48));
}

function signedProposalAgain(bytes: Uint8Array): Uint8Array {
  const reader = new Reader(bytes, 'signed');
  const chainId = reader.raw(48);
  const validatorSetId = reader.raw(48);
  const content = reader.raw(bytes.length - reader.offset);
  const rest = [new Writer().u16(0).raw(validatorSetId).finish(), new Uint8Array(3309)];
  return proposalSignBytes(decodeProposal(concatBytes(content, ...rest)), chainId);
}

/** Argon2id for each case would take hours; its own vectors are in `wallet.json`. */
function quickHash(password: Uint8Array, salt: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(password).update(salt).digest());
}

const PASSWORD = 'password';
const FILE_HEAD_BYTES = 75;

/** Seals as `docs/protocol.md` 12 says, under a head of 75 bytes. */
function sealed(head: Uint8Array, contents: string): Uint8Array {
  const key = quickHash(encodeUtf8(PASSWORD), head.subarray(19, 51));
  const cipher = xchacha20poly1305(key, head.subarray(51), head);
  return concatBytes(head, cipher.encrypt(encodeUtf8(contents)));
}

function anyFileHead(random: Random): Uint8Array {
  return new Writer()
    .raw(encodeUtf8('SVCWALLT'))
    .u8(1)
    .u8(1)
    .u32(random.between(7_168, 65_536))
    .u32(random.between(1, 16))
    .u8(random.between(1, 4))
    .raw(random.bytes(32))
    .raw(random.bytes(24))
    .finish();
}

function anyKeyContents(random: Random): string {
  const seed = toHex(random.bytes(32));
  return JSON.stringify({ key_version: '1', kind: 'consensus', network: 'mainnet', seed });
}

function keyFileAgain(bytes: Uint8Array): Uint8Array {
  const contents = { kind: 'consensus', network: 'mainnet' } as const;
  const seed = toHex(openKeyFile(bytes, contents, PASSWORD, quickHash));
  const text = JSON.stringify({ key_version: '1', ...contents, seed });
  return sealed(bytes.slice(0, FILE_HEAD_BYTES), text);
}

export const HASHED_CODECS: readonly Codec[] = [
  hashedCodec('spend_message', LABELS.spend, anySpend, spendAgain),
  hashedCodec(
    'operation_message',
    LABELS.operation,
    (random) => random.pick(WITH_OPERATION).id,
    (reader) => {
      const { body } = knownOf(reader.raw(48));
      reader.end();
      return operationMessage(body, MANIFEST.json);
    },
  ),
  hashedCodec('possession_message', LABELS.possession, anyPossession, possessionAgain),
  hashedCodec('address_proof_message', LABELS.addressProof, anyProofContent, proofContentAgain),
  hashedCodec('service_answer', LABELS.http, anyServiceAnswer, serviceAnswerAgain),
  hashedCodec('state_root', LABELS.state, (random) => random.bytes(304), stateRootAgain),
  { name: 'signed_vote', generate: signedVote, again: signedVoteAgain },
  { name: 'signed_proposal', generate: signedProposal, again: signedProposalAgain },
  {
    name: 'wallet_file',
    generate: (random) =>
      sealed(anyFileHead(random), JSON.stringify({ note: toHex(random.bytes(random.below(60))) })),
    again: (bytes) => sealed(bytes.slice(0, FILE_HEAD_BYTES), openWith(quickHash, bytes, PASSWORD)),
  },
  {
    name: 'key_file',
    generate: (random) => sealed(anyFileHead(random), anyKeyContents(random)),
    again: keyFileAgain,
  },
];
