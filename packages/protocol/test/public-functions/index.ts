/** Every check of the public functions. */
import { authorizationChecks } from './authorization.ts';
import { bodyChecks } from './bodies.ts';
import type { Kernel, PublicCheck, Svc } from './check.ts';
import { keyChecks } from './keys.ts';
import { messengerChecks } from './messenger.ts';
import { multisigChecks } from './multisig.ts';
import { payloadChecks } from './payloads.ts';
import { proofChecks } from './proofs.ts';
import { serviceChecks } from './service.ts';
import { textChecks } from './text.ts';

export const PUBLIC_CHECKS: readonly PublicCheck[] = [
  ...bodyChecks,
  ...authorizationChecks,
  ...multisigChecks,
  ...textChecks,
  ...keyChecks,
  ...payloadChecks,
  ...messengerChecks,
  ...serviceChecks,
  ...proofChecks,
];

export interface CheckResult {
  readonly functions: string;
  readonly facts: readonly string[];
  readonly error?: string;
}

/** Runs every check with a module that has been initialised. */
export function runPublicChecks(svc: Svc, kernel: Kernel): CheckResult[] {
  return PUBLIC_CHECKS.map((check) => {
    const functions = check.functions.join(', ');
    try {
      return { functions, facts: check.run(svc, kernel) };
    } catch (error) {
      return { functions, facts: [], error: String(error) };
    }
  });
}
