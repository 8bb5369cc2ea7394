/**
 * Validator sets: the signers of cuts, with key and stake; `docs/protocol.md` 8.4. The
 * kernel decodes and checks them; here they are written and their members taken out.
 */
import {
  MEMBER_BYTES,
  MEMBER_ID,
  MEMBER_KEY,
  MEMBER_STAKE,
  SET_BYTES_MAX,
  SET_ID,
  SET_MEMBERS,
  SET_SIZE,
  SET_TOTAL_STAKE,
} from '../../assembly/cut/layout.ts';
import { compareBytes, copyBytes, expectBytes } from '../base/bytes.ts';
import { LABELS } from '../base/labels.ts';
import { ID_BYTES, PUBLIC_KEY_BYTES } from '../base/sizes.ts';
import { Writer } from '../base/writer.ts';
import { kernel } from '../kernel/current.ts';
import { hashLabel } from '../kernel/hash-label.ts';
import { kernelError } from '../kernel/kernel-errors.ts';
import { ATOMS_MAX } from '../text/amount.ts';
import { expectThat } from './check.ts';
import { placeBytes } from './kernel-input.ts';
import { VALIDATORS_MAX } from './limits.ts';

export interface Validator {
  readonly id: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly stake: bigint;
}

export interface ValidatorSet {
  readonly id: Uint8Array;
  /** The preimage of the set's id, in the form that the kernel reads. */
  readonly encoded: Uint8Array;
  readonly validators: readonly Validator[];
  readonly totalStake: bigint;
}

export function encodeValidatorSet(
  validators: readonly Validator[],
  path = 'validatorSet',
): Uint8Array {
  checkValidators(validators, path);
  const writer = new Writer(SET_MEMBERS + validators.length * MEMBER_BYTES).varint(
    validators.length,
  );
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
  const instance = kernel();
  const { bytes, view, input, output } = instance;
  const length = placeBytes(bytes, input, expectBytes(value, path), SET_BYTES_MAX);
  const error = instance.invoke((exports) => exports.validatorSetDecode(input, length));
  if (error !== 0) throw kernelError(error, instance.exports.cutFaultIndex(), path);
  const size = view.getUint32(output + SET_SIZE, true);
  return {
    id: copyBytes(bytes, output + SET_ID, ID_BYTES),
    encoded: copyBytes(bytes, input, length),
    validators: Array.from({ length: size }, (_, index) => {
      const at = input + SET_MEMBERS + index * MEMBER_BYTES;
      return {
        id: copyBytes(bytes, at + MEMBER_ID, ID_BYTES),
        publicKey: copyBytes(bytes, at + MEMBER_KEY, PUBLIC_KEY_BYTES),
        stake: view.getBigUint64(at + MEMBER_STAKE, true),
      };
    }),
    totalStake: view.getBigUint64(output + SET_TOTAL_STAKE, true),
  };
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

function checkValidators(validators: readonly Validator[], path: string): void {
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
}
