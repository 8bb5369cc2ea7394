/**
 * Whether the Host of a request names this listener. A page can have its own name point to this machine (DNS
 * rebinding) and then read what is there, and it sends that name as Host: a listener on loopback answers to addresses
 * and `localhost` alone. One that listens beyond loopback is public and answers to any name.
 */
import { isIP } from 'node:net';

const HOST = /^(\[[^\]]+\]|[^:]+)(?::[0-9]{1,5})?$/;

/** `listensOn` is the address that the listener is bound to. A request without the header comes from no browser. */
export function namesListener(header: string | undefined, listensOn: string): boolean {
  if (header === undefined || !isLoopback(listensOn)) return true;
  const name = HOST.exec(header.toLowerCase())?.[1] ?? '';
  return name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

function isLoopback(host: string): boolean {
  const plain = host.toLowerCase().replace(/^::ffff:/, '');
  return (
    plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
  );
}
