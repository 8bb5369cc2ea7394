/**
 * A protocol with one rule broken on purpose. The simulator must notice; if it does not, the
 * simulator is not good enough.
 */
import type { Guards } from 'svc-consensus/machine';
import type { Protocol } from '../world/protocol.ts';
import { PROTOCOL } from '../world/protocol.ts';

export interface Mutant {
  readonly name: string;
  readonly breaks: string;
  readonly protocol: Protocol;
}

export function mutant(name: string, breaks: string, change: Partial<Protocol>): Mutant {
  return { name, breaks, protocol: { ...PROTOCOL, ...change } };
}

export function guardMutant(name: string, breaks: string, change: Partial<Guards>): Mutant {
  const { rules } = PROTOCOL;
  return mutant(name, breaks, { rules: { ...rules, guards: { ...rules.guards, ...change } } });
}
