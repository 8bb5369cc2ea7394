/**
 * Validator sets: who may sign cuts, with which key and which stake; `docs/protocol.md` 8.4.
 */
import { compareBytes, expectBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { Reader } from '../base/reader.ts';
import { ID_BYTES, PUBLIC_KEY_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { ATOMS_MAX } from '../text/amount.ts';
import { expectThat } from './check.ts';
import { VALIDATORS_MAX } from './limits.ts';

const VALIDATOR_BYTES = ID_BYTES + PUBLIC_KEY_BYTES + 8;

export interface Validator {
  readonly id: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly stake: bigint;
}

export interface ValidatorSet {
  readonly id: Uint8Array;
  readonly validators: readonly Validator[];
  readonly totalStake: bigint;
}

export function encodeValidatorSet(
  validators: readonly Validator[],
  path = 'validatorSet',
): Uint8Array {
  checkValidators(validators, path);
  const writer = new Writer(2 + validators.length * VALIDATOR_BYTES).varint(validators.length);
  validators.forEach(({ id, publicKey, stake }, index) => {
    const at = `${path}[${index}]`;
    writer
      .raw(expectBytes(id, `${at}.id`, ID_BYTES))
      .raw(expectBytes(publicKey, `${at}.publicKey`, PUBLIC_KEY_BYTES))
      .u64(stake);
  });
  return writer.finish();
}

export function decodeValidatorSet(value: Uint8Array, path = 'validatorSet'): ValidatorSet {
  const bytes = expectBytes(value, path).slice();
  const reader = new Reader(bytes, path);
  const count = reader.varint();
  checkCount(count, path);
  const validators: Validator[] = [];
  for (let index = 0; index < count; index++) {
    validators.push({
      id: reader.raw(ID_BYTES),
      publicKey: reader.raw(PUBLIC_KEY_BYTES),
      stake: reader.u64(),
    });
  }
  reader.end();
  return { id: validatorSetId(bytes), validators, totalStake: checkValidators(validators, path) };
}

export function validatorSetId(encoded: Uint8Array): Uint8Array {
  return hashLabel(LABELS.validatorSet, encoded);
}

function checkCount(count: number, path: string): void {
  const holds = count >= 1 && count <= VALIDATORS_MAX;
  expectThat(
    holds,
    'out_of_range',
    `expected 1 to ${VALIDATORS_MAX} validators, found ${count}`,
    path,
  );
}

/** Checks the rules of a set and returns its whole stake. */
function checkValidators(validators: readonly Validator[], path: string): bigint {
  checkCount(validators.length, path);
  let total = 0n;
  let previous: Validator | undefined;
  for (const [index, validator] of validators.entries()) {
    const at = `${path}[${index}]`;
    const ascends = previous === undefined || compareBytes(previous.id, validator.id) < 0;
    expectThat(ascends, 'not_canonical', 'ids must be strictly ascending', `${at}.id`);
    expectThat(validator.stake > 0n, 'out_of_range', 'expected a stake above zero', `${at}.stake`);
    total += validator.stake;
    expectThat(total <= ATOMS_MAX, 'out_of_range', 'the stakes exceed the supply', `${at}.stake`);
    previous = validator;
  }
  return total;
}
