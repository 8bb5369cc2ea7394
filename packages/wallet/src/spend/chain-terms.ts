/**
 * What the wallet knows about the chain it pays on: the checked manifest and how far the chain is final.
 */
import { type Manifest, type Network, validateManifest } from 'svc-wasm';

export interface ChainTerms {
  /** The canonical text that every transaction call takes. */
  readonly manifest: string;
  readonly network: Network;
  readonly chainId: string;
  readonly minFeePerMass: bigint;
  readonly inputsMax: number;
  readonly outputsMax: number;
  readonly validityCutsMax: number;
}

export function termsOf(manifestJson: string): ChainTerms {
  const manifest = validateManifest(manifestJson);
  const document = JSON.parse(manifest) as Manifest;
  return {
    manifest,
    network: document.network,
    chainId: document.chain_id,
    minFeePerMass: BigInt(document.min_fee_per_mass),
    inputsMax: Number(document.max_inputs),
    outputsMax: Number(document.max_outputs),
    validityCutsMax: Number(document.max_validity_cuts),
  };
}
