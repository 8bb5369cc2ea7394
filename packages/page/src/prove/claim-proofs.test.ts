/** Proofs of a claim that are asked for at once, and of claims that the screen leaves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Claim, ProofResult, Report } from 'svc-client/evidence';
import { ClaimProofs } from './claim-proofs.ts';

const HEAD: Claim = { kind: 'head' };
const SET: Claim = { kind: 'validators' };
const UNPROVEN: ProofResult = { verdict: 'unproven', reason: 'no cut has executed it yet' };
const CHECKED: ProofResult = { verdict: 'checked', height: 7, facts: {}, lines: [] };

/** Proofs that end when the test says so, and what was reported to the screen. */
function scripted() {
  const running: { readonly claim: Claim; readonly end: (result: ProofResult) => Promise<void> }[] =
    [];
  const told: string[] = [];
  const proofs = new ClaimProofs({
    prove: (claim) => {
      const { promise, resolve } = Promise.withResolvers<Report>();
      const end = async (result: ProofResult) => {
        resolve({
          result,
          claims: [{ claim, result }],
          basis: [],
          steps: [],
          trust: undefined,
          evidence: undefined,
        });
        await setImmediate();
      };
      running.push({ claim, end });
      return promise;
    },
    onBegin: () => told.push('checking'),
    onEnd: ({ result }) => told.push(result.verdict),
  });
  return { proofs, running, told };
}

test('what is asked for while a proof is made is proven after it, once', async () => {
  const { proofs, running, told } = scripted();
  proofs.setClaim(HEAD);
  proofs.ask();
  proofs.ask();
  proofs.ask();
  assert.equal(running.length, 1);
  await running[0]?.end(UNPROVEN);
  assert.equal(running.length, 2);
  await running[1]?.end(CHECKED);
  assert.equal(running.length, 2);
  assert.deepEqual(told, ['checking', 'unproven', 'checked']);
});

test('a proof that ended is made again when it is asked for', async () => {
  const { proofs, running, told } = scripted();
  proofs.setClaim(HEAD);
  assert.equal(proofs.isWanted, false);
  for (const at of [0, 1]) {
    proofs.ask();
    await running[at]?.end(CHECKED);
  }
  assert.equal(proofs.isWanted, true);
  assert.deepEqual(told, ['checking', 'checked', 'checked']);
});

test('nothing is reported of a claim that the screen has left, though it comes back', async () => {
  const { proofs, running, told } = scripted();
  proofs.setClaim(HEAD);
  proofs.ask();
  proofs.setClaim(SET);
  assert.equal(proofs.isWanted, false);
  proofs.ask();
  proofs.setClaim(HEAD);
  proofs.ask();
  await running[0]?.end(UNPROVEN);
  await running[1]?.end(UNPROVEN);
  assert.deepEqual(
    running.map(({ claim }) => claim.kind),
    ['head', 'validators', 'head'],
  );
  await running[2]?.end(CHECKED);
  assert.deepEqual(told, ['checking', 'checking', 'checking', 'checked']);
});

test('without a claim nothing is proven', () => {
  const { proofs, running } = scripted();
  proofs.ask();
  proofs.setClaim(undefined);
  proofs.ask();
  assert.equal(running.length, 0);
});
