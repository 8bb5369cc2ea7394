/**
 * Generated transactions with declared fees and repeated inputs, right and wrong in every way that a random change
 * makes, judged by the kernel and by the reference.
 */
import assert from 'node:assert/strict';
import { concatBytes, toHex } from '../../src/base/bytes.ts';
import { CONTEXTS } from '../../src/base/labels.ts';
import type { MultisigDescriptor } from '../../src/multisig/descriptor.ts';
import {
  createMultisigDescriptor,
  multisigAddressBytes,
  parseMultisigDescriptor,
} from '../../src/multisig/descriptor.ts';
import { encodeAddress } from '../../src/text/address.ts';
import { assembleTransaction } from '../../src/transaction/assemble.ts';
import { spendMessage } from '../../src/transaction/messages.ts';
import { previousOutputBytes } from '../../src/transaction/previous-output.ts';
import type { InputRequest } from '../../src/transaction/request.ts';
import { verifyTransactionBytes } from '../../src/transaction/verify-bytes.ts';
import { encodeMultisigWitness, encodeWitnessWithProfile } from '../../src/transaction/witness.ts';
import type { Random } from '../generate/random.ts';
import {
  bodyOf,
  manifestWith,
  NETWORK,
  type Person,
  person,
  signWith,
} from '../transaction-fixture.ts';
import {
  OperationFound,
  type ReferenceVerdict,
  referenceVerdict,
  type Spent,
} from './reference-transaction.ts';

export interface Tally {
  accepted: number;
  refused: number;
  /** Cases whose change made an operation, which the reference does not know. */
  passedOver: number;
  /** Accepted cases with a declared fee, and with a repeated input. */
  declared: number;
  repeated: number;
}

/** An owner of outputs: a key, or two of three. */
interface Owner {
  readonly address: Uint8Array;
  readonly descriptor?: MultisigDescriptor;
  readonly keys: readonly Person[];
}

function ownersOf(): Owner[] {
  const keys = [0, 1, 2].map(person);
  const text = createMultisigDescriptor(
    '2',
    JSON.stringify(keys.map((key) => toHex(key.publicKey))),
  );
  const descriptor = parseMultisigDescriptor(text);
  const shared: Owner = { address: multisigAddressBytes(descriptor), descriptor, keys };
  const single = keys.slice(0, 2).map((key) => ({ address: key.addressBytes, keys: [key] }));
  return [...single, ...single, shared];
}

function witnessOf(random: Random, { descriptor, keys }: Owner, message: Uint8Array): Uint8Array {
  const isShown = random.chance(30);
  if (descriptor === undefined) {
    const key = keys[0] as Person;
    const signature = signWith(key, message, CONTEXTS.spend);
    return encodeWitnessWithProfile(
      isShown ? 'inline' : 'referenced',
      isShown ? key.publicKey : null,
      signature,
    );
  }
  const signatures = [0, 2].map((member) => {
    const hex = toHex(descriptor.members[member]?.publicKey as Uint8Array);
    const key = keys.find(({ publicKey }) => toHex(publicKey) === hex) as Person;
    return { member, signature: signWith(key, message, CONTEXTS.spend) };
  });
  return encodeMultisigWitness(
    isShown ? 'multisig_inline' : 'multisig_referenced',
    descriptor,
    signatures,
  );
}

interface Case {
  readonly wire: Uint8Array;
  readonly spent: readonly Spent[];
  readonly registered: readonly Uint8Array[];
  readonly isDeclared: boolean;
  readonly isRepeated: boolean;
}

const MANIFEST_FEE = 200_000n;

