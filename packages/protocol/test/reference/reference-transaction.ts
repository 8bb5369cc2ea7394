/**
 * A second implementation of section 4 of `docs/protocol.md` for transactions without an operation: another parser,
 * OpenSSL's SHA-384 and OpenSSL's ML-DSA-65. It shares no code with the module and says only whether a transaction is
 * acceptable, its id and its fee.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

export interface ReferenceRules {
  readonly chainId: Uint8Array;
  readonly rulesId: Uint8Array;
  readonly validityCutsMax: bigint;
}

export interface Spent {
  readonly address: Uint8Array;
  readonly amount: bigint;
}

/** What the reference makes of a transaction; null if it is refused. */
export type ReferenceVerdict = { readonly id: string; readonly fee: bigint } | null;

/** The transaction has an operation, which the reference does not know. */
export class OperationFound extends Error {}

const SUPPLY = 20_000_000_000_000_000n;
const CONTEXT = Buffer.from('svc/spend/v1');

class Refused extends Error {}

function must(holds: boolean): void {
  if (!holds) throw new Refused();
}

function hash(label: string, ...parts: readonly Uint8Array[]): Buffer {
  const state = createHash('sha384').update(label, 'ascii');
  for (const part of parts) state.update(part);
  return state.digest();
}

class Bytes {
  at = 0;
  readonly all: Buffer;

  constructor(all: Uint8Array) {
    this.all = Buffer.from(all);
  }

  take(length: number): Buffer {
    must(this.at + length <= this.all.length);
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }

  number(): number {
    return this.take(1).readUInt8();
  }

  long(): bigint {
    return this.take(8).readBigUInt64LE();
  }

  varint(): number {
    const start = this.at;
    let value = 0n;
    let byte = 128;
    for (let shift = 0n; byte >= 128; shift += 7n) {
      must(shift < 35n);
      byte = this.number();
      value |= BigInt(byte & 127) << shift;
    }
    must(value < 2n ** 32n && (byte !== 0 || this.at === start + 1));
    return Number(value);
  }
}

interface Body {
  readonly id: Buffer;
  readonly inputs: number;
  readonly outputs: number;
  readonly moved: bigint;
  readonly declared: bigint | null;
  readonly repeated: number;
}

function readAddress(from: Bytes): void {
  const address = from.take(49);
  must((address[0] as number) <= 2);
  must(address[0] !== 2 || address.subarray(1).every((byte) => byte === 0));
}

function readBody(from: Bytes, rules: ReferenceRules): Body {
  const start = from.at;
  const format = from.number();
  must(format === 1 || format === 2);
  must(from.take(48).equals(rules.chainId));
  must(from.take(4).readUInt32LE() === 1);
  must(from.take(48).equals(rules.rulesId));
  const [first, last] = [from.long(), from.long()];
  must(first <= last && last - first <= rules.validityCutsMax);
  const declared = format === 2 ? from.long() : null;
  const repeated = format === 2 ? from.number() : 0;
  const inputs = from.varint();
  must(inputs >= 1 && inputs <= 8);
  const spent = Array.from({ length: inputs }, () => from.take(52).toString('hex'));
  must(new Set(spent).size === inputs);
  must((repeated & 1) === 0 && repeated < 1 << inputs);
  const outputs = from.varint();
  must(outputs <= 16);
  let moved = 0n;
  for (let i = 0; i < outputs; i++) {
    readAddress(from);
    const amount = from.long();
    must(amount > 0n && amount <= SUPPLY);
    moved += amount;
  }
  must(moved + (declared ?? 0n) <= SUPPLY);
  if (from.number() !== 0) throw new OperationFound();
  must(outputs > 0);
  const payload = from.varint();
  must(payload <= 8192);
  from.take(payload);
  const id = hash('SVC_TX_V1', from.all.subarray(start, from.at));
  return { id, inputs, outputs, moved, declared, repeated };
}

interface Check {
  readonly key: Buffer;
  readonly signature: Buffer;
  readonly input: number;
}

const objects = new Map<string, KeyObject>();

function keyObject(key: Buffer): KeyObject {
  const name = hash('', key).toString('hex');
  const known = objects.get(name);
  if (known !== undefined) return known;
  const type = { format: 'raw-public', asymmetricKeyType: 'ml-dsa-65' } as const;
  const made = createPublicKey({ key, ...type });
  if (objects.size < 64) objects.set(name, made);
  return made;
}

