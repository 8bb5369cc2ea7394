/**
 * One message of every type, with and without what is optional.
 */
import type { Message } from '../src/core/wire/messages.ts';

const bytes = (length: number, byte: number) => new Uint8Array(length).fill(byte);

export const SAMPLE_MESSAGES: readonly Message[] = [
  { type: 'subscribe', id: 1, agent: 'svc-miner/0.1.0', tag: 'rig 7', protocol: 'svc-mining-v1' },
  { type: 'subscribe', id: 1, agent: 'svc-miner/0.1.0', resume: bytes(16, 3) },
  {
    type: 'subscribed',
    id: 1,
    session: bytes(16, 3),
    noncePrefix: new Uint8Array([0, 0, 1, 2]),
    network: 'development',
    chainId: bytes(48, 4),
    pow: {
      cacheItems: 4_093,
      datasetPages: 131_071,
      period: 7,
      seed: bytes(32, 5),
      nextSeed: bytes(32, 6),
    },
    poolAddress: 'dsvc1pool',
    protocolVersions: ['svc-mining-v1', 'svc-mining-v2'],
    isResumed: true,
  },
  { type: 'authorize', id: 2, username: 'dsvc1address.worker', password: 'x' },
  { type: 'authorized', id: 2, accepted: true, address: 'dsvc1address', worker: 'worker' },
  {
    type: 'notify',
    job: 0x01020304,
    header: bytes(312, 8),
    blockTarget: bytes(32, 9),
    shareTarget: bytes(32, 10),
    height: 34_600,
    anchorHeight: 34_560,
    expiresHeight: 34_656,
    period: 7,
    isClean: true,
  },
  // Frames carry the miner's part of a nonce alone, so a nonce of twenty bytes is what they decode to.
  { type: 'submit', id: 3, job: 0x01020304, nonce: bytes(24, 11) },
  { type: 'submitted', id: 3, accepted: true },
  { type: 'submitted', id: 4, accepted: true, block: 'accepted' },
  { type: 'submitted', id: 5, accepted: true, block: 'refused', blockReason: 'wrong_target' },
  { type: 'refused', id: 6, code: 22, message: 'The nonce was submitted before.' },
  { type: 'refused', code: 29, message: 'The message breaks the protocol.' },
  { type: 'setTarget', shareTarget: bytes(32, 12), isNow: false },
  { type: 'period', period: 8, seed: bytes(32, 13), startsHeight: 1_036_800 },
  { type: 'show', text: 'the node is restarting' },
  { type: 'reconnect', address: 'mine.example.org:28780' },
];
