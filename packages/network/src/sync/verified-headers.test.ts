import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import { ChainScript, GENESIS_TIME } from '../../test/testing/script.ts';
import type { NetworkApplication } from '../application.ts';
import { readHeader, VerifiedHeaders } from './verified-headers.ts';

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

test('after the cut of a recovery the set that it names signs, and headers of another set are left out', () => {
  const script = new ChainScript({ seed: 'recovered', epochCuts: 2 }).grow(3);
  const [first, second] = [script.committee(1).set, script.committee(3).set];
  const [one, two] = script.cuts;
  assert.ok(one !== undefined && two !== undefined);
  const application = {
    manifest: script.manifest,
    tip: { height: 0, cutId: toHex(script.manifest.chainId) },
    tipTimeMillis: GENESIS_TIME,
    nextValidatorSet: () => ({ id: toHex(first.id) }),
    recoveredSet: (id: string) =>
      id === readHeader(one.header).cutId ? { id: toHex(second.id) } : undefined,
  } as unknown as NetworkApplication;
  const unknown: number[] = [];
  const headers = new VerifiedHeaders(application, (height) => unknown.push(height));
  const add = ({ header, certificate }: typeof one) =>
    headers.add({ headers: [header], certificate }, first);
  assert.equal(add(one), true);
  assert.equal(headers.nextSetId, toHex(second.id));
  assert.equal(add(two), false);
  assert.deepEqual([headers.height, unknown], [1, [2]]);
});
