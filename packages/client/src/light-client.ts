/**
 * Follows the validators of a chain from a cut that is trusted, and certifies cuts with them, so that what a node
 * answers can be proven instead of believed. The node is asked for headers, certificates and sets; none of them is
 * taken without signatures of validators that are trusted already. `docs/protocol.md` 8.5.
 */
import {
  advanceValidatorSet,
  type CertifiedCut,
  certifyEarlierCuts,
  type Network,
  SvcError,
} from 'svc-wasm';
import { equalBytes, fromHex, NETWORKS, toHex, trustingPeriodMillis } from 'svc-wasm/base';
import {
  advanceOverRecovery,
  advanceWithinEpoch,
  type ChainRecovery,
  certifyCutOfSet,
  decodeValidatorSet,
  type TrustedSet,
  type ValidatorSet,
} from 'svc-wasm/protocol';
import { readRecoveries } from './recoveries.ts';
import type { RouteCalls } from './routes/route-types.ts';
import { readTrustedSet, writeTrustedSet } from './trusted-sets.ts';

/** A trusting period has five intervals; a network that runs faster than its pace has more. */
const STEPS_MAX = 256;

/** The calls of a client that a light client needs. */
export type LightClientRoutes = Pick<RouteCalls, 'cutCertificate' | 'cutValidators' | 'proofsCuts'>;

/** What a light client asks, and the cut that it trusts. */
export interface LightClientOptions {
  readonly client: LightClientRoutes;
  /** The document of `docs/protocol.md` 8.5: what `trustCut` returned, or `trusted` at an earlier time. */
  readonly trusted: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /**
   * The texts of recovery files that are followed. Where the validators of a chain were replaced by one, nothing leads over
   * that cut without it.
   */
  readonly recoveries?: readonly string[];
}

/**
 * Trusts the cut of a height without a proof, as the node reports it. Everything that is certified later rests on it, so it is
 * done once, with a node or a cut id that is known to be right. The last cut of an epoch is of no use here, because it is
 * another set that signs after it.
 */
export async function trustCut(
  client: LightClientRoutes,
  network: Network,
  chainId: string,
  height: number,
): Promise<string> {
  const proof = await proofOf(client, height);
  const encodedSet = await setOf(client, height);
  const set = decodeValidatorSet(encodedSet);
  const cut = certifyCutOfSet(proof.header, proof.certificate, set, fromHex(chainId));
  if (cut.nextValidatorSetId !== cut.validatorSetId) {
    throw new SvcError('not_trusted', 'the last cut of an epoch cannot be trusted; take another');
  }
  return writeTrustedSet({
    network,
    chainId: fromHex(chainId),
    height: cut.height,
    time: cut.time,
    cutId: fromHex(cut.cutId),
    encodedSet,
    set,
  });
}

/** Certifies cuts one by one from a trusted one. `LightWallet` uses it and keeps its trust. */
export class LightClient {
  readonly #client: LightClientRoutes;
  readonly #now: () => number;
  readonly #recoveries: readonly ChainRecovery[];
  #trusted: TrustedSet;
  /** The same as JSON, made at the first request. */
  #json: string | undefined;
  /** What was certified last, and the highest cut that was certified by signatures. */
  #latest: CertifiedCut | undefined;
  #highest: SignedCut | undefined;

  constructor({ client, trusted, now, recoveries = [] }: LightClientOptions) {
    this.#client = client;
    this.#recoveries = readRecoveries(recoveries);
    this.#now = now;
    this.#json = trusted;
    this.#trusted = readTrustedSet(trusted);
  }

  /** What is trusted now, to be kept for the next start. */
  get trusted(): string {
    this.#json ??= writeTrustedSet(this.#trusted);
    return this.#json;
  }

