/**
 * The vectors of `vectors/multisig-packages.json`, met by the module and by a second reading of
 * `docs/protocol.md` 5 that shares no code with it: plain offsets, OpenSSL's SHA-384, noble's ML-DSA.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js';
import * as svc from '../src/entry/node.ts';

await svc.init();

interface Vector {
  readonly name: string;
  readonly descriptor: { readonly threshold: string; readonly members: readonly string[] };
  readonly body_hex: string;
  readonly input_amounts: readonly string[];
  readonly package_hex: string;
  readonly review: svc.PackageReview;
  readonly signing_messages: readonly string[];
  readonly signers: readonly string[];
  readonly signed_package_hex: string;
  readonly wire_hex: string;
}

const { manifest, packages } = JSON.parse(
  readFileSync(new URL('../../../vectors/multisig-packages.json', import.meta.url), 'utf8'),
) as { manifest: object; packages: readonly Vector[] };
const manifestJson = JSON.stringify(manifest);
const SPEND_CONTEXT = Buffer.from('svc/spend/v1');

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

function labelled(label: string, ...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha384')
    .update(Buffer.concat([Buffer.from(label), ...parts]))
    .digest();
}

function u64(value: string): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** Everything before the signatures, put together from the document's table. */
function templateOf(vector: Vector): Buffer {
  const body = hex(vector.body_hex);
  assert.ok(body.length >= 128 && body.length < 16384);
  const { threshold, members } = vector.descriptor;
  return Buffer.concat([
    Buffer.from(vector.review.format),
    Uint8Array.of((body.length & 127) | 128, body.length >> 7),
    body,
    Uint8Array.of(Number(threshold), members.length),
    ...members.map(hex),
    ...vector.input_amounts.map(u64),
  ]);
}

/** What input `i` signs, and the address it is spent from. */
function spendMessage(vector: Vector, i: number): Buffer {
  const { threshold, members } = vector.descriptor;
  const hashes = members.map((key) => labelled('SVC_KEY_V1', hex(key)));
  const policy = Uint8Array.of(Number(threshold), members.length);
  const address = labelled('SVC_MULTISIG_V1', policy, ...hashes);
  return labelled(
    'SVC_SPEND_V1',
    labelled('SVC_TX_V1', hex(vector.body_hex)),
    Uint8Array.of(i, 1),
    address,
    u64(vector.input_amounts[i] as string),
  );
}

for (const vector of packages) {
  test(`package vector ${vector.name}: the module meets it`, () => {
    const start = hex(vector.package_hex);
    const create =
      vector.review.format === 'TRMSIGP1'
        ? svc.createMultisigPackage
        : svc.createReferencedMultisigPackage;
    const made = create(
      JSON.stringify(vector.descriptor),
      hex(vector.body_hex),
      JSON.stringify(vector.input_amounts),
      manifestJson,
    );
    assert.deepEqual(Buffer.from(made), start);
    assert.deepEqual(JSON.parse(svc.reviewMultisigPackage(start, manifestJson)), vector.review);
    const digest = vector.review.template_digest;
    const messages = svc.multisigPackageSigningMessages(start, digest, manifestJson);
    assert.deepEqual(JSON.parse(messages), vector.signing_messages);
    const wire = svc.completeMultisigPackage(hex(vector.signed_package_hex), manifestJson);
    assert.equal(Buffer.from(wire).toString('hex'), vector.wire_hex);
  });

  test(`package vector ${vector.name}: a second reading of the document meets it`, () => {
    const template = templateOf(vector);
    const inputs = vector.input_amounts.length;
    const unsigned = Buffer.concat([template, new Uint8Array(inputs)]);
    assert.equal(unsigned.toString('hex'), vector.package_hex);
    assert.equal(
      labelled('SVC_PACKAGE_V1', template).toString('hex'),
      vector.review.template_digest,
    );
    const signers = vector.signers.map(Number);
    const bitmap = signers.reduce((bits, member) => bits | (1 << member), 0);
    const signed = hex(vector.signed_package_hex);
    let at = template.length;
    for (let i = 0; i < inputs; i++) {
      const message = spendMessage(vector, i);
      assert.equal(message.toString('hex'), vector.signing_messages[i]);
      assert.equal(signed[at++], bitmap);
      for (const member of signers) {
        const signature = signed.subarray(at, at + 3309);
        const key = hex(vector.descriptor.members[member] as string);
        assert.ok(ml_dsa65.verify(signature, message, key, { context: SPEND_CONTEXT }));
        at += 3309;
      }
    }
    assert.equal(at, signed.length);
  });
}
