/**
 * What peers can make a node do by asking: requests without an answer, and answers that no peer reads.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { toHex } from 'svc-wasm/base';
import type { StateSource } from '../src/application.ts';
import { encodeRangeRequest } from '../src/sync/state-bytes.ts';
import { encodeHeightRange, SYNC } from '../src/sync/sync-bytes.ts';
import { SYNC_PROTOCOL } from '../src/sync/sync-server.ts';
import { END } from '../src/wire/requests.ts';
import { startNetwork } from './testing/kit.ts';
import { MemoryApplication } from './testing/memory-application.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { ChainScript } from './testing/script.ts';

await init();

const script = new ChainScript({ seed: 'serving' }).grow(60);
const MANIFEST_ID = toHex(new Uint8Array(48).fill(7));

/** An application whose calls are counted, each by its name. */
function counted(application: MemoryApplication): {
  readonly application: MemoryApplication;
  readonly calls: string[];
} {
  const calls: string[] = [];
  const proxy = new Proxy(application, {
    get: (_, name) => {
      const found: unknown = Reflect.get(application, name, application);
      if (typeof found !== 'function') return found;
      return (...given: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(found, application, given);
      };
    },
  });
  return { application: proxy, calls };
}

const READS = new Set(['certificate', 'lastCertificate', 'headers']);

test('headers without a certificate cost a read or two, and not one for each height', async (t) => {
  const { application, calls } = counted(new MemoryApplication(script).adopt());
  for (const [at, cut] of application.cuts.entries())
    if (at < 50) application.cuts[at] = { ...cut, certificate: null };
  const network = await startNetwork(t, application);
  const raw = await RawPeer.create(t);
  await raw.join(network, application);
  const stream = await raw.open(SYNC_PROTOCOL);
  const answers = async (from: number, count: number): Promise<[number, number]> => {
    const [frames, before] = [stream.frames.length, calls.length];
    stream.send(SYNC.getHeaders, encodeHeightRange({ from, count }));
    await until(() => stream.frames.slice(frames).some(({ kind }) => kind === END), 'an answer');
    const reads = calls.slice(before).filter((name) => READS.has(name)).length;
    return [stream.frames.length - frames - 1, reads];
  };
  const [none, reads] = await answers(1, 50);
  assert.equal(none, 0);
  assert.ok(reads <= 2, `${reads} reads`);
  assert.deepEqual((await answers(1, 55))[0], 1, 'the certified part of a range is answered');
});

test('of one origin a few requests are in work at a time, however many streams it has reset', async (t) => {
  const held: PromiseWithResolvers<Uint8Array>[] = [];
  const states: StateSource = {
    offers: () => [{ height: 3, manifestId: MANIFEST_ID }],
    manifest: async () => undefined,
    range: () => {
      const range = Promise.withResolvers<Uint8Array>();
      held.push(range);
      return range.promise;
    },
  };
  const application = Object.assign(new MemoryApplication(script).adopt(), { states });
  const network = await startNetwork(t, application);
  const raw = await RawPeer.create(t);
  await raw.join(network, application);
  const request = encodeRangeRequest({ manifestId: MANIFEST_ID, index: 0 });
  for (let at = 0; at < 12; at++) {
    const stream = await raw.open(SYNC_PROTOCOL);
    stream.send(SYNC.getRange, request);
    await until(() => held.length >= Math.min(at + 1, 4), 'the range to be read');
    stream.stream.abort(new Error('not waited for'));
  }
  const honest = await RawPeer.create(t);
  await honest.join(network, application);
  const asked = await honest.open(SYNC_PROTOCOL);
  asked.send(SYNC.getHeaders, encodeHeightRange({ from: 1, count: 4 }));
  await until(() => asked.frames.some(({ kind }) => kind === END), 'another origin is answered');
  assert.equal(held.length, 4);
  const later = await raw.open(SYNC_PROTOCOL);
  later.send(SYNC.getRange, request);
  for (const range of held) range.resolve(new Uint8Array(100_000));
  await until(() => held.length === 5, 'the next request');
  held[4]?.resolve(new Uint8Array(1_000));
  await until(() => later.frames.some(({ kind }) => kind === END), 'the answer');
  assert.deepEqual(
    later.frames.map(({ kind, payload }) => [kind, payload.length]),
    [
      [SYNC.part, 1_000],
      [END, 0],
    ],
  );
});
