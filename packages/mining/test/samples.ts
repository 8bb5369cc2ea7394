/**
 * Messages for tests: arbitrary ones of every type, and the parts of a network that sessions are given.
 */
import fc from 'fast-check';
import { type Message, type Miner, PROTOCOLS, type Subscribed } from 'svc-mining';
import { encodeAddress, type Network } from 'svc-wasm/base';

export const NETWORK: Network = 'development';
export const CHAIN_ID: Uint8Array = new Uint8Array(48).fill(7);
export const POW: Subscribed['pow'] = {
  cacheItems: 4_093,
  datasetPages: 131_071,
  period: 3,
  seed: new Uint8Array(32).fill(1),
  nextSeed: new Uint8Array(32).fill(2),
};

export function addressOf(number: number, network: Network = NETWORK): string {
  const bytes = new Uint8Array(49);
  new DataView(bytes.buffer).setUint32(1, number);
  return encodeAddress(bytes, network);
}

export function minerOf(number: number, worker = 'rig'): Miner {
  return { address: addressOf(number), worker };
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const id = fc.integer({ min: 0, max: 0xffff_ffff });
const job = id;
const count = fc.maxSafeNat();
const ascii = (most: number) =>
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((c) => String.fromCharCode(c)),
    maxLength: most,
  });
const isPresent = { requiredKeys: [] as [] };

function record<T>(
  model: { [K in keyof T]: fc.Arbitrary<T[K]> },
  options: { requiredKeys?: [] } = {},
): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true, ...options }) as fc.Arbitrary<T>;
}

const subscribe = record({ id, agent: ascii(64) }).chain((base) =>
  record({ tag: ascii(64), protocol: ascii(64), resume: bytes(16) }, isPresent).map((rest) => ({
    type: 'subscribe' as const,
    ...base,
    ...rest,
  })),
);
const authorize = record({ id, username: ascii(123) }).chain((base) =>
  record({ password: ascii(64) }, isPresent).map((rest) => ({
    type: 'authorize' as const,
    ...base,
    ...rest,
  })),
);
const pow = record({
  cacheItems: count,
  datasetPages: count,
  period: count,
  seed: bytes(32),
  nextSeed: bytes(32),
});
const subscribed = record({
  id,
  session: bytes(16),
  noncePrefix: bytes(4),
  network: fc.constantFrom('mainnet', 'testnet', 'testnet100', 'development'),
  chainId: bytes(48),
  pow,
  protocolVersions: fc.subarray([...PROTOCOLS]),
  isResumed: fc.boolean(),
}).chain((base) =>
  record({ poolAddress: ascii(90) }, isPresent).map((rest) => ({
    type: 'subscribed' as const,
    ...base,
    ...rest,
  })),
);
const submitted = record({ id, accepted: fc.boolean() }).chain((base) =>
  record(
    {
      block: fc.constantFrom('accepted', 'known', 'late', 'used', 'refused', 'unknown'),
      blockReason: ascii(256),
    },
    isPresent,
  ).map((rest) => ({ type: 'submitted' as const, ...base, ...rest })),
);
const refused = record({ code: fc.integer({ min: 0, max: 0xffff }), message: ascii(256) }).chain(
  (base) =>
    record({ id }, isPresent).map((rest) => ({ type: 'refused' as const, ...base, ...rest })),
);

/** Any message that an encoder of this release can make. */
export const anyMessage = fc.oneof(
  subscribe,
  authorize,
  record({ type: fc.constant('submit'), id, job, nonce: bytes(24) }),
  subscribed,
  record({
    type: fc.constant('authorized'),
    id,
    accepted: fc.boolean(),
    address: ascii(90),
    worker: ascii(32),
  }),
  submitted,
  refused,
  record({
    type: fc.constant('notify'),
    job,
    header: bytes(312),
    blockTarget: bytes(32),
    shareTarget: bytes(32),
    height: count,
    anchorHeight: count,
    expiresHeight: count,
    period: count,
    isClean: fc.boolean(),
  }),
  record({ type: fc.constant('setTarget'), shareTarget: bytes(32), isNow: fc.boolean() }),
  record({ type: fc.constant('period'), period: count, seed: bytes(32), startsHeight: count }),
  record({ type: fc.constant('show'), text: ascii(256) }),
  record({ type: fc.constant('reconnect'), address: ascii(256) }),
) as fc.Arbitrary<Message>;
