/**
 * All mutants.
 */
import { CLAIM_MUTANTS } from './claim-mutants.ts';
import { EVIDENCE_MUTANTS } from './evidence-mutants.ts';
import { KEY_MUTANTS } from './key-mutants.ts';
import { MACHINE_MUTANTS } from './machine-mutants.ts';
import type { Mutant } from './mutant.ts';
import { SHELL_MUTANTS } from './shell-mutants.ts';
import { WORK_MUTANTS } from './work-mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  ...MACHINE_MUTANTS,
  ...SHELL_MUTANTS,
  ...KEY_MUTANTS,
  ...EVIDENCE_MUTANTS,
  ...WORK_MUTANTS,
  ...CLAIM_MUTANTS,
];
