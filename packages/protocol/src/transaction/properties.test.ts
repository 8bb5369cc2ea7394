/**
 * Properties of transactions over generated requests, witnesses and damaged bytes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seededBytes } from '../../test/seeded-bytes.ts';
import {
  manifestWith,
  NETWORK,
  operationRequest,
  operationRequests,
  outpoint,
  person,
  rawBody,
  signAll,
} from '../../test/transaction-fixture.ts';
import { toHex } from '../base/bytes.ts';
import { SvcError } from '../base/svc-error.ts';
import { init } from '../entry/node.ts';
import { createMultisigDescriptor } from '../multisig/descriptor.ts';
import { encodeAddress } from '../text/address.ts';
import { assembleTransaction } from './assemble.ts';
import { decodeBody, decodeTransaction } from './decode.ts';
import { encodeTransactionBody } from './encode-body.ts';
import { inspectTransactionBody } from './inspect-body.ts';
import { inspectTransaction } from './inspect-transaction.ts';
import type { InputProfile } from './profiles.ts';
import { quoteTransactionWithInputProfiles, quoteTransactionWithWitnesses } from './quote.ts';
import type { TransactionInspection, TransactionQuote, TransactionRequest } from './request.ts';
import { verifyTransaction } from './verify.ts';
import {
  encodeMultisigInlineWitness,
  encodeMultisigReferencedWitness,
  encodeWitnessWithProfile,
} from './witness.ts';

const SIGNATURE_BYTES = 3309;

await init();
const manifest = manifestWith();

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => toHex(value));

const address = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, 1), fc.uint8Array({ minLength: 48, maxLength: 48 }))
    .map(([type, hash]) => encodeAddress(Uint8Array.of(type, ...hash), NETWORK)),
  fc.constant(encodeAddress(Uint8Array.of(2, ...new Uint8Array(48)), NETWORK)),
);

const amount = fc.bigInt({ min: 1n, max: 1_000_000_000_000_000n }).map(String);

const height = fc.bigInt({ min: 0n, max: 2n ** 64n - 200n });

/** Requests that keep every rule. */
const requests = fc
  .record({
    from: height,
    cuts: fc.bigInt({ min: 0n, max: 120n }),
    fee: fc.option(fc.bigInt({ min: 0n, max: 1_000_000_000_000_000n }), { nil: undefined }),
    inputs: fc.uniqueArray(
      fc.record({ transaction_id: hex(48), output_index: fc.nat(2 ** 31 - 1).map(String) }),
      { minLength: 1, maxLength: 8, selector: (input) => JSON.stringify(input) },
    ),
    outputs: fc.array(fc.record({ address, amount }), { minLength: 1, maxLength: 16 }),
    payload: fc.uint8Array({ maxLength: 300 }),
    operation: fc.option(fc.nat(9), { nil: undefined }),
    repeated: fc.nat(127),
  })
  .map(({ from, cuts, fee, inputs, outputs, payload, operation, repeated }): TransactionRequest => {
    const chosen = operation === undefined ? undefined : operationRequests()[operation];
    return {
      valid_from_height: String(from),
      valid_until_height: String(from + cuts),
      ...(fee === undefined ? {} : { fee: String(fee) }),
      inputs: inputs.map((input, i) =>
        fee !== undefined && ((repeated << 1) >> i) & 1 ? { ...input, repeated: true } : input,
      ),
      outputs,
      payload_hex: toHex(payload),
      ...(chosen === undefined ? {} : { operation: chosen }),
    };
  });

/** The one body or transaction that has this inspection. */
function bodyAgain(inspection: TransactionRequest): Uint8Array {
  const names = ['valid_from_height', 'valid_until_height', 'fee', 'inputs', 'outputs'];
  const kept = [...names, 'payload_hex', 'operation'];
  const whole = Object.fromEntries(
    Object.entries(inspection).filter(([name]) => kept.includes(name)),
  );
  return encodeTransactionBody(JSON.stringify(whole), manifest.json);
}

