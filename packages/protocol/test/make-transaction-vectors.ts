/**
 * Writes `vectors/transactions.json`: manifests, bodies of every kind, what is signed, whole
 * transactions, and bodies that must be refused. Keys come from seeds and signatures from zero
 * randomness, so every run writes the same bytes.
 */
import { writeFileSync } from 'node:fs';
import { concatBytes, toHex } from '../src/base/bytes.ts';
import { CONTEXTS } from '../src/base/labels.ts';
import * as svc from '../src/entry/node.ts';
import { decodeBody } from '../src/transaction/decode.ts';
import type { OutputRequest, TransactionRequest } from '../src/transaction/request.ts';
import { seededBytes } from './seeded-bytes.ts';
import type { Person } from './transaction-fixture.ts';
import {
  COIN,
  manifestWith,
  NETWORK,
  operationRequest,
  operationRequests,
  outpoint,
  payment,
  person,
  rawBody,
  rawFee,
  rawInputs,
  rawOutputs,
  repeatedInputs,
  signAll,
  signWith,
} from './transaction-fixture.ts';

await svc.init();
const manifest = manifestWith();

function bodies(): object[] {
  const requests: TransactionRequest[] = [
    payment(),
    payment({ fee: '99500000' }),
    payment({ fee: '1', inputs: repeatedInputs(8) }),
    payment({
      fee: '2',
      inputs: [outpoint(0), outpoint(1), { ...outpoint(2), repeated: true }, outpoint(3)],
      operation: operationRequest('heartbeat'),
    }),
    payment({
      fee: '0',
      inputs: Array.from({ length: 8 }, (_, i) => outpoint(i)),
      outputs: Array.from({ length: 16 }, (_, i) => ({
        address: i === 0 ? svc.burnAddress(NETWORK) : person(i % 3).address,
        amount: String(i + 1),
      })),
      payload_hex: toHex(seededBytes('payload', 200)),
    }),
    ...operationRequests().map((operation) => payment({ operation, outputs: [] })),
    payment({ operation: operationRequest('bond'), fee: '19999999499999993' }),
  ];
  return requests.map((request) => {
    const body = svc.encodeTransactionBody(JSON.stringify(request), manifest.json);
    return {
      request,
      body_hex: toHex(body),
      transaction_id: svc.transactionId(body, manifest.json),
      quote: JSON.parse(svc.quoteTransaction(body, manifest.json)) as object,
    };
  });
}

interface Witnessed {
  readonly name: string;
  readonly body: Uint8Array;
  readonly wire: Uint8Array;
  readonly previousOutputs: readonly OutputRequest[];
  readonly owner: string | null;
  readonly registered: readonly Person[];
}

function multisig(name: string, referenced: boolean): Witnessed {
  const people = [0, 1, 2].map(person);
  const keys = JSON.stringify(people.map(({ publicKey }) => toHex(publicKey)));
  const descriptor = svc.createMultisigDescriptor('2', keys);
  const { members } = JSON.parse(descriptor) as { members: string[] };
  const body = svc.encodeTransactionBody(JSON.stringify(payment()), manifest.json);
  const address = svc.multisigAddress(descriptor, NETWORK);
  const previous = { address, amount: String(100n * COIN) };
  const message = svc.spendMessage(body, 0, JSON.stringify(previous), manifest.json);
  const signatures = [0, 2].map((member) => {
    const signer = people.find(({ publicKey }) => toHex(publicKey) === members[member]) as Person;
    const signature = signWith(signer, message, CONTEXTS.spend);
    return { member: String(member), signature_hex: toHex(signature) };
  });
  const encode = referenced ? svc.encodeMultisigReferencedWitness : svc.encodeMultisigInlineWitness;
  const witness = encode(descriptor, JSON.stringify(signatures));
  const wire = svc.assembleTransaction(body, [witness], manifest.json);
  const registered = referenced ? people : [];
  return { name, body, wire, previousOutputs: [previous], owner: null, registered };
}

function single(
  name: string,
  overrides: Partial<TransactionRequest>,
  owner: string | null,
): Witnessed {
  const { body, wire, previousOutputs } = signAll(overrides, manifest);
  return { name, body, wire, previousOutputs, owner, registered: [] };
}

/** Two outputs of person 0, one of person 1, two more of person 0: three signatures. */
function repeatedInTwoRuns(): Witnessed {
  const inputs = repeatedInputs(5).map((input, i) => (i === 2 || i === 3 ? outpoint(i) : input));
  const owners = [0, 0, 1, 0, 0].map(person);
  const request = payment({ fee: '9500000000', inputs });
  const body = svc.encodeTransactionBody(JSON.stringify(request), manifest.json);
  const previousOutputs = owners.map(({ address }) => ({ address, amount: String(20n * COIN) }));
  const witnesses = owners.map((owner, i) => {
    if (inputs[i]?.repeated === true) return svc.encodeWitnessWithProfile('repeated', null, null);
    const previous = JSON.stringify(previousOutputs[i]);
    const message = svc.spendMessage(body, i, previous, manifest.json);
    return svc.encodeWitness(owner.publicKey, signWith(owner, message, CONTEXTS.spend));
  });
  const wire = svc.assembleTransaction(body, witnesses, manifest.json);
  const name = 'repeated in two runs, another address between them';
  return { name, body, wire, previousOutputs, owner: null, registered: [] };
}

