/**
 * A peer that is nobody's friend dials a node: under a name of its own, from an address that may be banned, and without the
 * handshake that the simulation does not have.
 */
import type { Connection, SocketAddress, Stream } from 'svc-network/peering';
import type { FullNode } from '../full-node.ts';
import type { Hello } from './node-peers.ts';
import { connect, VirtualHost, type Wires } from './virtual-host.ts';

export interface Stranger {
  readonly name: string;
  /** Undefined for one that comes from somewhere else each time. */
  readonly address?: SocketAddress;
  /** What it says instead of what the node says itself. */
  readonly claims?: Partial<Hello>;
  /** Answers a stream that the node opens; a stream of another protocol finds nobody. */
  readonly answers?: Readonly<Record<string, (stream: Stream) => void>>;
}

/** The stranger's end of the connection; undefined if the node is down or lets nobody in from there. */
export function dial(stranger: Stranger, node: FullNode, wires: Wires): Connection | undefined {
  const { name, address, claims, answers = {} } = stranger;
  const { peers } = node;
  if (!node.isUp || peers === undefined) return undefined;
  if (address !== undefined && peers.bans.isHostBanned(address.host)) return undefined;
  const host = new VirtualHost(name);
  for (const [protocol, answer] of Object.entries(answers)) host.handle(protocol, answer);
  const [outbound, inbound] = connect(host, peers.host, wires);
  peers.join(inbound, { ...peers.hello, ...claims }, address);
  return outbound;
}
