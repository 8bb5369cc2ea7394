/**
 * The body inside a package. A package names no manifest, so taking it apart checks the body under
 * the widest rules and whatever chain it is bound to; a manifest is asked for before anything is
 * shown to a person or signed.
 */
import { ID_BYTES } from '../../assembly/transaction/layout.ts';
import { SvcError } from '../base/svc-error.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { createManifest } from '../manifest/manifest.ts';
import { manifestBlock } from '../manifest/manifest-block.ts';
import { defaultRules } from '../manifest/rules.ts';
import { decodeBody } from '../transaction/decode.ts';
import type { TransactionTable } from '../transaction/table.ts';

const PATH = 'package.body';
const CHAIN_ID_AT = 1;
const RULES_ID_AT = CHAIN_ID_AT + ID_BYTES + 4;

/** A manifest of the chain and rules that the body itself names, with the widest limits. */
function ownManifest(body: Uint8Array): Manifest {
  const padded = new Uint8Array(RULES_ID_AT + ID_BYTES);
  padded.set(body.subarray(0, padded.length));
  const chainId = padded.subarray(CHAIN_ID_AT, CHAIN_ID_AT + ID_BYTES);
  const block = manifestBlock(chainId, padded.subarray(RULES_ID_AT), defaultRules('mainnet'));
  return { ...createManifest('mainnet', chainId), block };
}

/** Decodes the body of a package; with a manifest, one bound to anything else is refused. */
export function decodePackageBody(body: Uint8Array, manifest?: Manifest): TransactionTable {
  const table = decodeBody(body, manifest ?? ownManifest(body), PATH);
  if (table.operation === 0) return table;
  throw new SvcError('bad_package', 'a body with an operation cannot be in a package', {
    path: PATH,
  });
}
