/**
 * The manifest: which chain, which protocol version, which rules; `docs/protocol.md` 2. A manifest
 * whose `rules_id` is not the hash of its own rules is refused, so a service cannot lower a limit
 * or raise a fee unseen.
 */
import { equalBytes, expectBytes, toHex } from '../base/bytes.ts';
import { Fields, parseDecimal, U32_MAX } from '../base/fields.ts';
import { kindOf } from '../base/kind-of.ts';
import type { Network } from '../base/networks.ts';
import { expectNetwork } from '../base/networks.ts';
import { ID_BYTES } from '../base/sizes.ts';
import { SvcError } from '../base/svc-error.ts';
import { manifestBlock } from './manifest-block.ts';
import type { Rules } from './rules.ts';
import { defaultRules, PROTOCOL_VERSION, ruleRanges, rulesId } from './rules.ts';

const API_VERSION = 1;

const RULE_NAMES = [
  'max_transaction_bytes',
  'max_inputs',
  'max_outputs',
  'max_payload_bytes',
  'max_validity_cuts',
  'mass_per_signature',
  'mass_per_output',
  'min_fee_per_mass',
] as const satisfies readonly (keyof Rules)[];

const FIELD_NAMES = [
  'api_version',
  'network',
  'chain_id',
  'protocol_version',
  'rules_id',
  ...RULE_NAMES,
];

/** The manifest as a JSON document. */
export type ManifestDocument = {
  readonly api_version: 1;
  readonly network: Network;
  readonly chain_id: string;
  readonly protocol_version: string;
  readonly rules_id: string;
} & { readonly [Name in keyof Rules]: string };

/** A manifest that has been checked. */
export interface Manifest {
  readonly network: Network;
  readonly chainId: Uint8Array;
  readonly rulesId: Uint8Array;
  readonly rules: Rules;
  /** What the kernel reads. */
  readonly block: Uint8Array;
  /** The one canonical JSON text. */
  readonly json: string;
}

function makeManifest(network: Network, chainId: Uint8Array, rules: Rules): Manifest {
  const id = rulesId(network, rules);
  const document = {
    api_version: API_VERSION,
    network,
    chain_id: toHex(chainId),
    protocol_version: String(PROTOCOL_VERSION),
    rules_id: toHex(id),
    ...Object.fromEntries(RULE_NAMES.map((name) => [name, String(rules[name])])),
  };
  const block = manifestBlock(chainId, id, rules);
  return { network, chainId, rulesId: id, rules, block, json: JSON.stringify(document) };
}

function readRules(fields: Fields, network: Network): Rules {
  const ranges = ruleRanges(network);
  const entries = RULE_NAMES.map((name): [string, bigint] => [
    name,
    fields.decimal(name, ranges[name]),
  ]);
  return Object.fromEntries(entries) as unknown as Rules;
}

function expectVersions(fields: Fields): void {
  const apiVersion = fields.value('api_version');
  if (typeof apiVersion !== 'number') {
    throw new SvcError('bad_type', `expected a number, found ${kindOf(apiVersion)}`, {
      path: fields.at('api_version'),
    });
  }
  if (apiVersion !== API_VERSION) {
    throw new SvcError('unsupported_version', `expected ${API_VERSION}, found ${apiVersion}`, {
      path: fields.at('api_version'),
    });
  }
  const version = fields.decimal('protocol_version', { max: U32_MAX });
  if (version !== BigInt(PROTOCOL_VERSION)) {
    throw new SvcError('unsupported_version', `expected ${PROTOCOL_VERSION}, found ${version}`, {
      path: fields.at('protocol_version'),
    });
  }
}

function readManifest(text: string): Manifest {
  const fields = Fields.parse(text, 'manifest', FIELD_NAMES);
  expectVersions(fields);
  const network = expectNetwork(fields.value('network'), fields.at('network'));
  const chainId = fields.hex('chain_id', ID_BYTES);
  const named = fields.hex('rules_id', ID_BYTES);
  const manifest = makeManifest(network, chainId, readRules(fields, network));
  if (!equalBytes(named, manifest.rulesId)) {
    const expected = toHex(manifest.rulesId);
    throw new SvcError('wrong_rules', `expected ${expected}, the hash of the rules`, {
      path: fields.at('rules_id'),
    });
  }
  return manifest;
}

let lastText: string | undefined;
let lastManifest: Manifest | undefined;

/** Checks a manifest. The last one is remembered, since callers pass the same text every time. */
export function parseManifest(text: string): Manifest {
  if (lastManifest !== undefined && text === lastText) return lastManifest;
  const manifest = readManifest(text);
  lastText = text;
  lastManifest = manifest;
  return manifest;
}

/** Checks a manifest and returns its canonical JSON. */
export function validateManifest(manifestJson: string): string {
  return parseManifest(manifestJson).json;
}

/** Makes the manifest of a chain; `rules` overrides the network's own within their bounds. */
export function createManifest(
  network: Network,
  chainId: Uint8Array,
  rules: Partial<Rules> = {},
): Manifest {
  const known = expectNetwork(network, 'network');
  const id = Uint8Array.from(expectBytes(chainId, 'chain_id', ID_BYTES));
  const all = { ...defaultRules(known), ...rules };
  const ranges = ruleRanges(known);
  for (const name of RULE_NAMES) parseDecimal(String(all[name]), name, ranges[name]);
  return makeManifest(known, id, all);
}
