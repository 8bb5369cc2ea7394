/**
 * Transaction bodies, witnesses of every profile, and whole transactions.
 */
import { TABLE_POSSESSION } from '../../assembly/transaction/layout.ts';
import { compareBytes, concatBytes, toHex } from '../../src/base/bytes.ts';
import { init } from '../../src/entry/node.ts';
import { keyHash } from '../../src/kernel/hash-label.ts';
import type { MultisigDescriptor } from '../../src/multisig/descriptor.ts';
import { encodeAddress } from '../../src/text/address.ts';
import { assembleTransaction } from '../../src/transaction/assemble.ts';
import { decodeBody, decodeTransaction } from '../../src/transaction/decode.ts';
import { encodeBody } from '../../src/transaction/encode-body.ts';
import { showBody } from '../../src/transaction/inspect-body.ts';
import {
  OPERATION_FIELDS,
  type OperationFieldName,
} from '../../src/transaction/operation-fields.ts';
import {
  OPERATION_TYPES,
  OPERATIONS,
  type OperationRequest,
} from '../../src/transaction/operations.ts';
import type { TransactionTable } from '../../src/transaction/table.ts';
import {
  encodeMultisigWitness,
  encodeWitness,
  encodeWitnessWithProfile,
} from '../../src/transaction/witness.ts';
import { bodyOf, manifestWith, NETWORK, repeatedInputs } from '../transaction-fixture.ts';
import type { Codec } from './codec.ts';
import { Random } from './random.ts';

const SIGNATURE_BYTES = 3309;
const PUBLIC_KEY_BYTES = 1952;

await init();

export const MANIFEST = manifestWith();
const PLAIN_BODY = bodyOf({}, MANIFEST);
const REPEATED_BODY = bodyOf({ fee: '0', inputs: repeatedInputs(2) }, MANIFEST);
const PROFILES = ['inline', 'referenced', 'multisig_inline', 'multisig_referenced'] as const;
type Profile = (typeof PROFILES)[number];
const REPEATED_WITNESS = encodeWitnessWithProfile('repeated', null, null);

export function anyAddress(random: Random): Uint8Array {
  return concatBytes(Uint8Array.of(random.below(2)), random.bytes(48));
}

function addressText(random: Random): string {
  return encodeAddress(anyAddress(random), NETWORK);
}

/** Draws a value for every field, then the type: a new type of known fields needs nothing here. */
function anyOperation(random: Random): OperationRequest {
  const id = toHex(random.bytes(48));
  const drawn: Readonly<Record<OperationFieldName, string>> = {
    validatorId: id,
    positionId: id,
    amount: random.amount().toString(),
    ownerAddress: addressText(random),
    rewardAddress: addressText(random),
    commissionBps: (10 * random.between(0, 100)).toString(),
    consensusKey: toHex(random.bytes(PUBLIC_KEY_BYTES)),
    endpoint: toHex(random.bytes(random.between(1, 60))),
    epoch: random.u64().toString(),
  };
  const type = random.pick(OPERATION_TYPES);
  const fields: readonly OperationFieldName[] = OPERATIONS[type].fields;
  const data = fields.map((name) => [OPERATION_FIELDS[name].name, drawn[name]]);
  return { type, data: Object.fromEntries(data) };
}

export function randomBody(random: Random, inputsMax = 3): Uint8Array {
  const from = random.chance(5) ? 0n : random.u64() >> 8n;
  const hasOperation = random.chance(40);
  const declaresFee = random.chance(60);
  const request = {
    valid_from_height: from.toString(),
    valid_until_height: (from + BigInt(random.between(0, 120))).toString(),
    ...(declaresFee ? { fee: random.amount().toString() } : {}),
    inputs: random
      .list(1, inputsMax, () => 0)
      .map((_, i) => ({
        transaction_id: toHex(random.bytes(48)),
        output_index: random.u32().toString(),
        ...(declaresFee && i > 0 && random.chance(60) ? { repeated: true } : {}),
      })),
    outputs: random.list(hasOperation ? 0 : 1, 4, () => ({
      address: addressText(random),
      amount: random.amount().toString(),
    })),
    payload_hex: random.chance(30) ? toHex(random.bytes(random.between(1, 200))) : '',
    ...(hasOperation ? { operation: anyOperation(random) } : {}),
  };
  return encodeBody(JSON.stringify(request), MANIFEST);
}

