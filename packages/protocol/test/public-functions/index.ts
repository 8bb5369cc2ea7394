/** Every check of the public functions. */
import type { PublicCheck, Svc } from './check.ts';
import { keyChecks } from './keys.ts';
import { payloadChecks } from './payloads.ts';
import { textChecks } from './text.ts';

export const PUBLIC_CHECKS: readonly PublicCheck[] = [
  ...textChecks,
  ...keyChecks,
  ...payloadChecks,
];

export interface CheckResult {
  readonly functions: string;
  readonly facts: readonly string[];
  readonly error?: string;
}

/** Runs every check with a module that has been initialised. */
export function runPublicChecks(svc: Svc): CheckResult[] {
  return PUBLIC_CHECKS.map((check) => {
    const functions = check.functions.join(', ');
    try {
      return { functions, facts: check.run(svc) };
    } catch (error) {
      return { functions, facts: [], error: String(error) };
    }
  });
}