/** A transaction whose owners are right, in runs of one address, with or without a declared fee. */
function rightCase(random: Random, owners: readonly Owner[]): Case {
  const manifest = manifestWith();
  const isDeclared = random.chance(85);
  const count = random.between(1, 4);
  const inputs: InputRequest[] = [];
  const own: Owner[] = [];
  for (let i = 0; i < count; i++) {
    const repeats = isDeclared && i > 0 && random.chance(70);
    own.push(repeats ? (own[i - 1] as Owner) : random.pick(owners));
    const outpoint = {
      transaction_id: toHex(random.bytes(48)),
      output_index: String(random.below(9)),
    };
    inputs.push(repeats ? { ...outpoint, repeated: true } : outpoint);
  }
  const spent = own.map(({ address }) => ({
    address,
    amount: 1_000_000n + random.amount(10n ** 9n),
  }));
  const sum = spent.reduce((all, { amount }) => all + amount, 0n);
  const fee = random.chance(5) ? 1n : MANIFEST_FEE + BigInt(random.below(1000));
  const outputs = [{ address: person(1).address, amount: String(sum - fee) }];
  const declared = isDeclared ? { fee: String(fee) } : {};
  const body = bodyOf({ ...declared, inputs, outputs }, manifest);
  const witnesses = own.map((owner, i) => {
    if (inputs[i]?.repeated === true) return encodeWitnessWithProfile('repeated', null, null);
    const { address, amount } = spent[i] as Spent;
    const previous = { address: encodeAddress(address, NETWORK), amount: String(amount) };
    return witnessOf(random, owner, spendMessage(body, i, JSON.stringify(previous), manifest.json));
  });
  return {
    wire: assembleTransaction(body, witnesses, manifest.json),
    spent,
    registered: [0, 1, 2].map((index) => person(index).publicKey),
    isDeclared,
    isRepeated: inputs.some(({ repeated }) => repeated === true),
  };
}

const FEE_AT = 1 + 117;
const REPEATED_AT = 1 + 125;

/** Changes something: amounts, addresses, fee, bitmap, a byte anywhere, the length, or the keys. */
function changed(random: Random, right: Case, owners: readonly Owner[]): Case {
  const { spent } = right;
  const wire = Uint8Array.from(right.wire);
  const flip = (at: number): Case => {
    wire[at % wire.length] = (wire[at % wire.length] as number) ^ (1 << random.below(8));
    return { ...right, wire };
  };
  const which = random.below(spent.length);
  const other = random.below(spent.length);
  switch (random.below(9)) {
    case 0:
      return {
        ...right,
        spent: spent.map((one, i) => (i === which ? { ...one, amount: one.amount + 1n } : one)),
      };
    case 1: {
      const moved = spent.map(({ address, amount }, i) => ({
        address,
        amount: amount + (i === which ? 5n : 0n) - (i === other ? 5n : 0n),
      }));
      return { ...right, spent: moved };
    }
    case 2: {
      const { address } = random.pick(owners);
      return { ...right, spent: spent.map((one, i) => (i === which ? { ...one, address } : one)) };
    }
    case 3:
      return flip(FEE_AT + random.below(8));
    case 4:
      return flip(REPEATED_AT);
    case 5:
      return flip(random.below(wire.length));
    case 6:
      return { ...right, wire: wire.slice(0, -1 - random.below(20)) };
    case 7:
      return { ...right, registered: right.registered.slice(1) };
    default:
      return flip(random.below(Math.min(wire.length, 420)));
  }
}

function kernelVerdict({ wire, spent, registered }: Case): ReferenceVerdict {
  const verdict = verifyTransactionBytes(
    {
      wire,
      previousOutputs: concatBytes(
        ...spent.map(({ address, amount }) => previousOutputBytes(address, amount)),
      ),
      owner: null,
      registeredKeys: concatBytes(...registered),
    },
    manifestWith(),
  );
  return verdict.accepted ? { id: toHex(verdict.table.id), fee: verdict.table.fee } : null;
}

/** Judges as many generated transactions as asked for by both; throws at the first on which they differ. */
export function judgeBoth(random: Random, cases: number): Tally {
  const { chainId, rulesId } = manifestWith();
  const rules = { chainId, rulesId, validityCutsMax: 120n };
  const owners = ownersOf();
  const tally: Tally = { accepted: 0, refused: 0, passedOver: 0, declared: 0, repeated: 0 };
  for (let i = 0; i < cases; i++) {
    const right = rightCase(random, owners);
    const judged = random.chance(50) ? right : changed(random, right, owners);
    const found = kernelVerdict(judged);
    try {
      const expected = referenceVerdict(judged.wire, judged.spent, judged.registered, rules);
      assert.deepEqual(found, expected, `case ${i}: ${toHex(judged.wire)}`);
    } catch (error) {
      if (!(error instanceof OperationFound)) throw error;
      assert.equal(found, null, `case ${i}`);
      tally.passedOver++;
      continue;
    }
    tally[found === null ? 'refused' : 'accepted']++;
    if (found !== null && judged.isDeclared) tally.declared++;
    if (found !== null && judged.isRepeated) tally.repeated++;
  }
  return tally;
}
