/**
 * The hello of a peer, as bytes: `version u16 | chain id | protocol version u32 | rules id | height u64 | cut id |
 * storage mode u8 | headers from u64 | blocks from u64 | listening port u16 | agent counted`.
 */
import { fromHex, Reader, SvcError, toHex, Writer } from 'svc-wasm/base';
import type { ChainIdentity, ChainTip, Holdings, StorageMode } from '../application.ts';

export interface Hello {
  readonly identity: ChainIdentity;
  readonly tip: ChainTip;
  readonly holdings: Holdings;
  /** 0 if the peer does not listen. */
  readonly listeningPort: number;
  /** Visible characters only. */
  readonly agent: string;
}

export const GOODBYE_REASONS = ['other_chain', 'duplicate', 'full', 'closing'] as const;
export type GoodbyeReason = (typeof GOODBYE_REASONS)[number];

const VERSION = 1;
const ID_BYTES = 48;
const AGENT_BYTES_MAX = 64;
const AGENT = /^[\x21-\x7e]{0,64}$/;
/** A byte order mark is a character like any other, and not a visible one. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const MODES: readonly StorageMode[] = ['archive', 'full', 'pruned'];

export const HELLO_BYTES_MAX: number = 2 + 3 * ID_BYTES + 4 + 3 * 8 + 1 + 2 + 1 + AGENT_BYTES_MAX;

export function encodeHello(hello: Hello): Uint8Array {
  const { identity, tip, holdings, listeningPort, agent } = hello;
  return new Writer(HELLO_BYTES_MAX)
    .u16(VERSION)
    .raw(fromHex(identity.chainId, 'chainId', ID_BYTES))
    .u32(identity.protocolVersion)
    .raw(fromHex(identity.rulesId, 'rulesId', ID_BYTES))
    .u64(BigInt(tip.height))
    .raw(fromHex(tip.cutId, 'cutId', ID_BYTES))
    .u8(MODES.indexOf(holdings.mode))
    .u64(BigInt(holdings.headersFrom))
    .u64(BigInt(holdings.blocksFrom))
    .u16(listeningPort)
    .counted(new TextEncoder().encode(expectAgent(agent)))
    .finish();
}

export function decodeHello(bytes: Uint8Array, path = 'hello'): Hello {
  const reader = new Reader(bytes, path);
  const version = reader.u16();
  if (version !== VERSION) {
    const message = `expected version ${VERSION}, found ${version}`;
    throw new SvcError('unsupported_version', message, { path });
  }
  const chainId = toHex(reader.raw(ID_BYTES));
  const protocolVersion = reader.u32();
  const rulesId = toHex(reader.raw(ID_BYTES));
  const height = readHeight(reader, `${path}.height`);
  const cutId = toHex(reader.raw(ID_BYTES));
  const mode = MODES[reader.u8()];
  if (mode === undefined) throw new SvcError('out_of_range', 'no such storage mode', { path });
  const headersFrom = readHeight(reader, `${path}.headersFrom`);
  const blocksFrom = readHeight(reader, `${path}.blocksFrom`);
  const listeningPort = reader.u16();
  const agent = expectAgent(DECODER.decode(reader.counted(AGENT_BYTES_MAX)));
  reader.end();
  return {
    identity: { chainId, protocolVersion, rulesId },
    tip: { height, cutId },
    holdings: { mode, headersFrom, blocksFrom },
    listeningPort,
    agent,
  };
}

export function encodeGoodbye(reason: GoodbyeReason): Uint8Array {
  return Uint8Array.of(GOODBYE_REASONS.indexOf(reason));
}

export function decodeGoodbye(bytes: Uint8Array, path = 'goodbye'): GoodbyeReason {
  const reader = new Reader(bytes, path);
  const reason = GOODBYE_REASONS[reader.u8()];
  reader.end();
  if (reason !== undefined) return reason;
  throw new SvcError('out_of_range', 'no such reason', { path });
}

/** A height that fits into a safe integer. */
export function readHeight(reader: Reader, path: string): number {
  const height = reader.u64();
  if (height <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(height);
  const message = `expected at most ${Number.MAX_SAFE_INTEGER}, found ${height}`;
  throw new SvcError('out_of_range', message, { path });
}

function expectAgent(agent: string): string {
  if (AGENT.test(agent)) return agent;
  throw new SvcError('bad_text', 'expected up to 64 visible characters', { path: 'agent' });
}
