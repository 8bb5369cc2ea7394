/**
 * Reads what a validator has on disk and compares it with the chain, before anything is signed.
 */
import {
  type HeightContext,
  height as heightOf,
  machineSet,
  type PreviousCommits,
  previousCommitsOf,
  type Recovery,
  type Signer,
  startFromLog,
  type UnsignedMessage,
} from 'svc-consensus/machine';
import { equalBytes, toHex } from 'svc-wasm/base';
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { SignStateChoice, ValidatorPorts, VotingKey } from '../options.ts';
import type { ValidatorBlocks } from '../ports/blocks.ts';
import type { ValidatorChain } from '../ports/chain.ts';
import type { HeightRecords } from '../ports/files.ts';
import { ValidatorStartError } from './start-error.ts';
import type { ValidatorRules } from './timing.ts';

export interface OpenValidatorOptions {
  readonly ports: Pick<ValidatorPorts, 'chain' | 'blocks' | 'key' | 'files' | 'faults'>;
  readonly signState: SignStateChoice;
  readonly rules: ValidatorRules;
  readonly signedBytes: (message: UnsignedMessage) => Uint8Array;
}

export interface OpenedValidator {
  /** The height in progress at the start. */
  readonly height: number;
  readonly records: HeightRecords;
  readonly signer: Signer;
  readonly signing: 'resumed' | 'silent';
  readonly recovered: Recovery | undefined;
}

/** Throws a `ValidatorStartError` with the next step for the operator; files and lock are released then. */
export function openValidator(options: OpenValidatorOptions): OpenedValidator {
  const { lock, records, evidence } = options.ports.files;
  try {
    return openFiles(options);
  } catch (error) {
    records.close();
    evidence.close();
    lock.release();
    throw error;
  }
}

function openFiles({
  ports,
  signState,
  rules,
  signedBytes,
}: OpenValidatorOptions): OpenedValidator {
  const { chain, blocks, key, files, faults } = ports;
  if (faults !== undefined && chain.network !== 'development')
    throw new Error('faults are for the development network');
  const { signState: storage, lock, records, place } = files;
  const { height } = chain.head;
  const hasNotSigned = signState === 'unused' || (signState === 'first' && height === 0);
  const isFirst = hasNotSigned && storage.read() === undefined;
  const result = startFromLog({
    ports: { storage, lock, key },
    options: {
      chainHeight: heightOf(height),
      newSignState: isFirst || signState === 'new',
      firstUse: isFirst,
    },
    log: records.foundLog,
    context: contextOf(chain, key),
    previous: previousOf(chain),
    holdsCut: (value) => isComplete(records, blocks, value),
    signedBytes,
    rules,
    recover: rules.recover,
  });
  if (result.type === 'refused') throw new ValidatorStartError(result.reason, place);
  records.resume(result.intactBytes, result.intactRecords);
  const { signer, signing, recovered } = result;
  // Made durable with the next signature, which is the first that relies on it.
  for (const value of recovered?.leftOut ?? [])
    records.append({
      type: 'verdict',
      height: contextOf(chain, key).height,
      value,
      verdict: 'unknown',
    });
  return { height: height + 1, records, signer, signing, recovered };
}

/** A cut counts as found only with all its blocks. */
function isComplete(records: HeightRecords, blocks: ValidatorBlocks, value: string): boolean {
  const cut = records.foundCuts.find((found) => found.value === value);
  return cut?.content.blockIds.every((id) => blocks.get(toHex(id)) !== undefined) ?? false;
}

/** The inputs of the machine for the height after the head. */
export function contextOf(chain: ValidatorChain, key: VotingKey): HeightContext {
  const { height, set, proposers, startAtMs, validators } = chain.next;
  return { height, set, proposers, startAtMs, self: indexIn(validators, key) };
}

export function indexIn(
  set: ValidatorSet | undefined,
  { publicKey }: Pick<VotingKey, 'publicKey'>,
): number | undefined {
  const index = set?.validators.findIndex((one) => equalBytes(one.publicKey, publicKey));
  return index === undefined || index < 0 ? undefined : index;
}

/** What the chain's own certificate says about the cut before. */
export function previousOf(chain: ValidatorChain): PreviousCommits | undefined {
  const { headCertificate, head } = chain;
  const set = chain.setAt(head.height);
  if (headCertificate === undefined || set === undefined) return undefined;
  return previousCommitsOf(machineSet(set), headCertificate);
}
