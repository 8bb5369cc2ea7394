/**
 * The frame of a screen: heading, cards, facts, tables, and what is shown while there is nothing to show.
 */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { asCurl, type ReadFailure } from '../data/read.ts';
import type { Reading } from '../data/use-read.ts';
import { Copy } from './text.tsx';

export interface ScreenOptions {
  readonly title: string;
  /** Title of the window; by default `title`. */
  readonly name?: string;
  readonly over?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly readings?: readonly Reading<unknown>[];
  readonly children: ComponentChildren;
}

export function Screen({
  title,
  name,
  over,
  aside,
  readings = [],
  children,
}: ScreenOptions): JSX.Element {
  useEffect(() => {
    document.title = `${name ?? title} · svc`;
  }, [name, title]);
  return (
    <>
      <header class="heading">
        <div>
          {over === undefined ? null : <p class="over">{over}</p>}
          <h1 tabIndex={-1}>{title}</h1>
        </div>
        {aside === undefined ? null : <div class="aside">{aside}</div>}
      </header>
      {children}
      <Raw readings={readings} />
    </>
  );
}

/** The requests of a screen: their answers, and how to repeat them in a terminal. */
function Raw({ readings }: { readings: readonly Reading<unknown>[] }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const shown = readings.filter(({ request }) => request !== undefined);
  if (shown.length === 0) return null;
  return (
    <details class="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span aria-hidden="true">{'{ }'}</span> The{' '}
        {shown.length === 1 ? 'request' : `${shown.length} requests`} behind this screen
      </summary>
      {isOpen
        ? shown.map((reading) => (
            <RawRequest key={JSON.stringify(reading.request)} reading={reading} />
          ))
        : null}
    </details>
  );
}

function RawRequest({
  reading: { request, document, failure },
}: {
  reading: Reading<unknown>;
}): JSX.Element | null {
  if (request === undefined) return null;
  const curl = asCurl(request, location.origin);
  return (
    <section>
      <p class="curl">
        <code>{curl}</code>
        <Copy text={curl} what="the command" />
      </p>
      <pre tabIndex={0}>{JSON.stringify(document ?? { error: failure?.code }, null, 2)}</pre>
    </section>
  );
}

export function Card(props: {
  title?: string;
  more?: ComponentChildren;
  kind?: string;
  children: ComponentChildren;
}): JSX.Element {
  const { title, more, kind, children } = props;
  return (
    <section class={`card ${kind ?? ''}`}>
      {title === undefined ? null : (
        <header>
          <h2>{title}</h2>
          {more}
        </header>
      )}
      {children}
    </section>
  );
}

export function Facts({ children }: { children: ComponentChildren }): JSX.Element {
  return <dl class="facts">{children}</dl>;
}

export function Fact(props: {
  name: ComponentChildren;
  children: ComponentChildren;
  isWide?: boolean;
}): JSX.Element {
  return (
    <div class={props.isWide === true ? 'wide' : ''}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

export function Stat(props: {
  name: string;
  value: ComponentChildren;
  note?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="stat">
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
      {props.note === undefined ? null : <dd class="note">{props.note}</dd>}
    </div>
  );
}

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly kind?: 'number';
  /** Left out on a narrow screen. */
  readonly isMinor?: boolean;
}

export interface TableOptions<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, place: number) => string | number;
  readonly empty: string;
  readonly classOf?: (row: Row) => string;
}

export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  empty,
  classOf,
}: TableOptions<Row>): JSX.Element {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const kindOf = ({ kind, isMinor }: Column<Row>) =>
    `${kind ?? ''}${isMinor === true ? ' minor' : ''}`;
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={kindOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={keyOf(row, place)} class={classOf?.(row)}>
              {columns.map((column) => (
                <td key={column.name} class={kindOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Loading({ lines = 4 }: { lines?: number }): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="bar" />
      ))}
    </div>
  );
}

const EXPLAINED: Readonly<Record<string, string>> = {
  not_found:
    'This node knows nothing of that name. It may be spelled wrong, or never have been seen here.',
  not_kept: 'This node no longer keeps it. An archive node would.',
  bad_address: 'That is no address.',
  wrong_network: 'That address belongs to another network.',
  unreachable: 'The node does not answer. This screen comes back when it does.',
  too_many_requests: 'The node asks for fewer requests. Try again in a moment.',
};

export function Failure({ failure }: { failure: ReadFailure }): JSX.Element {
  return (
    <section class="card failure" role="alert">
      <h2>
        {failure.status === 404 || failure.status === 410 ? 'Nothing here' : 'That did not work'}
      </h2>
      <p>{EXPLAINED[failure.code] ?? failure.message}</p>
      <p class="code">
        {failure.code}
        {failure.status === undefined ? '' : ` · ${failure.status}`}
      </p>
    </section>
  );
}

/** Shows a document, that it is loading, or why there is none. */
export function Show<T>(props: {
  reading: Reading<T>;
  lines?: number;
  children: (document: T) => ComponentChildren;
}): JSX.Element {
  const { reading, lines, children } = props;
  if (reading.document !== undefined) return <>{children(reading.document)}</>;
  if (reading.failure !== undefined) return <Failure failure={reading.failure} />;
  return <Loading {...(lines === undefined ? {} : { lines })} />;
}

export function Tabs(props: {
  label: string;
  names: readonly string[];
  selected: string;
  onSelect: (name: string) => void;
}): JSX.Element {
  const { label, names, selected, onSelect } = props;
  const step = (event: KeyboardEvent): void => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (move === undefined) return;
    const next = names[(names.indexOf(selected) + move + names.length) % names.length] as string;
    onSelect(next);
    const list = (event.currentTarget as HTMLElement).children;
    (list[names.indexOf(next)] as HTMLElement).focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === selected}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