/** Runs something that may refuse its bytes; false if it did, with an error of ours. */
function accepts(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    assert.ok(error instanceof SvcError, String(error));
    assert.notEqual(error.code, 'kernel_trap');
    return false;
  }
}

test('encoding, inspecting and encoding again gives the same bytes', () => {
  fc.assert(
    fc.property(requests, (request) => {
      const body = encodeTransactionBody(JSON.stringify(request), manifest.json);
      const shown = JSON.parse(inspectTransactionBody(body, manifest.json)) as TransactionRequest;
      assert.deepEqual(bodyAgain(shown), body);
    }),
    { numRuns: 150 },
  );
});

test('damaged bodies are refused, or are the one encoding of what they show', () => {
  const bodies = [undefined, ...operationRequests()].map((operation) =>
    signAll(operation === undefined ? { payload_hex: 'abcd' } : { operation, fee: '7' }, manifest),
  );
  let accepted = 0;
  const damage = fc.tuple(
    fc.nat(bodies.length - 1),
    fc.nat(2 ** 20),
    fc.integer({ min: 1, max: 255 }),
  );
  fc.assert(
    fc.property(damage, ([which, where, mask]) => {
      const body = Uint8Array.from((bodies[which] as { body: Uint8Array }).body);
      const at = 101 + (where % (body.length - 101));
      body[at] = (body[at] as number) ^ mask;
      if (!accepts(() => decodeBody(body, manifest))) return;
      accepted++;
      const shown = JSON.parse(inspectTransactionBody(body, manifest.json)) as TransactionRequest;
      assert.deepEqual(bodyAgain(shown), body);
    }),
    { numRuns: 600 },
  );
  assert.ok(accepted > 50, `only ${accepted} damaged bodies were well-formed`);
});

test('damaged transactions are refused, or are the one encoding of what they show', () => {
  const operation = operationRequest('rotate_key');
  const { wire, body } = signAll({ operation, inputs: [outpoint(0), outpoint(1)] }, manifest);
  const interesting = [1 + body.length, 1 + body.length + 5262, 1 + body.length + 2 * 5262];
  const place = fc.oneof(
    fc.constantFrom(...interesting),
    fc.integer({ min: 0, max: wire.length - 1 }),
  );
  let accepted = 0;
  fc.assert(
    fc.property(place, fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const damaged = Uint8Array.from(wire);
      damaged[at] = (damaged[at] as number) ^ mask;
      if (!accepts(() => decodeTransaction(damaged, manifest))) return;
      accepted++;
      const shown = JSON.parse(inspectTransaction(damaged, manifest.json)) as TransactionInspection;
      const witnesses = decodeTransaction(damaged, manifest).witnesses;
      const possession = damaged.slice(damaged.length - SIGNATURE_BYTES);
      assert.equal(shown.possession_signature_hex, toHex(possession));
      const again = assembleTransaction(bodyAgain(shown), witnesses, manifest.json, possession);
      assert.deepEqual(again, damaged);
    }),
    { numRuns: 200 },
  );
  assert.ok(accepted > 20, `only ${accepted} damaged transactions were well-formed`);
});

test('no damaged transaction verifies', () => {
  const { wire, previousOutputs } = signAll({}, manifest);
  const previous = JSON.stringify(previousOutputs);
  assert.ok(accepts(() => verifyTransaction(wire, previous, null, manifest.json)));
  const damage = fc.tuple(fc.nat(wire.length - 1), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(damage, ([at, mask]) => {
      const damaged = Uint8Array.from(wire);
      damaged[at] = (damaged[at] as number) ^ mask;
      assert.ok(!accepts(() => verifyTransaction(damaged, previous, null, manifest.json)));
    }),
    { numRuns: 300 },
  );
});