  get trustedHeight(): number {
    return Number(this.#trusted.height);
  }

  /** The id of the cut of that height. */
  get trustedCutId(): string {
    return toHex(this.#trusted.cutId);
  }

  /** The highest cut that was certified by its own signatures since the start; undefined before the first. */
  get signedCut(): SignedCut | undefined {
    return this.#highest;
  }

  /** Whether nothing was certified for a trusting period, so that a cut has to be trusted again. */
  get isExpired(): boolean {
    const { network, time } = this.#trusted;
    return BigInt(this.#now()) >= time + trustingPeriodMillis(network);
  }

  /**
   * The cut of a height, certified: by signatures, or for one of an earlier epoch by its place in the history that the highest
   * certified cut names. Throws the module's `trust_expired` when trust has ended, and what the node answers if
   * it has no such cut. Trust stays before the last cut of an epoch until the cut after it is asked for, because the node
   * need not know the next set earlier.
   */
  async certify(height: number): Promise<CertifiedCut> {
    if (this.isExpired) {
      throw new SvcError('trust_expired', 'nothing was certified for a trusting period');
    }
    if (this.#latest?.height === BigInt(height)) return this.#latest;
    this.#latest =
      height <= this.#epochEnd(this.trustedHeight) - this.#interval
        ? await this.#certifyOld(height)
        : (await this.#certifySigned(height)).cut;
    return this.#latest;
  }

  async #certifySigned(height: number): Promise<SignedCut> {
    if (height > this.trustedHeight) await this.#follow(height);
    const { chainId, set, encodedSet } = this.#trusted;
    const proof = await proofOf(this.#client, height);
    const cut = this.#explained(height, () =>
      certifyCutOfSet(proof.header, proof.certificate, set, chainId),
    );
    if (cut.height !== BigInt(height)) {
      throw new SvcError('not_trusted', `asked for cut ${height}, found ${cut.height}`);
    }
    const isWithinEpoch = this.#epochEnd(height) !== height;
    if (height > this.trustedHeight && isWithinEpoch) {
      this.#trusted = advanceWithinEpoch(this.#trusted, cut, BigInt(this.#now()));
      this.#json = undefined;
    }
    const signed = { ...proof, cut, set, encodedSet };
    if (this.#highest === undefined || this.#highest.cut.height < cut.height)
      this.#highest = signed;
    return signed;
  }

  /** A cut of an earlier epoch was signed by a set that is not known: a path leads to it from a cut that is. */
  async #certifyOld(height: number): Promise<CertifiedCut> {
    if (this.#highest === undefined) await this.#certifySigned(this.trustedHeight);
    const { cuts } = await this.certifyEarlier([height]);
    return cuts[0] as CertifiedCut;
  }

  /**
   * Cuts before the highest one that was certified by signatures, at most 64, heights ascending: the path leads from it to
   * them, and no signature is checked again.
   */
  async certifyEarlier(heights: readonly number[]): Promise<EarlierPath> {
    const from = this.#highest?.cut;
    if (from === undefined) throw new SvcError('not_trusted', 'no cut has been certified yet');
    const { cuts: shown, proof_hex } = await this.#client.proofsCuts({
      height: Number(from.height),
      heights: [...heights],
    });
    const headers = shown.map(({ header_hex = '' }) => fromHex(header_hex));
    const path = fromHex(proof_hex);
    const cuts = certifyEarlierCuts(from, headers, path);
    const found = cuts.map(({ height }) => Number(height));
    if (found.join() !== heights.join())
      throw new SvcError('not_trusted', `asked for cut ${heights.join()}, found ${found.join()}`);
    return { cuts, headers, path };
  }

  /** Steps over recoveries and the ends of epochs up to the set that signs at a height. */
  async #follow(height: number): Promise<void> {
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      const last = this.#epochEnd(this.trustedHeight + 1);
      const recovery = this.#recoveryWithin(Math.min(last, height - 1));
      if (recovery !== undefined) await this.#passOver(recovery);
      else if (last >= height) return;
      else {
        const proof = await proofOf(this.#client, last);
        const next = await setOf(this.#client, last + 1);
        this.#explained(last + 1, () => this.#advance(proof, next));
      }
    }
    throw new SvcError('not_trusted', `${STEPS_MAX} epochs do not lead to cut ${height}`);
  }

  get #interval(): number {
    return Number(NETWORKS[this.#trusted.network].intervalCuts);
  }

  #epochEnd(height: number): number {
    return Math.ceil(height / this.#interval) * this.#interval;
  }

  /** The first recovery after the trusted cut, or of it, up to a height. */
  #recoveryWithin(last: number): ChainRecovery | undefined {
    const { height, set } = this.#trusted;
    const isAhead = (recovery: ChainRecovery): boolean =>
      BigInt(recovery.height) >= height &&
      recovery.height <= last &&
      !equalBytes(recovery.set.id, set.id);
    return this.#recoveries.find(isAhead);
  }

  async #passOver(recovery: ChainRecovery): Promise<void> {
    const at = recovery.height;
    let trusted = this.#trusted;
    if (at > this.trustedHeight) {
      const { height, time, cutId } = await this.certify(at);
      trusted = { ...this.#trusted, height, time, cutId: fromHex(cutId) };
    }
    this.#trusted = advanceOverRecovery(trusted, recovery, {
      isEpochEnd: this.#epochEnd(at) === at,
    });
    this.#json = undefined;
  }

  /** Adds a possible reason to the error about a set that does not follow. */
  #explained<T>(height: number, check: () => T): T {
    try {
      return check();
    } catch (error) {
      const code = 'wrong_validator_set';
      const isForeign = error instanceof SvcError && error.code === code;
      if (!isForeign || height <= this.trustedHeight) throw error;
      const message = `other validators signed cut ${height} than follow from cut ${this.trustedHeight}; if the network continued with a recovery, give its file here too`;
      throw new SvcError(code, message);
    }
  }

  #advance({ header, certificate }: CutProof, next: Uint8Array): void {
    const now = String(this.#now());
    this.#json = advanceValidatorSet(this.trusted, header, certificate, next, now);
    this.#trusted = readTrustedSet(this.#json);
  }
}

interface CutProof {
  readonly header: Uint8Array;
  readonly certificate: Uint8Array;
}

/** A cut that was certified by its own signatures, with everything that they were checked with. */
export interface SignedCut extends CutProof {
  readonly cut: CertifiedCut;
  readonly set: ValidatorSet;
  /** The set as it is hashed. */
  readonly encodedSet: Uint8Array;
}

/** Cuts before a certified one, with their headers and the path that leads to them. */
export interface EarlierPath {
  readonly cuts: readonly CertifiedCut[];
  readonly headers: readonly Uint8Array[];
  readonly path: Uint8Array;
}

async function proofOf(client: LightClientRoutes, height: number): Promise<CutProof> {
  const { header_hex, certificate_hex } = await client.cutCertificate({ height });
  return { header: fromHex(header_hex), certificate: fromHex(certificate_hex) };
}

async function setOf(client: LightClientRoutes, height: number): Promise<Uint8Array> {
  const { validator_set_hex } = await client.cutValidators({ height });
  return fromHex(validator_set_hex);
}
