/**
 * How a host listens and whom it lets in. Everything has a default but the folder.
 */
export interface HostLimits {
  /** Connections that others opened. */
  readonly inboundMax: number;
  /** Connections that this node keeps open by itself. */
  readonly outboundTarget: number;
  /** Connections in either direction from one range of addresses: IPv4 /24, IPv6 /48. */
  readonly perRangeMax: number;
  /** Connections that one address may open within a second. */
  readonly inboundPerSecond: number;
}

export interface HostOptions {
  /** Where the key and the peer book are kept. */
  readonly directory: string;
  readonly listenHosts: readonly string[];
  /** 0 takes any free port. */
  readonly port: number;
  /**
   * The development network: peers may announce private and loopback addresses, and these do not count as one range.
   */
  readonly allowPrivateAddresses: boolean;
  readonly limits: HostLimits;
  /** Name and version, as sent to peers. */
  readonly agent: string;
  /** Asks the router for an open port, and peers whether it is open. Off on loopback. */
  readonly mapPort: boolean;
  /**
   * Listens for QUIC too, and may dial it, where its binary exists for this machine. Its key exchange is not a
   * post-quantum hybrid, as that of TCP is.
   */
  readonly quic: boolean;
  /** Lends this node's open port to peers without one. */
  readonly serveRelay: boolean;
}

export const P2P_PORT = 28_700;

export const HOST_LIMITS: HostLimits = {
  inboundMax: 64,
  outboundTarget: 8,
  perRangeMax: 4,
  inboundPerSecond: 5,
};

export const HOST_DEFAULTS: Omit<HostOptions, 'directory'> = {
  listenHosts: ['0.0.0.0', '::'],
  port: P2P_PORT,
  allowPrivateAddresses: false,
  limits: HOST_LIMITS,
  agent: 'svcd',
  mapPort: false,
  quic: false,
  serveRelay: false,
};
