/**
 * A connection to a mining server over WebSocket, in Node and in browsers.
 */
import type { ServerUrl } from './server-url.ts';
import { type Transport, type TransportEvents, toldOnce } from './transport.ts';

export function openWebSocket(
  { href }: ServerUrl,
  { onOpen, onBytes, onEnd }: TransportEvents,
): Transport {
  const socket = new WebSocket(href, 'svc-mining-v1');
  const end = toldOnce(onEnd);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  socket.addEventListener('open', onOpen);
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') onBytes(encoder.encode(`${data}\n`));
    else socket.close();
  });
  socket.addEventListener('error', () => end('the WebSocket could not be opened or broke'));
  socket.addEventListener('close', ({ code }) => end(`the server closed the WebSocket (${code})`));
  return {
    // One line is one text message, without its line feed.
    send: (bytes) => socket.send(decoder.decode(bytes).trimEnd()),
    close: () => socket.close(),
  };
}
