/**
 * Work blocks of section 6: headers, bodies, their roots and ids.
 */
import { concatBytes, toHex } from '../../src/base/bytes.ts';
import { Writer } from '../../src/base/writer.ts';
import { decodeBlockBody, encodeBlockBody } from '../../src/block/block-body.ts';
import { decodeBlockHeader, encodeBlockHeader } from '../../src/block/block-header.ts';
import { encodeExtranonce, minerTag } from '../../src/block/extranonce.ts';
import { decodeWorkBlock } from '../../src/block/work-block.ts';
import { seededBytes } from '../seeded-bytes.ts';
import { manifestWith, outpoint, person, signAll } from '../transaction-fixture.ts';
import { codeOf, otherLengths, refusedBytes, withBytes } from './refused.ts';

interface Sample {
  readonly tag: string;
  readonly parents: number;
  readonly transactions: number;
  readonly anchorHeight: bigint;
  readonly payout?: Uint8Array;
}

/** A reward may go to the burn address: it becomes an output that cannot be spent. */
const BURN = Uint8Array.of(2, ...new Uint8Array(48));

const SAMPLES: readonly Sample[] = [
  { tag: '', parents: 1, transactions: 0, anchorHeight: 0n },
  { tag: 'pool.example (eu) #7', parents: 8, transactions: 2, anchorHeight: 123_456_789n },
  { tag: 'burn', parents: 2, transactions: 0, anchorHeight: 7n, payout: BURN },
];

interface Made {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

function makeBlock({ tag, parents, transactions, anchorHeight, payout }: Sample): Made {
  const manifest = manifestWith();
  const body = encodeBlockBody({
    payout: payout ?? person(3).addressBytes,
    extranonce: encodeExtranonce(tag, seededBytes('free', 11)),
    parents: Array.from({ length: parents }, (_, index) => seededBytes(`parent ${index}`, 48)),
    transactions: Array.from(
      { length: transactions },
      (_, index) => signAll({ inputs: [outpoint(index)] }, manifest).wire,
    ),
  });
  const decoded = decodeBlockBody(body, manifest);
  const header = encodeBlockHeader(
    {
      anchorHeight,
      anchorCutId: seededBytes('anchor', 48),
      parentsRoot: decoded.parentsRoot,
      bodyRoot: decoded.bodyRoot,
      payoutCommitment: decoded.payoutCommitment,
      extranonce: decoded.extranonce,
      target: seededBytes('target', 32),
      nonce: seededBytes('nonce', 24),
    },
    manifest.chainId,
  );
  return { header, body };
}

function workBlock(sample: Sample): object {
  const manifest = manifestWith();
  const { header, body } = makeBlock(sample);
  const decoded = decodeBlockBody(body, manifest);
  const { id, registrationWindowEnd } = decodeBlockHeader(header, manifest.chainId);
  return {
    header_hex: toHex(header),
    body_hex: toHex(body),
    block_id: toHex(id),
    anchor_height: sample.anchorHeight.toString(),
    registration_window_end: registrationWindowEnd.toString(),
    miner_tag: minerTag(decoded.extranonce),
    payout_hex: toHex(decoded.payout),
    body_root: toHex(decoded.bodyRoot),
    parents_root: toHex(decoded.parentsRoot),
    payout_commitment: toHex(decoded.payoutCommitment),
    mass: decoded.mass.toString(),
    parents: decoded.parents.map(toHex),
    transaction_ids: decoded.transactions.map((transaction) => toHex(transaction.id)),
  };
}

const TAG_LENGTH_AT = 208;
const WINDOW_END_AT = 240;

function refusedHeaders(): object[] {
  const manifest = manifestWith();
  const { header } = makeBlock({ ...(SAMPLES[1] as Sample), transactions: 0 });
  const decode = (bytes: Uint8Array) => decodeBlockHeader(bytes, manifest.chainId);
  return refusedBytes('header_hex', decode, {
    ...otherLengths(header),
    'version 2': withBytes(header, 0, 2),
    'another chain': withBytes(header, 4, 0),
    'a window one cut longer': withBytes(header, WINDOW_END_AT, (header[WINDOW_END_AT] ?? 0) + 1),
    'a window past 64 bits': withBytes(
      withBytes(header, 8, 0xa0, ...new Array<number>(7).fill(0xff)),
      WINDOW_END_AT,
      ...new Array<number>(8).fill(0),
    ),
    'a reserved byte': withBytes(header, 255, 1),
    'a tag of 21 characters': withBytes(header, TAG_LENGTH_AT, 21),
    'a character that no tag has': withBytes(header, TAG_LENGTH_AT + 1, 0x3c),
    'a byte after the tag': withBytes(header, TAG_LENGTH_AT, 19),
  });
}

function refusedBodies(): object[] {
  const manifest = manifestWith();
  const { body } = makeBlock(SAMPLES[0] as Sample);
  const parent = body.subarray(83, 131);
  const { wire } = signAll({ inputs: [outpoint(0)] }, manifest);
  const head = body.subarray(0, 82);
  const counted = new Writer().counted(wire).finish();
  const join = (...parts: readonly Uint8Array[]) => concatBytes(head, ...parts);
  const byte = (value: number) => Uint8Array.of(value);
  return refusedBytes('body_hex', (bytes) => decodeBlockBody(bytes, manifest), {
    ...otherLengths(body),
    'format 2': withBytes(body, 0, 2),
    'a payout address of type 3': withBytes(body, 1, 3),
    'a burn address of another value': withBytes(body, 1, 2),
    'no parents': join(byte(0), byte(0)),
    'a parent twice': join(byte(2), parent, parent, byte(0)),
    'nine parents': join(
      byte(9),
      ...Array.from({ length: 9 }, (_, i) => seededBytes(`p${i}`, 48)),
      byte(0),
    ),
    'a padded number of transactions': join(byte(1), parent, byte(0x80), byte(0)),
    'a transaction twice': join(byte(1), parent, byte(2), counted, counted),
    'a transaction with a byte behind it': join(
      byte(1),
      parent,
      byte(1),
      new Writer().counted(concatBytes(wire, byte(0))).finish(),
    ),
  });
}

/** A header and a body that are good, but not each other's. */
function refusedPairs(): object[] {
  const manifest = manifestWith();
  const first = makeBlock(SAMPLES[0] as Sample);
  const second = makeBlock({ ...(SAMPLES[1] as Sample), transactions: 0 });
  const name = "another block's body";
  const read = () => decodeWorkBlock(first.header, second.body, manifest);
  const pair = { header_hex: toHex(first.header), body_hex: toHex(second.body) };
  return [{ name, ...pair, code: codeOf(name, read) }];
}

export function workBlockVectors(): object {
  return {
    note: 'Work blocks of section 6 of docs/protocol.md: header and body as bytes, everything that follows from them, and what must be refused. The proof of work is not done.',
    manifest: JSON.parse(manifestWith().json) as object,
    blocks: SAMPLES.map(workBlock),
    refused: [...refusedHeaders(), ...refusedBodies(), ...refusedPairs()],
  };
}
