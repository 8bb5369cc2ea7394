import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf } from 'svc-ledger';
import {
  checkCertificate,
  decodeCertificate,
  decodeValidatorSet,
  encodeValidatorSet,
} from 'svc-wasm/protocol';
import { ChainFixture } from './chain-fixture.ts';

test('the fixture makes a chain whose payments execute, whose rewards are paid and whose certificates hold', async () => {
  const chain = await ChainFixture.create({ validators: 2 });
  const wire = await chain.pay(0, chain.address(1), 5_000n);
  await chain.cut([chain.mine([wire])]);
  const executed = await chain.cut();
  assert.deepEqual(
    executed.result.events.outcomes.map(({ kind, reason }) => [kind, reason]),
    [['finalized', '']],
  );
  await chain.runTo(100);
  const rewards = chain.cuts.flatMap(({ result }) => result.events.rewards);
  assert.equal(rewards.length, 1);
  const { members } = chain.epoch;
  const encoded = encodeValidatorSet(
    members.map(({ validatorId, publicKey, stake }) => ({
      id: bytesOf(validatorId),
      publicKey,
      stake,
    })),
  );
  const last = chain.cuts.at(-1);
  assert.ok(last?.certificate);
  const set = decodeValidatorSet(encoded);
  const signed = checkCertificate(decodeCertificate(last.certificate), set, bytesOf(chain.chainId));
  assert.equal(signed, set.totalStake);
  await chain.close();
});
