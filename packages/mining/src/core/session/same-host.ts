/**
 * Whether a server may redirect its miners to an address: only to another port of the host they chose. Otherwise one
 * intercepted connection would divert the miner's work for good.
 */
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})$/;

export function isSameHost(address: string, host: string): boolean {
  const [, named, port] = ADDRESS.exec(address) ?? [];
  if (named === undefined || Number(port) < 1 || Number(port) > 0xffff) return false;
  return bare(named) === bare(host);
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}
