/**
 * Burns: those of one cut in a table, and a search for those of the chain.
 */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Cut, SupplyDocument } from 'svc-api';
import { type BurnSearch, type FoundBurn, searchBurns, sumOf } from '../data/burn-search.ts';
import { get, readDocument } from '../data/read.ts';
import { whole } from '../format/figures.ts';
import { Said, useDoing } from './doing.tsx';
import { Card, Table } from './layout.tsx';
import { Amount, Height, Id } from './text.tsx';

const CUTS_A_STEP = 120;

export function BurnTable(props: {
  burns: readonly FoundBurn[];
  empty: string;
  hasHeights?: boolean;
}): JSX.Element {
  return (
    <Table
      caption="Burned"
      rows={props.burns.map((burn, place) => ({ ...burn, place }))}
      keyOf={({ height, id, place }) => `${height}${id}${place}`}
      empty={props.empty}
      columns={[
        ...(props.hasHeights === true
          ? [
              {
                name: 'Cut',
                kind: 'number' as const,
                cell: ({ height }: FoundBurn) => <Height value={height} />,
              },
            ]
          : []),
        {
          name: 'Burned for',
          cell: ({ cause }) =>
            cause === 'output' ? 'an output to the burn address' : 'two conflicting signatures',
        },
        {
          name: 'By',
          cell: ({ cause, id }) => <Id kind={cause === 'output' ? 'tx' : 'validator'} id={id} />,
        },
        { name: 'Amount', kind: 'number', cell: ({ amount }) => <Amount atoms={amount} /> },
      ]}
    />
  );
}

/** Reads cuts backwards on request. What was found stays while the chain continues, until it burns more. */
export function Burns({ supply }: { supply: SupplyDocument }): JSX.Element {
  const [search, setSearch] = useState<BurnSearch | undefined>(undefined);
  const doing = useDoing();
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const burned = BigInt(supply.burned);
  const found = search?.found ?? [];
  const isWhole = sumOf(found) >= burned;
  const isOver = search !== undefined && search.next < 0;
  const look = (): void =>
    doing.start(async () => {
      const before = search ?? { found: [], next: supply.finalized_height };
      const readCut = (height: number): Promise<Cut> =>
        readDocument<Cut>(get(`/v1/cuts/${height}`), ending.current.signal);
      setSearch(await searchBurns(before, { burned, cuts: CUTS_A_STEP, readCut }));
      return null;
    });
  return (
    <Card
      title="Burns"
      more={
        burned > 0n && isWhole ? <span class="yes">✓ all of them, to the atom</span> : undefined
      }
    >
      <p class="soft">
        {burned === 0n
          ? 'Nothing was burned yet.'
          : search === undefined
            ? 'Each cut says what it burned; they are looked through from the newest backwards.'
            : `Looked through down to cut ${whole(Math.max(search.next + 1, 0))}.`}
      </p>
      {search === undefined ? null : (
        <BurnTable burns={found} hasHeights empty="None among these cuts." />
      )}
      {burned === 0n || isWhole || isOver ? null : (
        <p class="actions">
          <button type="button" disabled={doing.isBusy} onClick={look}>
            {search === undefined ? 'Look for burns' : `Look through ${CUTS_A_STEP} cuts more`}
          </button>
        </p>
      )}
      <Said doing={doing} />
    </Card>
  );
}
