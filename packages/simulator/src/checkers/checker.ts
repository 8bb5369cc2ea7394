/**
 * An invariant watched while a world runs. Checkers see the truth (who signed what, what is wrong
 * with a cut), which nodes do not; they report through `world.fail` and change nothing.
 */
import type { Application } from '../node/application.ts';
import type { Node } from '../node/node.ts';
import type { Seen, Surroundings } from '../world/surroundings.ts';

/** What a checker sees of the world. */
export type WatchedWorld = Surroundings<Node, Application>;

type Hook<Name extends keyof Seen> = (world: WatchedWorld, node: Node, ...seen: Seen[Name]) => void;

export type Checker = { readonly [Name in keyof Seen]?: Hook<Name> } & {
  /** Whether what has to happen in the end has happened. */
  readonly isSettled?: (world: WatchedWorld) => boolean;
  readonly atEnd?: (world: WatchedWorld) => void;
};

/** The hooks of all checkers, by name: a world calls only those that exist. */
export type Watch = { readonly [Name in keyof Seen]: readonly Hook<Name>[] };

export function watchOf(
  checkers: readonly Checker[],
  { byzantine, turnMs }: WatchedWorld['plan'],
): Watch {
  const hooksOf = <Name extends keyof Seen>(name: Name, isOn = true): Hook<Name>[] =>
    isOn ? checkers.flatMap((checker) => (checker[name] as Hook<Name> | undefined) ?? []) : [];
  return {
    onSigned: hooksOf('onSigned'),
    onDecision: hooksOf('onDecision'),
    onConflict: hooksOf('onConflict'),
    onStep: hooksOf('onStep'),
    onReceived: hooksOf('onReceived', turnMs > 0),
    onHeard: hooksOf('onHeard', byzantine.size > 0),
    onChecked: hooksOf('onChecked'),
    onEffect: hooksOf('onEffect', byzantine.size > 0),
    onSync: hooksOf('onSync'),
    onLoss: hooksOf('onLoss'),
  };
}

/** What a checker keeps of the running process of each node; a restart begins anew. */
export function perLife<T>(make: () => T): (node: Node) => T {
  const all = new Map<Node, { readonly life: number; readonly kept: T }>();
  return (node) => {
    const known = all.get(node);
    if (known?.life === node.life) return known.kept;
    const kept = make();
    all.set(node, { life: node.life, kept });
    return kept;
  };
}
