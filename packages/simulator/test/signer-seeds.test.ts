/**
 * A remote signer and the nodes that ask it, seed by seed; and rules broken on purpose, each of which must be found out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Signer } from 'svc-consensus/machine';
import { init } from 'svc-wasm';
import { SIGNER_RULES, type SignerRules } from '../src/signer/signer-process.ts';
import { drawSignerPlan, SignerWorld } from '../src/signer/signer-world.ts';

const SEEDS = 40;
const HUNT_SEEDS = 20;

await init();

async function runSeed(seed: number, rules?: SignerRules): Promise<SignerWorld> {
  const world = new SignerWorld(drawSignerPlan(seed), rules);
  await world.run();
  return world;
}

test(`${SEEDS} seeds of a signer: one signature for each position, and standbys take over`, async (t) => {
  const totals = { signatures: 0, refusals: 0, takeOvers: 0, signerCrashes: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const world = await runSeed(seed);
    assert.equal(world.failure, undefined, `seed ${seed}: ${JSON.stringify(world.failure)}`);
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += world[name];
  }
  t.diagnostic(JSON.stringify(totals));
  assert.ok(totals.takeOvers > SEEDS && totals.signerCrashes > SEEDS && totals.refusals > SEEDS);
});

test('the same seed of a signer gives the same digest, another seed another one', async () => {
  const digests: string[] = [];
  for (const seed of [3, 3, 4]) digests.push((await runSeed(seed)).digest.toString());
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

/** What each mutant breaks, and the checker that finds it. */
const MUTANTS: Readonly<Record<string, { rules: Partial<SignerRules>; checker: RegExp }>> = {
  'the record is renamed and its folder not synced': {
    rules: {
      storageOf: (file) => ({
        read: () => file.read(),
        writeTemporary: (bytes) => file.writeTemporary(bytes),
        syncTemporary: () => file.syncTemporary(),
        renameTemporary: () => file.renameTemporary(),
        syncDirectory: () => {},
      }),
    },
    checker: /^recordFirst$/,
  },
  'the record is not asked before a signature': {
    rules: { signerOf: signsAnything },
    checker: /^(singleSignature|recordFirst)$/,
  },
  'a lease does not end with the silence of its holder': {
    rules: { clockOf: (clock) => ({ ...clock, after: () => () => {} }) },
    checker: /^lease$/,
  },
};

function signsAnything(signer: Signer): Signer {
  return new Proxy(signer, {
    get: (target, name) => {
      if (name === 'sign')
        return () => ({ type: 'signed', signature: new Uint8Array(3_309).fill(4) });
      const found = Reflect.get(target, name, target);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

for (const [name, { rules, checker }] of Object.entries(MUTANTS))
  test(`control: ${name}`, async () => {
    for (let seed = 1; seed <= HUNT_SEEDS; seed++) {
      const { failure } = await runSeed(seed, { ...SIGNER_RULES, ...rules });
      if (failure === undefined) continue;
      assert.match(failure.checker, checker);
      return;
    }
    assert.fail('no seed has found it');
  });
