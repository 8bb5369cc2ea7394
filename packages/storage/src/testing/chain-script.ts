/**
 * A chain as a list of what was committed, for suites that feed it to different stores.
 */
import type { GenesisResult } from 'svc-ledger';
import type { CutCommit } from '../commit/cut-commit.ts';

export interface ChainScript {
  readonly genesis: GenesisResult;
  readonly commits: readonly CutCommit[];
}
