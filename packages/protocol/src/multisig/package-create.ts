/**
 * Makes packages without signatures from a descriptor, a body and what its inputs are worth.
 */
import { INPUTS_MAX } from '../../assembly/transaction/layout.ts';
import { expectBytes } from '../base/bytes.ts';
import { expectArray, parseDecimal, U64_MAX } from '../base/fields.ts';
import { parseJson } from '../base/json.ts';
import { SvcError } from '../base/svc-error.ts';
import { parseManifest } from '../manifest/manifest.ts';
import type { MultisigProfile } from '../transaction/profiles.ts';
import { parseMultisigDescriptor } from './descriptor.ts';
import { decodePackageBody } from './package-body.ts';
import { encodePackage, expectAmounts } from './package-codec.ts';
import { openTemplate } from './package-open.ts';
import type { SigningOptions } from './signing-options.ts';
import { expectFeeCovered } from './signing-options.ts';

const AMOUNTS_PATH = 'input_amounts';

function readAmounts(inputAmountsJson: string): bigint[] {
  const values = expectArray(parseJson(inputAmountsJson, AMOUNTS_PATH), AMOUNTS_PATH, INPUTS_MAX);
  const amounts = values.map((value, i) =>
    parseDecimal(value, `${AMOUNTS_PATH}[${i}]`, { max: U64_MAX }),
  );
  expectAmounts(amounts, AMOUNTS_PATH);
  return amounts;
}

function createPackage(
  profile: MultisigProfile,
  descriptorJson: string,
  body: Uint8Array,
  inputAmountsJson: string,
  manifestJson: string,
  options: SigningOptions | undefined,
): Uint8Array {
  const template = {
    profile,
    descriptor: parseMultisigDescriptor(descriptorJson),
    body: Uint8Array.from(expectBytes(body, 'body')),
    amounts: readAmounts(inputAmountsJson),
  };
  const table = decodePackageBody(template.body, parseManifest(manifestJson));
  const { inputCount } = table;
  if (template.amounts.length !== inputCount) {
    const found = `expected ${inputCount} amounts, found ${template.amounts.length}`;
    throw new SvcError('bad_length', found, { path: AMOUNTS_PATH });
  }
  expectFeeCovered(table, options, 'body');
  openTemplate(template, manifestJson, AMOUNTS_PATH);
  return encodePackage({ ...template, signatures: new Map() });
}

/**
 * Makes a package whose completed transaction shows the keys that sign. `inputAmountsJson` is a list
 * of atoms, one for each input of the body; all inputs are at the address of the descriptor. A body of several
 * inputs has to declare its fee.
 */
export function createMultisigPackage(
  descriptorJson: string,
  body: Uint8Array,
  inputAmountsJson: string,
  manifestJson: string,
  options?: SigningOptions,
): Uint8Array {
  return createPackage(
    'multisig_inline',
    descriptorJson,
    body,
    inputAmountsJson,
    manifestJson,
    options,
  );
}

/**
 * Makes a package whose completed transaction refers to keys that the chain's registry holds. The
 * caller has to check that a finalized cut holds them.
 */
export function createReferencedMultisigPackage(
  descriptorJson: string,
  body: Uint8Array,
  inputAmountsJson: string,
  manifestJson: string,
  options?: SigningOptions,
): Uint8Array {
  return createPackage(
    'multisig_referenced',
    descriptorJson,
    body,
    inputAmountsJson,
    manifestJson,
    options,
  );
}