function referenced(): Witnessed {
  const { body, witnesses, previousOutputs } = signAll({}, manifest);
  const signature = (witnesses[0] as Uint8Array).subarray(1 + 1952);
  const witness = svc.encodeWitnessWithProfile('referenced', null, signature);
  const wire = svc.assembleTransaction(body, [witness], manifest.json);
  return { name: 'referenced', body, wire, previousOutputs, owner: null, registered: [person(0)] };
}

/** What the owner and the consensus key sign, where the body has an operation that asks for it. */
function operationMessages(body: Uint8Array): object {
  if (decodeBody(body, manifest).operation === 0) return {};
  const operation_message = toHex(svc.operationMessage(body, manifest.json));
  const { operation } = JSON.parse(svc.inspectTransactionBody(body, manifest.json)) as {
    operation: svc.OperationRequest;
  };
  if (!('consensus_public_key_hex' in operation.data)) return { operation_message };
  const possession_message = toHex(svc.possessionMessage(body, manifest.json));
  return { operation_message, possession_message };
}

function transactions(): object[] {
  const register = { operation: operationRequest('validator_register') };
  const list = [
    single('inline', {}, null),
    single('inline with a declared fee', { fee: '9500000000' }, null),
    referenced(),
    multisig('multisig inline', false),
    multisig('multisig referenced', true),
    single('eight inputs of one address', { fee: '79500000000', inputs: repeatedInputs(8) }, null),
    repeatedInTwoRuns(),
    single('operation', { operation: operationRequest('unbond') }, person(0).address),
    single('operation with possession', register, null),
    single(
      'bond with a declared fee',
      { operation: operationRequest('bond'), fee: '9499999993' },
      null,
    ),
  ];
  return list.map(({ name, body, wire, previousOutputs, owner, registered }) => ({
    name,
    wire_hex: toHex(wire),
    previous_outputs: previousOutputs,
    owner_address: owner,
    registered_keys: registered.map(({ publicKey }) => ({ public_key_hex: toHex(publicKey) })),
    spend_messages: previousOutputs.map((previous, i) =>
      toHex(svc.spendMessage(body, i, JSON.stringify(previous), manifest.json)),
    ),
    ...operationMessages(body),
    verification: JSON.parse(
      svc.verifyTransactionWithReferencedKeys(
        wire,
        JSON.stringify(previousOutputs),
        owner,
        JSON.stringify(registered.map(({ publicKey }) => ({ public_key_hex: toHex(publicKey) }))),
        manifest.json,
      ),
    ) as object,
  }));
}

function refused(): object[] {
  const bodies: [string, Uint8Array][] = [
    ['a padded varint', rawBody(manifest, { payload: Uint8Array.of(0x80, 0) })],
    ['a trailing byte', concatBytes(rawBody(manifest), Uint8Array.of(0))],
    ['an amount of zero', rawBody(manifest, { outputs: rawOutputs(0n) })],
    [
      'outputs above the maximum supply',
      rawBody(manifest, { outputs: rawOutputs(20_000_000_000_000_000n, 1n) }),
    ],
    ['one input twice', rawBody(manifest, { inputs: rawInputs(3, 3) })],
    ['nine inputs', rawBody(manifest, { inputs: rawInputs(0, 1, 2, 3, 4, 5, 6, 7, 8) })],
    ['a window one cut too long', rawBody(manifest, { validUntil: 1121n })],
    [
      'a declared fee that the supply does not leave',
      rawBody(manifest, rawFee(19_999_999_500_000_001n)),
    ],
    ['a first input that is repeated', rawBody(manifest, rawFee(1n, 1))],
    ['a repeated input behind the last', rawBody(manifest, rawFee(1n, 2))],
    ['another chain', rawBody(manifest, { chainId: new Uint8Array(48) })],
  ];
  return bodies.map(([name, body]) => {
    try {
      decodeBody(body, manifest);
    } catch (error) {
      return { name, body_hex: toHex(body), code: (error as svc.SvcError).code };
    }
    throw new Error(`${name} is accepted`);
  });
}

const vectors = {
  note: 'Transactions of section 4 of docs/protocol.md: requests and the bodies they make, quotes for inline witnesses, whole transactions of every profile with what is signed in them, and bodies that must be refused; more of these in transactions-refused.json.',
  manifest: JSON.parse(manifest.json) as object,
  bodies: bodies(),
  transactions: transactions(),
  refused: refused(),
};
const url = new URL('../../../vectors/transactions.json', import.meta.url);
writeFileSync(url, `${JSON.stringify(vectors, undefined, 1)}\n`);
