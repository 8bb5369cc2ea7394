import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { ChainScript, GENESIS_TIME } from '../../test/testing/script.ts';
import type { NetworkApplication } from '../application.ts';
import { VerifiedHeaders } from './verified-headers.ts';

await init();

test('headers are proven by a certificate of the set that signs them, and never by that of a later set', () => {
  const script = new ChainScript({ seed: 'ranges', epochCuts: 2 }).grow(3);
  const { manifest } = script;
  const [first, second] = [script.committee(1).set, script.committee(3).set];
  const application = {
    manifest,
    tip: { height: 0, cutId: toHex(manifest.chainId) },
    tipTimeMillis: GENESIS_TIME,
    nextValidatorSet: () => ({ id: toHex(first.id) }),
  } as unknown as NetworkApplication;
  const rangeOf = (from: number, to: number) => {
    const cuts = script.cuts.slice(from - 1, to);
    const certificate = cuts.at(-1)?.certificate ?? assert.fail('no cut');
    return { headers: cuts.map(({ header }) => header), certificate };
  };
  const headers = new VerifiedHeaders(application, () => {});
  for (const set of [first, second])
    assert.throws(() => headers.add(rangeOf(1, 3), set), { name: 'PeerFault' });
  assert.equal(headers.height, 0);
  headers.add(rangeOf(1, 2), first);
  headers.add(rangeOf(3, 3), second);
  assert.equal(headers.height, 3);
});