function makeDescriptor(random: Random, threshold: number, count: number): MultisigDescriptor {
  const members = Array.from({ length: count }, () => {
    const publicKey = random.bytes(PUBLIC_KEY_BYTES);
    return { publicKey, keyHash: keyHash(publicKey) };
  });
  members.sort((a, b) => compareBytes(a.keyHash, b.keyHash));
  return { threshold, members };
}

/** Hashing keys takes longer than everything else in a case, so policies come from a small stock. */
const DESCRIPTORS: readonly MultisigDescriptor[] = Array.from({ length: 16 }, (_, index) =>
  makeDescriptor(new Random(`policy ${index}`), index % 2 === 0 ? 2 : 3, index % 2 === 0 ? 3 : 5),
);

export function anyDescriptor(random: Random): MultisigDescriptor {
  return random.pick(DESCRIPTORS);
}

export function anyWitness(random: Random, profile: Profile): Uint8Array {
  const signature = () => random.bytes(SIGNATURE_BYTES);
  if (profile === 'inline') return encodeWitness(random.bytes(PUBLIC_KEY_BYTES), signature());
  if (profile === 'referenced') return encodeWitnessWithProfile(profile, null, signature());
  const descriptor = anyDescriptor(random);
  const members = descriptor.members.map((_, member) => member);
  while (members.length > descriptor.threshold) members.splice(random.below(members.length), 1);
  const signatures = members.map((member) => ({ member, signature: signature() }));
  return encodeMultisigWitness(profile, descriptor, signatures);
}

export function anyWire(random: Random, inputsMax = 2): Uint8Array {
  const table = decodeBody(randomBody(random, inputsMax), MANIFEST);
  const count = table.inputCount + (table.operation === 0 ? 0 : 1);
  const witnesses = Array.from({ length: count }, (_, i) =>
    table.isRepeated(i)
      ? REPEATED_WITNESS
      : anyWitness(
          random,
          random.chance(80) ? random.pick(['inline', 'referenced']) : random.pick(PROFILES),
        ),
  );
  const hasKey = [4, 7, 8].includes(table.operation);
  const possession = hasKey ? random.bytes(SIGNATURE_BYTES) : undefined;
  return assembleTransaction(table.bytes, witnesses, MANIFEST.json, possession);
}

function bodyAgain(table: TransactionTable): Uint8Array {
  const { network, transaction_id, ...request } = showBody(table, MANIFEST.network);
  return encodeBody(JSON.stringify(request), MANIFEST);
}

function wireAgain(wire: Uint8Array): Uint8Array {
  const table = decodeTransaction(wire, MANIFEST);
  const body = bodyAgain(decodeBody(table.body, MANIFEST));
  const at = table.u32(TABLE_POSSESSION);
  const possession = at === 0 ? undefined : table.slice(at, SIGNATURE_BYTES);
  return assembleTransaction(body, table.witnesses, MANIFEST.json, possession);
}

function witnessCodec(profile: Profile): Codec {
  return {
    name: `witness_${profile}`,
    generate: (random) => anyWitness(random, profile),
    again: (witness) => {
      const wire = assembleTransaction(PLAIN_BODY, [witness], MANIFEST.json);
      return decodeTransaction(wire, MANIFEST).witnesses[0] as Uint8Array;
    },
  };
}

export const TRANSACTION_CODECS: readonly Codec[] = [
  {
    name: 'transaction_body',
    generate: (random) => randomBody(random),
    again: (body) => bodyAgain(decodeBody(body, MANIFEST)),
  },
  ...PROFILES.map(witnessCodec),
  {
    name: 'witness_repeated',
    generate: () => REPEATED_WITNESS,
    again: (witness) => {
      const first = anyWitness(new Random('first'), 'referenced');
      const wire = assembleTransaction(REPEATED_BODY, [first, witness], MANIFEST.json);
      return decodeTransaction(wire, MANIFEST).witnesses[1] as Uint8Array;
    },
  },
  { name: 'transaction', generate: (random) => anyWire(random), again: wireAgain },
];
