/**
 * The validators that the wallet trusts. They begin with a cut that the user named, never with the word of a node; from
 * then on cuts count only with the signatures of validators that follow from that set, whatever the node says.
 *
 * Trust that has ended because the wallet was off for a trusting period begins anew with a cut that is named at a later
 * start. On a development network the validators' keys are public and its clock jumps: each cut is taken with
 * the set that the node names.
 */
import { CUT_PROOFS_MAX } from 'svc-api';
import type { Clock, Log } from 'svc-base/pure';
import { ClientError, LightClient, type LightClientRoutes, trustCut } from 'svc-client';
import {
  type CertifiedCut,
  certifyCut,
  certifyEarlierCuts,
  type Network,
  SvcError,
} from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { parseTrustedSet } from 'svc-wasm/protocol';
import { WalletError } from '../errors.ts';
import type { Meta } from '../state/database.ts';
import { isNotKept } from './node-fault.ts';

/** A cut that the user knows to be right, from elsewhere than the node. */
export interface Checkpoint {
  readonly height: number;
  readonly cutId: string;
}

export interface TrustedChainPorts {
  readonly client: LightClientRoutes;
  readonly network: Network;
  readonly meta: Meta;
  readonly clock: Clock;
  readonly log: Log;
  /** What trust begins with; nothing is certified without. */
  readonly checkpoint?: Checkpoint | undefined;
  /** The texts of recovery files that are followed. */
  readonly recoveries?: readonly string[] | undefined;
}

export class TrustedChain {
  readonly #ports: TrustedChainPorts;
  /** Trust as far as the wallet has followed the chain. */
  #light: LightClient | undefined;
  /** The same trust, carried on to cuts that the wallet has not read yet. */
  #ahead: LightClient | undefined;
  #isCheckpointMet = false;

  constructor(ports: TrustedChainPorts) {
    this.#ports = ports;
  }

  /**
   * Carries trust on to the cut of a height, which is certified. Only the scan does so: trust that is ahead of it, in
   * another epoch, could not certify the cuts in between.
   */
  async follow(height: number): Promise<CertifiedCut> {
    const light = await this.#begun();
    if (light === null) return await this.#certifyByItsOwnSet(height);
    const cut = await light.certify(height);
    this.#ports.meta.set('trusted_validators', light.trusted);
    this.#ports.meta.remove('accepted_cut');
    this.#ahead = undefined;
    return cut;
  }

  /** The cut of a height with the signatures of trusted validators; throws if there are none. */
  async certify(height: number): Promise<CertifiedCut> {
    const light = await this.#begun();
    if (light === null) return await this.#certifyByItsOwnSet(height);
    if (height <= light.trustedHeight) return await light.certify(height);
    if (this.#ahead === undefined || this.#ahead.trustedHeight > height)
      this.#ahead = this.#lightFrom(light.trusted);
    return await this.#ahead.certify(height);
  }

  /** The cut of a height as the node shows it now, whatever was certified at that height before. */
  async certifyAnew(height: number): Promise<CertifiedCut> {
    const light = await this.#begun();
    if (light === null) return await this.#certifyByItsOwnSet(height);
    return await this.#lightFrom(light.trusted).certify(height);
  }

  /** Cuts before a certified one, which rest on its signatures; heights ascend. */
  async certifyBefore(cut: CertifiedCut, heights: readonly number[]): Promise<CertifiedCut[]> {
    const earlier: CertifiedCut[] = [];
    for (let at = 0; at < heights.length; at += CUT_PROOFS_MAX) {
      const some = heights.slice(at, at + CUT_PROOFS_MAX);
      const { client } = this.#ports;
      const { cuts, proof_hex } = await client.proofsCuts({
        height: Number(cut.height),
        heights: some,
      });
      const headers = cuts.map(({ header_hex = '' }) => fromHex(header_hex));
      const proven = certifyEarlierCuts(cut, headers, fromHex(proof_hex));
      if (
        proven.length !== some.length ||
        proven.some((each, i) => each.height !== BigInt(some[i] as number))
      )
        throw new SvcError('not_trusted', 'the node proves other cuts than were asked for');
      earlier.push(...proven);
    }
    return earlier;
  }

  /** Forgets everything that was trusted, for a cut of another history that the user has accepted. */
  beginAt(cut: Checkpoint): void {
    this.#light = undefined;
    this.#ahead = undefined;
    this.#ports.meta.remove('trusted_validators');
    this.#ports.meta.set('accepted_cut', JSON.stringify(cut));
  }

  /** Trust, begun if it is not yet; null on a development network, which has none. */
  async #begun(): Promise<LightClient | null> {
    const { network } = this.#ports;
    if (network === 'development') {
      await this.#meetCheckpoint();
      return null;
    }
    this.#light ??= this.#stored() ?? (await this.#trustAnew());
    return this.#light;
  }

