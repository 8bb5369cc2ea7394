/**
 * The overlay of a node's validator: `svc-network`'s links, with the node's chain and signature checks behind
 * what is passed on for others.
 */
import type {
  OverlayListener,
  OverlayMember,
  ValidatorOverlay,
  VoteChecks,
} from 'svc-consensus/shell';
import { Overlay, type OverlayOptions } from 'svc-network';
import { fromHex } from 'svc-wasm/base';
import type { ChainCore } from '../chain/chain-core.ts';

export interface OverlayNetworkOptions
  extends Omit<OverlayOptions, 'application' | 'chainId' | 'allowPrivateAddresses'> {
  readonly chain: Pick<ChainCore, 'wire' | 'next' | 'chainId' | 'genesis'>;
  readonly checks: Pick<VoteChecks, 'verify'>;
}

type RoundOf = () => number | null;

export class OverlayNetwork implements ValidatorOverlay {
  readonly #overlay: Overlay;
  readonly #round: { of: RoundOf };

  static async open(options: OverlayNetworkOptions): Promise<OverlayNetwork> {
    const { chain, checks, ...rest } = options;
    const round: { of: RoundOf } = { of: () => null };
    const overlay = await Overlay.open({
      ...rest,
      chainId: fromHex(chain.chainId),
      allowPrivateAddresses: chain.genesis.network === 'development',
      application: {
        wire: chain.wire,
        position: () => ({ height: chain.next.height, round: round.of() }),
        verify: async (messages) => await checks.verify(messages),
      },
    });
    return new OverlayNetwork(overlay, round);
  }

  private constructor(overlay: Overlay, round: { of: RoundOf }) {
    this.#overlay = overlay;
    this.#round = round;
  }

  /** The round that the own machine is in; messages of rounds far ahead are then not passed on. */
  useRound(of: RoundOf): void {
    this.#round.of = of;
  }

  async start(): Promise<void> {
    await this.#overlay.start();
  }

  async close(): Promise<void> {
    await this.#overlay.close();
  }

  get ports(): readonly number[] {
    return this.#overlay.ports;
  }

  get traffic(): { readonly receivedBytes: number; readonly sentBytes: number } {
    const { receivedBytes, sentBytes } = this.#overlay.traffic;
    return { receivedBytes, sentBytes };
  }

  neighbours(): readonly string[] {
    return this.#overlay.neighbours();
  }

  broadcast(message: Uint8Array): void {
    this.#overlay.broadcast(message);
  }

  send(validatorId: string, message: Uint8Array): void {
    this.#overlay.send(validatorId, message);
  }

  listen(listener: OverlayListener): void {
    this.#overlay.listen(listener);
  }

  setCommittee(members: readonly OverlayMember[]): void {
    this.#overlay.setCommittee(members);
  }
}
