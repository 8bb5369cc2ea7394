/**
 * A handler of a socket on which the node alone speaks.
 */
import type { ConnectionHandler, Outlet } from './connection.ts';
import { jsonFrame } from './frames.ts';

export class ListeningHandler implements ConnectionHandler {
  readonly #refuse: (frame: Buffer) => void;

  constructor(connection: Outlet) {
    this.#refuse = (frame) => connection.reply(frame);
  }

  text(): void {
    const data = { code: 'unexpected_frame', message: 'this socket takes no frames' };
    this.#refuse(jsonFrame({ type: 'error', data }));
  }

  room(): void {}

  closed(): void {}
}
