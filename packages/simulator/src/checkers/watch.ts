/**
 * The hooks of all checkers, by name: a world asks only those that look at what happens.
 */
import type { Checker } from './checker.ts';

type HookName = Exclude<keyof Checker, 'isSettled' | 'atEnd'>;

export type Watch = { readonly [Name in HookName]: readonly NonNullable<Checker[Name]>[] };

export function watchOf(checkers: readonly Checker[]): Watch {
  const hooksOf = <Name extends HookName>(name: Name): NonNullable<Checker[Name]>[] =>
    checkers.map((checker) => checker[name]).filter((hook) => hook !== undefined);
  return {
    onSigned: hooksOf('onSigned'),
    onDecision: hooksOf('onDecision'),
    onConflict: hooksOf('onConflict'),
    onStep: hooksOf('onStep'),
    onReceived: hooksOf('onReceived'),
    onHeard: hooksOf('onHeard'),
    onChecked: hooksOf('onChecked'),
    onEffect: hooksOf('onEffect'),
    onSync: hooksOf('onSync'),
    onLoss: hooksOf('onLoss'),
  };
}
