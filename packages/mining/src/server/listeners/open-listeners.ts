/**
 * All listeners of one server of miners: plain, with TLS, and for web pages.
 */
import type { Bind, Listening } from 'svc-base/node';
import type { Accept } from '../transport.ts';
import { type Certificate, listenTcp, listenTls } from './socket-listener.ts';
import { listenWebSocket } from './web-socket-listener.ts';

export interface ListenersOptions {
  readonly listen: readonly Bind[];
  readonly listenTls: readonly Bind[];
  /** Has to be there where something listens with TLS. */
  readonly certificate?: Certificate;
  readonly listenWs: readonly Bind[];
  /** Web pages that may mine. */
  readonly origins: readonly string[];
}

export interface Listeners {
  readonly tcp: readonly Listening[];
  readonly tls: readonly Listening[];
  readonly ws: readonly Listening[];
}

/** What was opened is in `opened` even if a later listener fails. */
export async function openListeners(
  accept: Accept,
  options: ListenersOptions,
  opened: Listening[],
): Promise<Listeners> {
  const open = async (
    binds: readonly Bind[],
    listen: (bind: Bind) => Promise<Listening>,
  ): Promise<Listening[]> => {
    const listenings: Listening[] = [];
    for (const bind of binds) {
      const listening = await listen(bind);
      opened.push(listening);
      listenings.push(listening);
    }
    return listenings;
  };
  const { certificate, origins } = options;
  return {
    tcp: await open(options.listen, (bind) => listenTcp(bind, accept)),
    tls: await open(options.listenTls, (bind) =>
      listenTls(bind, certificate as Certificate, accept),
    ),
    ws: await open(options.listenWs, (bind) => listenWebSocket({ bind, origins }, accept)),
  };
}

export function listeningText({ host, port }: Listening): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
