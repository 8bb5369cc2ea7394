/**
 * Small pieces of text: identifiers, amounts, times, and untrusted text.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { href } from '../app/router.ts';
import { nowMillis } from '../data/now.ts';
import { coins, whole } from '../format/figures.ts';
import { shownText } from '../format/shown-text.ts';
import { ago, exactTime } from '../format/times.ts';

export function short(id: string, length = 8): string {
  return id.length <= 2 * length + 1 ? id : `${id.slice(0, length)}…${id.slice(-length)}`;
}

export function Copy({ text, what }: { text: string; what: string }): JSX.Element {
  const [isDone, setDone] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => {
        setDone(true);
        setTimeout(() => setDone(false), 1_200);
      },
      () => {},
    );
  };
  return (
    <button
      type="button"
      class="copy"
      onClick={copy}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
    >
      <svg viewBox="0 0 16 16" width="13" height="13" aria-hidden="true">
        {isDone ? <path d="M3 8.5l3.2 3.2L13 5" /> : <path d="M6 6h7v7H6zM3.5 10H3V3h7v.5" />}
      </svg>
    </button>
  );
}

type IdKind = 'cut' | 'block' | 'tx' | 'address' | 'validator';

/** An identifier, shortened in the middle, that leads to its screen. */
export function Id({ kind, id }: { kind: IdKind; id: string }): JSX.Element {
  return (
    <a class="id" href={href(kind, id)} title={id}>
      {short(id)}
    </a>
  );
}

/** An identifier that leads nowhere. */
export function Code({ text }: { text: string }): JSX.Element {
  return (
    <span class="id" title={text}>
      {short(text)}
      <Copy text={text} what="the whole value" />
    </span>
  );
}

export function Height({ value }: { value: number }): JSX.Element {
  return (
    <a class="number" href={href('cut', value)}>
      {whole(value)}
    </a>
  );
}

export function Amount({ atoms, sign }: { atoms: string | bigint; sign?: string }): JSX.Element {
  const [before, after] = coins(atoms).split('.');
  return (
    <span class="amount" title={`${whole(BigInt(atoms))} atoms`}>
      {sign}
      {before}
      <span class="decimals">.{after}</span>
    </span>
  );
}

/** An amount that an address received or spent. */
export function Change(props: { kind: 'received' | 'spent'; amount: string }): JSX.Element {
  return (
    <span class={props.kind}>
      <Amount atoms={props.amount} sign={props.kind === 'received' ? '+' : '−'} />
    </span>
  );
}

export function Ago({ millis }: { millis: number }): JSX.Element {
  return (
    <time title={exactTime(millis)} dateTime={new Date(millis).toISOString()}>
      {ago(millis, nowMillis.value)}
    </time>
  );
}

/** Untrusted text: shown as it is, with a label of its origin. */
export function Foreign({ text, by }: { text: string; by: string }): JSX.Element {
  return (
    <span class="foreign" title={`Written by the ${by}`}>
      {shownText(text)}
      <span class="from">from the {by}</span>
    </span>
  );
}

export function Badge({
  tone,
  children,
}: {
  tone: string;
  children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}