test('bytes of any kind are refused with an error of ours', () => {
  const head = rawBody(manifest).subarray(0, 101);
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 500 }).map((rest) => Uint8Array.of(...head, ...rest)),
    fc.uint8Array({ maxLength: 500 }).map((rest) => Uint8Array.of(1, ...head, ...rest)),
  );
  fc.assert(
    fc.property(bytes, (value) => {
      accepts(() => decodeBody(value, manifest));
      accepts(() => decodeTransaction(value, manifest));
      accepts(() => verifyTransaction(value, '[]', null, manifest.json));
    }),
    { numRuns: 400 },
  );
});

function descriptorOf(threshold: number, members: number): string {
  const keys = Array.from({ length: members }, (_, i) => toHex(person(i).publicKey));
  return createMultisigDescriptor(String(threshold), JSON.stringify(keys));
}

/** A witness of the profile, with signatures that are bytes of the right length. */
function witnessOf(profile: InputProfile): Uint8Array {
  const signature = seededBytes('signature', SIGNATURE_BYTES);
  if (profile === 'inline')
    return encodeWitnessWithProfile(profile, person(0).publicKey, signature);
  if (profile === 'referenced') return encodeWitnessWithProfile(profile, null, signature);
  if (profile === 'repeated') return encodeWitnessWithProfile(profile, null, null);
  const threshold = Number(profile.threshold);
  const signatures = JSON.stringify(
    Array.from({ length: threshold }, (_, i) => ({
      member: String(i),
      signature_hex: toHex(signature),
    })),
  );
  const descriptor = descriptorOf(threshold, Number(profile.members));
  return profile.profile === 'multisig_inline'
    ? encodeMultisigInlineWitness(descriptor, signatures)
    : encodeMultisigReferencedWitness(descriptor, signatures);
}

const profiles: InputProfile[] = [
  'inline',
  'referenced',
  { profile: 'multisig_inline', threshold: '2', members: '3' },
  { profile: 'multisig_referenced', threshold: '2', members: '3' },
  { profile: 'multisig_inline', threshold: '3', members: '5' },
  { profile: 'multisig_referenced', threshold: '3', members: '5' },
];

test('[WASM-02] a quote is exactly what the assembled transaction weighs', () => {
  const choices = fc.array(fc.constantFrom(...profiles), { minLength: 9, maxLength: 9 });
  let assembled = 0;
  fc.assert(
    fc.property(requests, choices, (request, chosen) => {
      const body = encodeTransactionBody(JSON.stringify(request), manifest.json);
      const inputs = request.inputs.map((input, i) =>
        input.repeated === true ? 'repeated' : (chosen[i] as InputProfile),
      );
      const operation = request.operation === undefined ? {} : { operation: chosen[8] };
      const asked = JSON.stringify({ inputs, ...operation });
      const used =
        request.operation === undefined ? inputs : [...inputs, chosen[8] as InputProfile];
      const witnesses = used.map(witnessOf);
      const possession = JSON.stringify(request).includes('consensus_public_key_hex')
        ? new Uint8Array(SIGNATURE_BYTES)
        : undefined;
      const quoted = accepts(() => quoteTransactionWithInputProfiles(body, asked, manifest.json));
      const fits = accepts(() => assembleTransaction(body, witnesses, manifest.json, possession));
      assert.equal(quoted, fits);
      if (!fits) return;
      assembled++;
      const wire = assembleTransaction(body, witnesses, manifest.json, possession);
      const shown = JSON.parse(inspectTransaction(wire, manifest.json)) as TransactionQuote;
      const quotes = [
        quoteTransactionWithInputProfiles(body, asked, manifest.json),
        quoteTransactionWithWitnesses(body, witnesses, manifest.json),
      ];
      for (const text of quotes) {
        const quote = JSON.parse(text) as TransactionQuote;
        assert.equal(quote.mass, shown.mass);
        assert.equal(quote.minimum_fee, shown.minimum_fee);
        assert.equal(quote.wire_bytes, String(wire.length));
        assert.equal(quote.signatures, shown.signatures);
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(assembled > 20, `only ${assembled} transactions fitted`);
});
