/**
 * A node without a chain as `svc-network` sees it: it has nothing, takes nothing and waits for nothing. It lasts while the
 * state of a cut is fetched.
 */
import type {
  ChainIdentity,
  ChainTip,
  Holdings,
  Installation,
  NetworkApplication,
  Reception,
  TransactionReception,
} from 'svc-network';
import { toHex } from 'svc-wasm/base';
import { type Manifest, PROTOCOL_VERSION, type ValidatorSet } from 'svc-wasm/protocol';

export class EmptyApplication implements NetworkApplication {
  readonly manifest: Manifest;
  readonly identity: ChainIdentity;
  readonly tip: ChainTip;
  readonly holdings: Holdings = { mode: 'pruned', headersFrom: 1, blocksFrom: 1 };
  readonly tipTimeMillis: number;
  readonly #set: ValidatorSet;

  /** With the set and time of the genesis. */
  constructor(manifest: Manifest, set: ValidatorSet, timeMillis: number) {
    const chainId = toHex(manifest.chainId);
    this.manifest = manifest;
    this.identity = {
      chainId,
      protocolVersion: PROTOCOL_VERSION,
      rulesId: toHex(manifest.rulesId),
    };
    this.tip = { height: 0, cutId: chainId };
    this.tipTimeMillis = timeMillis;
    this.#set = set;
  }

  nextValidatorSet(): { id: string; encoded: Uint8Array } {
    return { id: toHex(this.#set.id), encoded: this.#set.encoded };
  }

  pendingTransactions(): Iterable<string> {
    return [];
  }

  pendingBlocks(): Iterable<string> {
    return [];
  }

  hasTransaction(): boolean {
    return false;
  }

  transaction(): undefined {
    return undefined;
  }

  async submitTransaction(): Promise<TransactionReception> {
    return { reception: 'later' };
  }

  hasBlock(): boolean {
    return false;
  }

  async block(): Promise<undefined> {
    return undefined;
  }

  async submitBlock(): Promise<Reception> {
    return 'later';
  }

  async headers(): Promise<Uint8Array[]> {
    return [];
  }

  async cutBody(): Promise<undefined> {
    return undefined;
  }

  async certificate(): Promise<undefined> {
    return undefined;
  }

  async lastCertificate(): Promise<undefined> {
    return undefined;
  }

  cutIds(): undefined {
    return undefined;
  }

  async validatorSet(): Promise<undefined> {
    return undefined;
  }

  learnValidatorSet(): void {}

  async vouch(): Promise<boolean> {
    return false;
  }

  async install(): Promise<Installation> {
    return 'ahead';
  }

  onTransaction(): () => void {
    return () => {};
  }

  onBlock(): () => void {
    return () => {};
  }

  onCut(): () => void {
    return () => {};
  }
}
