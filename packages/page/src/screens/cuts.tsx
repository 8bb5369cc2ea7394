/**
 * Every cut, page by page, the newest first.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CutSummary, Cuts } from 'svc-api';
import { headHeight, cuts as liveCuts } from '../data/live.ts';
import { get, readDocument } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { whole } from '../format/figures.ts';
import { CutStrip } from '../parts/cut-strip.tsx';
import { Card, Screen, Show, Table } from '../parts/layout.tsx';
import { SignedMark } from '../parts/proof.tsx';
import { Ago, Code, Height } from '../parts/text.tsx';

const PAGE = 50;

export function CutsScreen(): JSX.Element {
  const [before, setBefore] = useState<number | undefined>(undefined);
  const path =
    before === undefined ? `/v1/cuts?limit=${PAGE}` : `/v1/cuts?before=${before}&limit=${PAGE}`;
  const revision = before === undefined ? headHeight.value : 0;
  const reading = useRead<Cuts>(get(path), revision);
  const [more, setMore] = useState<readonly CutSummary[]>([]);
  const [next, setNext] = useState<number | undefined>(undefined);
  const readMore = async (from: number): Promise<void> => {
    const page = await readDocument<Cuts>(get(`/v1/cuts?before=${from}&limit=${PAGE}`));
    setBefore((reading.document?.cuts[0]?.height ?? 0) + 1);
    setMore([...more, ...page.cuts]);
    setNext(page.next_before ?? 0);
  };
  return (
    <Screen
      title="Cuts"
      over="Final as soon as they are here"
      aside={<SignedMark reading={reading} />}
      readings={[reading]}
    >
      <CutStrip cuts={liveCuts.value} />
      <Card>
        <Show reading={reading} lines={10}>
          {({ cuts, next_before }) => {
            const from = next ?? next_before;
            return (
              <>
                <Table
                  caption="Cuts, newest first"
                  rows={[...cuts, ...more]}
                  keyOf={({ height }) => String(height)}
                  empty="There is no cut yet."
                  columns={[
                    {
                      name: 'Height',
                      kind: 'number',
                      cell: ({ height }) => <Height value={height} />,
                    },
                    { name: 'Time', cell: ({ time_millis }) => <Ago millis={time_millis} /> },
                    { name: 'Id', isMinor: true, cell: ({ cut_id }) => <Code text={cut_id} /> },
                    {
                      name: 'Registered',
                      kind: 'number',
                      isMinor: true,
                      cell: ({ registered_work }) => whole(registered_work),
                    },
                    {
                      name: 'Executed',
                      kind: 'number',
                      isMinor: true,
                      cell: ({ executed_work }) =>
                        executed_work === null ? '–' : whole(executed_work),
                    },
                    {
                      name: 'Transactions',
                      kind: 'number',
                      cell: ({ transactions }) =>
                        transactions === null ? '–' : whole(transactions),
                    },
                    {
                      name: 'Proposer',
                      kind: 'number',
                      isMinor: true,
                      cell: ({ proposer }) => `#${proposer}`,
                    },
                  ]}
                />
                {from === undefined || from === 0 ? null : (
                  <p class="more">
                    <button type="button" onClick={() => void readMore(from)}>
                      Older cuts
                    </button>
                  </p>
                )}
              </>
            );
          }}
        </Show>
      </Card>
    </Screen>
  );
}
