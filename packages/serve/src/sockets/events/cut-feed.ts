/**
 * All clients of `/v1/events`, moved on by each finalized cut.
 */
import type { Clock } from 'svc-base/pure';
import type { Addresses } from '../../documents/addresses.ts';
import type { Connection } from '../connection/connection.ts';
import type { Fanout } from '../fanout/fanout.ts';
import type { SocketServices } from '../ports.ts';
import { CutFrames } from './cut-frames.ts';
import { CutStream } from './cut-stream.ts';
import { Replay } from './replay.ts';

export interface CutFeedPorts {
  readonly services: Pick<SocketServices, 'chain' | 'log'>;
  readonly clock: Clock;
  readonly addresses: Addresses;
  readonly fanout: Fanout;
  readonly isWithholding: () => boolean;
}

export class CutFeed {
  readonly #ports: CutFeedPorts;
  readonly #frames: CutFrames;
  readonly #replay: Replay;
  readonly #streams = new Set<CutStream>();
  readonly #stop: () => void;

  constructor(ports: CutFeedPorts) {
    const { chain } = ports.services;
    this.#ports = ports;
    this.#frames = new CutFrames(ports.addresses);
    this.#replay = new Replay(chain, this.#frames, ports.clock);
    this.#stop = chain.finalized.on((cut) => {
      if (this.#streams.size === 0) return;
      this.#frames.fromCommit(cut);
      this.advance();
    });
  }

  open(connection: Connection, afterHeight: number | undefined): CutStream {
    const { isWithholding, services } = this.#ports;
    const { chain, log } = services;
    const stream = new CutStream(connection, {
      chain,
      frames: this.#frames,
      replay: this.#replay,
      isWithholding,
      onClosed: () => void this.#streams.delete(stream),
      onFailed: (error) => {
        log.error({ error: String(error) }, 'a stream of cuts failed');
        connection.terminate();
      },
    });
    this.#streams.add(stream);
    stream.start(afterHeight);
    return stream;
  }

  advance(): void {
    this.#ports.fanout.publish(this.#streams, (stream) => stream.advance());
  }

  stop(): void {
    this.#stop();
  }
}