  /** The trust of an earlier start, unless it has ended. */
  #stored(): LightClient | undefined {
    const trusted = this.#ports.meta.get('trusted_validators');
    if (trusted === undefined) return undefined;
    const light = this.#lightFrom(trusted);
    return light.isExpired ? undefined : light;
  }

  async #trustAnew(): Promise<LightClient> {
    const { client, log, meta, network } = this.#ports;
    const accepted = meta.get('accepted_cut');
    const checkpoint =
      accepted === undefined ? this.#ports.checkpoint : (JSON.parse(accepted) as Checkpoint);
    if (checkpoint === undefined) throw notBegun(meta.get('trusted_validators') !== undefined);
    const { height } = checkpoint;
    const trusted = await trustCut(client, network, this.#chainId, height).catch((error) => {
      if (!isNotKept(error)) throw error;
      const message = `the node has no certificate of cut ${height} any more: name a newer cut with --trust`;
      throw new SvcError('not_trusted', message);
    });
    expectCheckpoint(checkpoint, toHex(parseTrustedSet(trusted).cutId));
    log.info({ ...checkpoint }, 'trust in validators begins with this cut');
    return this.#lightFrom(trusted);
  }

  #lightFrom(trusted: string): LightClient {
    const { client, clock, recoveries = [] } = this.#ports;
    return new LightClient({ client, trusted, now: () => clock.now(), recoveries });
  }

  /** On a development network a checkpoint says which history is meant, and nothing of validators. */
  async #meetCheckpoint(): Promise<void> {
    const { checkpoint } = this.#ports;
    if (checkpoint === undefined || this.#isCheckpointMet) return;
    const { cutId } = await this.#certifyByItsOwnSet(checkpoint.height);
    expectCheckpoint(checkpoint, cutId);
    this.#isCheckpointMet = true;
  }

  async #certifyByItsOwnSet(height: number): Promise<CertifiedCut> {
    const { client } = this.#ports;
    const { header_hex, certificate_hex } = await client.cutCertificate({ height });
    const { validator_set_hex } = await client.cutValidators({ height });
    const [header, certificate, set] = [header_hex, certificate_hex, validator_set_hex].map((hex) =>
      fromHex(hex),
    ) as [Uint8Array, Uint8Array, Uint8Array];
    const cut = certifyCut(header, certificate, set, fromHex(this.#chainId));
    if (cut.height === BigInt(height)) return cut;
    throw new SvcError('not_trusted', `asked for cut ${height}, found ${cut.height}`);
  }

  get #chainId(): string {
    const chainId = this.#ports.meta.get('chain_id');
    if (chainId !== undefined) return chainId;
    throw new SvcError('not_trusted', 'the chain is not known yet');
  }
}

function notBegun(hasEnded: boolean): SvcError {
  const how = 'name a cut that you know to be right with --trust';
  return hasEnded
    ? new SvcError('trust_expired', `nothing was certified for a trusting period: ${how}`)
    : new SvcError('not_trusted', `no cut is trusted yet: ${how}`);
}

function expectCheckpoint({ cutId, height }: Checkpoint, found: string): void {
  if (found === cutId) return;
  throw new SvcError('not_trusted', `cut ${height} of the node is ${found}, not ${cutId}`);
}

/** Whether an error is one of the node, or says that its answer is not believed. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof SvcError || error instanceof ClientError || error instanceof WalletError;
}