/** Reads the witnesses: how many signatures there are, and what has to be checked once addresses are known. */
function readWitnesses(from: Bytes, { inputs, repeated }: Body) {
  const checks: ((address: Buffer, find: (hash: Buffer) => Buffer) => Check[])[] = [];
  let signatures = 0;
  for (let input = 0; input < inputs; input++) {
    const profile = from.number();
    must(profile <= 4);
    must((profile === 4) === (((repeated >> input) & 1) === 1));
    if (profile === 4) {
      checks.push(() => []);
    } else if (profile < 2) {
      const shown = profile === 0 ? from.take(1952) : undefined;
      const signature = from.take(3309);
      signatures++;
      checks.push((address, find) => {
        must(address[0] === 0);
        const key = shown ?? find(address.subarray(1));
        must(hash('SVC_KEY_V1', key).equals(address.subarray(1)));
        return [{ key, signature, input }];
      });
    } else {
      const { threshold, check } = readMultisig(from, profile === 2, input);
      signatures += threshold;
      checks.push(check);
    }
  }
  return { signatures, checks };
}

function readMultisig(from: Bytes, shows: boolean, input: number) {
  const policy = from.take(2);
  const [threshold, members] = [...policy] as [number, number];
  must((threshold === 2 && members === 3) || (threshold === 3 && members === 5));
  const hashes = Array.from({ length: members }, () => from.take(48));
  must(hashes.every((one, i) => i === 0 || Buffer.compare(hashes[i - 1] as Buffer, one) < 0));
  const bitmap = from.number();
  const signers = hashes.filter((_, i) => ((bitmap >> i) & 1) === 1);
  must(bitmap < 1 << members && signers.length === threshold);
  const shown = signers.map((hashOfKey) => ({
    hashOfKey,
    key: shows ? from.take(1952) : undefined,
    signature: from.take(3309),
  }));
  const check = (address: Buffer, find: (hash: Buffer) => Buffer): Check[] => {
    must(address[0] === 1);
    must(hash('SVC_MULTISIG_V1', policy, ...hashes).equals(address.subarray(1)));
    return shown.map(({ hashOfKey, key = find(hashOfKey), signature }) => {
      must(hash('SVC_KEY_V1', key).equals(hashOfKey));
      return { key, signature, input };
    });
  };
  return { threshold, check };
}

function decide(
  wire: Uint8Array,
  spent: readonly Spent[],
  registered: readonly Uint8Array[],
  rules: ReferenceRules,
): ReferenceVerdict {
  must(wire.length <= 60_000);
  const from = new Bytes(wire);
  must(from.number() === 1);
  const body = readBody(from, rules);
  const { signatures, checks } = readWitnesses(from, body);
  must(from.at === wire.length && spent.length === body.inputs);
  const incoming = spent.reduce((sum, { amount }) => sum + amount, 0n);
  const fee = incoming - body.moved;
  must(fee >= 0n && (body.declared === null || body.declared === fee));
  must(fee >= 10n * BigInt(wire.length + 3000 * signatures + 500 * body.outputs));
  const find = (hashOfKey: Buffer): Buffer => {
    const key = registered.find((one) => hash('SVC_KEY_V1', one).equals(hashOfKey));
    if (key === undefined) throw new Refused();
    return Buffer.from(key);
  };
  for (const [input, check] of checks.entries()) {
    const { address, amount } = spent[input] as Spent;
    if (((body.repeated >> input) & 1) === 1) {
      must(Buffer.from(address).equals((spent[input - 1] as Spent).address));
    }
    const atoms = Buffer.alloc(8);
    atoms.writeBigUInt64LE(amount);
    const message = hash('SVC_SPEND_V1', body.id, Uint8Array.of(input), address, atoms);
    for (const { key, signature } of check(Buffer.from(address), find)) {
      must(verify(null, message, { key: keyObject(key), context: CONTEXT }, signature));
    }
  }
  return { id: body.id.toString('hex'), fee };
}

export function referenceVerdict(...asked: Parameters<typeof decide>): ReferenceVerdict {
  try {
    return decide(...asked);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}
