/**
 * Manifests of section 2: one of each network, the extremes, and what is refused.
 */
import { fromHex } from '../../src/base/bytes.ts';
import type { Network } from '../../src/base/networks.ts';
import { NETWORKS } from '../../src/base/networks.ts';
import type { ManifestDocument } from '../../src/manifest/manifest.ts';
import { createManifest, validateManifest } from '../../src/manifest/manifest.ts';
import type { Rules } from '../../src/manifest/rules.ts';
import { refusedTexts } from './refused.ts';

const CHAIN_ID = fromHex('7c'.repeat(48));
const LEAST: Rules = {
  max_transaction_bytes: 1n,
  max_inputs: 1n,
  max_outputs: 1n,
  max_payload_bytes: 0n,
  max_validity_cuts: 1n,
  mass_per_signature: 0n,
  mass_per_output: 0n,
  min_fee_per_mass: 0n,
};
const DEAREST: Partial<Rules> = {
  mass_per_signature: 1_000_000n,
  mass_per_output: 1_000_000n,
  min_fee_per_mass: 1_000_000n,
};

function manifestOf(network: Network, rules: Partial<Rules> = {}): ManifestDocument {
  return JSON.parse(createManifest(network, CHAIN_ID, rules).json) as ManifestDocument;
}

function refused(): object[] {
  const good = manifestOf('development');
  const { rules_id: _, ...unbound } = good;
  const changed = (change: object): string => JSON.stringify({ ...good, ...change });
  return refusedTexts('manifest_json', validateManifest, {
    'a fee that the rules id does not commit': changed({ min_fee_per_mass: '11' }),
    'the rules of another network': changed({ network: 'testnet' }),
    'an unknown network': changed({ network: 'othernet' }),
    'a number in place of a decimal string': changed({ max_inputs: 8 }),
    'a leading zero': changed({ max_inputs: '08' }),
    'more inputs than the protocol allows': changed({ max_inputs: '9' }),
    'a window longer than an interval': changed({ max_validity_cuts: '121' }),
    'no window': changed({ max_validity_cuts: '0' }),
    'a price above a million': changed({ mass_per_output: '1000001' }),
    'another protocol version': changed({ protocol_version: '2' }),
    'another version of the interface': changed({ api_version: 2 }),
    'a field too many': changed({ comment: '' }),
    'a field too few': JSON.stringify(unbound),
    'a field twice': changed({}).replace('{', '{"api_version":1,'),
    'a chain id in upper case': changed({ chain_id: '7C'.repeat(48) }),
  });
}

export function manifestVectors(): object {
  const networks = Object.keys(NETWORKS) as Network[];
  return {
    note: 'Manifests of section 2 of docs/protocol.md with their rules id: the usual one of each network, the least and the dearest rules, and documents that must be refused.',
    manifests: [
      ...networks.map((network) => manifestOf(network)),
      manifestOf('development', LEAST),
      manifestOf('mainnet', DEAREST),
    ],
    refused: refused(),
  };
}
