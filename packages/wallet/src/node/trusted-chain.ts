/**
 * The validators that the wallet trusts. The set of the first node is taken on its word, like the chain it serves; from
 * then on cuts count only with the signatures of validators that follow from that set, whatever the node says.
 *
 * Trust that has ended because the wallet was off for a trusting period is begun anew at the next start, never while the
 * wallet runs. On a development network everybody knows the validators' keys and its clock jumps: each cut is taken with
 * the set that the node names.
 */
import type { Clock, Log } from 'svc-base/pure';
import { ClientError, LightClient, type LightClientRoutes, trustCut } from 'svc-client';
import { type CertifiedCut, certifyCut, type Network, SvcError } from 'svc-wasm';
import { fromHex, NETWORKS } from 'svc-wasm/base';
import { WalletError } from '../base/wallet-error.ts';
import type { Meta } from '../state/database.ts';

/** Trust is carried on this many times in an interval. */
const RENEWALS_PER_INTERVAL = 8;

export interface TrustedChainPorts {
  readonly client: LightClientRoutes;
  readonly network: Network;
  readonly meta: Meta;
  readonly clock: Clock;
  readonly log: Log;
}

export class TrustedChain {
  readonly #ports: TrustedChainPorts;
  #light: LightClient | undefined;

  constructor(ports: TrustedChainPorts) {
    this.#ports = ports;
  }

  /** Carries trust on to a height, now and then. What goes wrong is told in the log and tried again. */
  async keepUp(height: number): Promise<void> {
    const { log, network } = this.#ports;
    if (height < 1 || network === 'development') return;
    const least = Number(NETWORKS[network].intervalCuts) / RENEWALS_PER_INTERVAL;
    if (this.#light !== undefined && height < this.#light.trustedHeight + least) return;
    try {
      await this.certify(height);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.warn({ error: error.message, height }, 'the validators of a cut are not trusted');
    }
  }

  /** The cut of a height with the signatures of trusted validators; throws if there are none. */
  async certify(height: number): Promise<CertifiedCut> {
    const { client, meta, network } = this.#ports;
    const chainId = meta.get('chain_id');
    if (chainId === undefined) throw new SvcError('not_trusted', 'the chain is not known yet');
    if (network === 'development') return await certifyByItsOwnSet(client, chainId, height);
    this.#light ??= this.#stored() ?? (await this.#trustNode(chainId, height));
    const cut = await this.#light.certify(height);
    meta.set('trusted_validators', this.#light.trusted);
    return cut;
  }

  /** The trust of an earlier start, unless it has ended. */
  #stored(): LightClient | undefined {
    const { client, clock, meta } = this.#ports;
    const trusted = meta.get('trusted_validators');
    if (trusted === undefined) return undefined;
    const light = new LightClient({ client, trusted, now: () => clock.now() });
    return light.isExpired ? undefined : light;
  }

  async #trustNode(chainId: string, height: number): Promise<LightClient> {
    const { client, clock, log, network } = this.#ports;
    const trusted = await trustCut(client, network, chainId, height);
    log.warn({ height }, 'the validators of the chain are trusted on the word of the node');
    return new LightClient({ client, trusted, now: () => clock.now() });
  }
}

async function certifyByItsOwnSet(
  client: LightClientRoutes,
  chainId: string,
  height: number,
): Promise<CertifiedCut> {
  const { header_hex, certificate_hex } = await client.cutCertificate({ height });
  const { validator_set_hex } = await client.cutValidators({ height });
  const [header, certificate, set] = [header_hex, certificate_hex, validator_set_hex].map((hex) =>
    fromHex(hex),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  return certifyCut(header, certificate, set, fromHex(chainId));
}

/** Whether an error is one of the node, or says that its answer is not believed. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof SvcError || error instanceof ClientError || error instanceof WalletError;
}
