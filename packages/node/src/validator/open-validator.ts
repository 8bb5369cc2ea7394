/**
 * Opens what a validator has on disk and holds it against the chain, before anything is signed.
 */
import {
  decodeCommitCertificate,
  type HeightContext,
  height as heightOf,
  machineSet,
  type PreviousCommits,
  previousCommitsOf,
  type Recovery,
  type Rules,
  type Signer,
  startValidator,
} from 'svc-finality';
import { equalBytes, toHex } from 'svc-wasm/base';
import type { ValidatorSet } from 'svc-wasm/protocol';
import type { ChainCore } from '../chain/chain-core.ts';
import type { BlockPool } from '../ports/blocks.ts';
import { FileSignState } from './file-sign-state.ts';
import { HeightFiles } from './height-files.ts';
import { SocketKeyLock } from './key-lock.ts';
import { ValidatorStartError } from './start-error.ts';
import type { ValidatorKey } from './validator-key.ts';

/**
 * `existing`: there is a record of what the key signed. `new`: the operator starts one, and waits 48 cuts.
 * `first`: as `existing`, but a chain that has not begun needs no record, since the key cannot have signed.
 */
export type SignStateChoice = 'existing' | 'new' | 'first';

export interface OpenValidatorOptions {
  readonly chain: ChainCore;
  readonly blocks: Pick<BlockPool, 'get'>;
  readonly key: ValidatorKey;
  readonly directory: string;
  readonly signState: SignStateChoice;
  readonly rules: Rules;
}

export interface OpenedValidator {
  readonly files: HeightFiles;
  readonly signer: Signer;
  readonly signing: 'resumed' | 'silent';
  readonly recovered: Recovery | undefined;
}

export async function openValidator(options: OpenValidatorOptions): Promise<OpenedValidator> {
  const { chain, key, directory, rules, signState } = options;
  const lock = await SocketKeyLock.claim(key.id, chain.wire.chainId);
  const files = new HeightFiles(directory);
  try {
    const storage = new FileSignState(directory);
    const { height } = chain.head;
    const isFirst = signState === 'first' && height === 0 && storage.read() === undefined;
    const result = startValidator({
      ports: { storage, lock, key },
      options: {
        chainHeight: heightOf(height),
        newSignState: isFirst || signState === 'new',
        firstUse: isFirst,
      },
      wire: chain.wire,
      log: files.found,
      context: contextOf(chain, key),
      previous: previousOf(chain),
      holdsCut: (value) => isHeld(files, options.blocks, value),
      rules,
    });
    if (result.type === 'refused') throw new ValidatorStartError(result.reason, directory);
    files.resume(result.intactBytes, result.intactRecords);
    const { signer, signing, recovered } = result;
    return { files, signer, signing, recovered };
  } catch (error) {
    files.close();
    lock.release();
    throw error;
  }
}

/** A cut is held with its blocks or not at all. */
function isHeld(files: HeightFiles, blocks: Pick<BlockPool, 'get'>, value: string): boolean {
  const cut = files.foundCuts.find((found) => found.value === value);
  return cut?.content.blockIds.every((id) => blocks.get(toHex(id)) !== undefined) ?? false;
}

/** What the machine is told about the height after the head. */
export function contextOf(chain: ChainCore, key: ValidatorKey): HeightContext {
  const { height, set, proposers, startAtMs, validators } = chain.next;
  return { height, set, proposers, startAtMs, self: indexIn(validators, key) };
}

export function indexIn(set: ValidatorSet | undefined, key: ValidatorKey): number | undefined {
  const index = set?.validators.findIndex(({ publicKey }) => equalBytes(publicKey, key.publicKey));
  return index === undefined || index < 0 ? undefined : index;
}

/** What the chain's own certificate says about the cut before. */
export function previousOf(chain: ChainCore): PreviousCommits | undefined {
  const { headCertificate, head } = chain;
  const set = chain.setAt(head.height);
  if (headCertificate === null || set === undefined) return undefined;
  return previousCommitsOf(machineSet(set), decodeCommitCertificate(chain.wire, headCertificate));
}
