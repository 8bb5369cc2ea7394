/**
 * A committee with overlays on loopback, and votes that its members really signed.
 */
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import {
  encodeMessage,
  height as heightOf,
  NO_ROUND,
  round as roundOf,
  signatureContext,
  signedBytesOf,
  Verifier,
  type WireContext,
} from 'svc-consensus/machine';
import { contextBytes, toHex } from 'svc-wasm/base';
import { type KeyPair, mlDsa65 } from 'svc-wasm/kernel';
import {
  decodeOverlayEndpoint,
  encodeOverlayEndpoint,
  openOverlayEndpoint,
} from '../../src/overlay/endpoint.ts';
import { Overlay, type OverlayOptions } from '../../src/overlay/overlay.ts';
import { ChainScript } from './script.ts';

export type Reach = 'routed' | 'unrouted' | 'relayed';

export interface Seat {
  readonly id: string;
  readonly index: number;
  readonly overlay: Overlay;
  readonly directory: string;
  endpoint: Uint8Array;
  readonly received: Received[];
}

interface Received {
  readonly from: string;
  readonly message: Uint8Array;
  /** The validator at the other end of the link that it came over, and what ends that link. */
  readonly via: string;
  readonly blame: (reason: string) => void;
}

/** A port of loopback without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Committee {
  readonly script: ChainScript;
  readonly seats: Seat[] = [];
  readonly wire: WireContext;
  readonly #verifier: Verifier;
  checks = 0;

  private constructor(seed: string, size: number) {
    this.script = new ChainScript({ seed, validators: size });
    const { set } = this.script.committee(1);
    const { chainId } = this.script.manifest;
    this.wire = { chainId, setIdAt: () => set.id };
    this.#verifier = new Verifier(chainId);
    this.#verifier.learnSet(set.encoded);
  }

  /** Validators in the order of their ids; those behind relays use the first two. */
  static async start(
    t: Pick<TestContext, 'after'>,
    seed: string,
    reaches: readonly Reach[],
    options: Partial<OverlayOptions> | ((before: readonly Seat[]) => Partial<OverlayOptions>) = {},
  ): Promise<Committee> {
    const committee = new Committee(seed, reaches.length);
    for (const [index, reach] of reaches.entries()) {
      const own = typeof options === 'function' ? options(committee.seats) : options;
      await committee.#seat(t, index, reach, own);
    }
    return committee;
  }

  async #seat(
    t: Pick<TestContext, 'after'>,
    index: number,
    reach: Reach,
    options: Partial<OverlayOptions>,
  ): Promise<void> {
    const { validators } = this.script.committee(1).set;
    const id = toHex(validators[index]?.id as Uint8Array);
    const directory = join(temporaryDirectory(), 'validator-overlay');
    const bare = await openOverlayEndpoint(directory, []);
    const overlay = await Overlay.open({
      directory,
      chainId: this.script.manifest.chainId,
      validatorId: id,
      listen: reach === 'routed' ? ['/ip4/127.0.0.1/tcp/0'] : [],
      allowPrivateAddresses: true,
      dialBackMillis: 1_000,
      ...(reach === 'relayed' ? { relays: this.seats.slice(0, 2).map((seat) => seat.id) } : {}),
      application: {
        wire: this.wire,
        position: () => ({ height: 1, round: 0 }),
        verify: (messages) => {
          this.checks += messages.length;
          return this.#verifier.verifyBatch(messages);
        },
      },
      ...options,
    });
    await overlay.start();
    t.after(() => overlay.close());
    const [port] = overlay.ports;
    const { keyHash } = decodeOverlayEndpoint(bare);
    const route = { host: '127.0.0.1', port: port ?? 0, tcp: true, quic: true };
    const endpoint = encodeOverlayEndpoint({ keyHash, routes: port === undefined ? [] : [route] });
    const seat: Seat = { id, index, overlay, directory, endpoint, received: [] };
    overlay.listen((from, message, { validatorId: via, blame }) =>
      seat.received.push({ from, message, via, blame }),
    );
    this.seats.push(seat);
  }

  /** Sends the list of members to all. */
  convene(): void {
    const members = this.seats.map(({ id, endpoint }) => ({ validatorId: id, endpoint }));
    for (const { overlay } of this.seats) overlay.setCommittee(members);
  }

  vote(index: number, round = 0, height = 1): Uint8Array {
    const unsigned = {
      kind: 'prevote',
      height: heightOf(height),
      round: roundOf(round),
      validRound: NO_ROUND,
      value: null,
      validatorIndex: index,
    } as const;
    const key = this.script.committee(1).keys[index] as KeyPair;
    const signature = mlDsa65.sign(key.secretKey, signedBytesOf(this.wire, unsigned), {
      context: contextBytes(signatureContext('prevote')),
    });
    return encodeMessage(this.wire, { ...unsigned, signature });
  }

  linkCounts(): number[] {
    return this.seats.map(({ overlay }) => overlay.neighbours().length);
  }
}
