/**
 * Names on a pool's page that lead somewhere: miners to their screen, rounds to their document, and blocks, transactions and
 * addresses to an explorer, if the operator named one.
 */
import type { ComponentChildren, JSX } from 'preact';
import { href } from '../app/router.ts';
import { shownText } from '../format/shown-text.ts';
import { short } from '../parts/text.tsx';
import { statistics } from './pulse.ts';

export function Miner({ address }: { address: string }): JSX.Element {
  return (
    <a class="id" href={href('miner', address)} title={address}>
      {short(address)}
    </a>
  );
}

/** A worker is named by its miner. */
export function Worker({ name }: { name: string }): JSX.Element {
  return <span class="foreign">{shownText(name)}</span>;
}

export function Round({ round }: { round: number | null }): JSX.Element | null {
  if (round === null || round < 1) return null;
  return (
    <a class="number" href={`/v1/rounds/${round}`}>
      {round}
    </a>
  );
}

export function OnChain({
  kind,
  id,
}: {
  kind: 'address' | 'block' | 'tx';
  id: string;
}): JSX.Element {
  const explorer = statistics.value?.pool.explorer ?? null;
  const text: ComponentChildren = short(id);
  return explorer === null ? (
    <span class="id" title={id}>
      {text}
    </span>
  ) : (
    <a class="id" href={`${explorer}/${kind}/${id}`} title={id} rel="noreferrer">
      {text}
    </a>
  );
}
