/**
 * One cut: what was signed, its signers, what it registered, executed, paid and changed.
 */

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type {
  BlocksRecent,
  Cut,
  CutCertificate,
  CutChanges,
  CutDetails,
  CutTransactions,
  CutValidators,
} from 'svc-api';
import { href } from '../app/router.ts';
import { headHeight } from '../data/live.ts';
import { get } from '../data/read.ts';
import { type Reading, useRead } from '../data/use-read.ts';
import { percent, share, whole } from '../format/figures.ts';
import { AnchorGraph } from '../parts/anchor-graph.tsx';
import { BurnTable } from '../parts/burns.tsx';
import { Card, Fact, Facts, Screen, Show, Table, Tabs } from '../parts/layout.tsx';
import { Pager, type Pages, usePages } from '../parts/pager.tsx';
import { Proof } from '../parts/proof.tsx';
import { OutcomeBadge } from '../parts/states.tsx';
import { Ago, Amount, Change, Code, Height, Id } from '../parts/text.tsx';

const TABS = ['Transactions', 'Changes', 'Rewards', 'Certificate'] as const;
/** The most registered blocks that are drawn. */
const BLOCKS_DRAWN = 40;

export function CutScreen({ height }: { height: number }): JSX.Element {
  const [tab, setTab] = useState<string>(TABS[0]);
  const reading = useRead<Cut>(get(`/v1/cuts/${height}`), isTopmost(height) ? headHeight.value : 0);
  const transactions = usePages<CutTransactions>(`/v1/cuts/${height}/transactions`);
  const blocks = useRead<BlocksRecent>(
    get(`/v1/blocks/recent?registered_height=${height}&limit=${BLOCKS_DRAWN}`),
  );
  const cut = reading.document?.cut;
  return (
    <Screen
      title={`Cut ${whole(height)}`}
      over={
        cut === undefined ? (
          'Cut'
        ) : (
          <>
            Epoch {whole(cut.epoch)} · finalized <Ago millis={cut.time_millis} />
          </>
        )
      }
      aside={
        <Proof
          claim={
            cut === undefined
              ? undefined
              : { kind: 'cut', height, cutId: cut.cut_id, stateRoot: cut.state_root }
          }
        />
      }
      readings={[reading, transactions.reading, blocks]}
    >
      <p class="steps-nav">
        {height > 1 ? <a href={href('cut', height - 1)}>← {whole(height - 1)}</a> : <span />}
        {height < (headHeight.value ?? height) ? (
          <a href={href('cut', height + 1)}>{whole(height + 1)} →</a>
        ) : (
          <span>the head</span>
        )}
      </p>
      <Show reading={reading} lines={8}>
        {({ cut: found }) => (
          <>
            <CutFacts cut={found} />
            <Registered height={height} blocks={blocks} count={found.registered_work} />
            <Card>
              <Tabs label="Parts of the cut" names={TABS} selected={tab} onSelect={setTab} />
              <TabContent tab={tab} height={height} cut={found} transactions={transactions} />
            </Card>
          </>
        )}
      </Show>
    </Screen>
  );
}

function isTopmost(height: number): boolean {
  return height >= (headHeight.peek() ?? 0);
}

function CutFacts({ cut }: { cut: CutDetails }): JSX.Element {
  return (
    <Card>
      <Facts>
        <Fact name="Registered blocks">{whole(cut.registered_work)}</Fact>
        <Fact name="Executed blocks">
          {cut.executed_work === null ? 'not kept' : whole(cut.executed_work)}
        </Fact>
        <Fact name="Transactions">
          {cut.transactions === null ? 'not kept' : whole(cut.transactions)}
        </Fact>
        <Fact name="First proposer">#{cut.proposer}</Fact>
        <Fact name="Cut id" isWide>
          <Code text={cut.cut_id} />
        </Fact>
        <Fact name="State root" isWide>
          <Code text={cut.state_root} />
        </Fact>
        <Fact name="Validator set" isWide>
          <Code text={cut.validator_set_id} />
        </Fact>
        <Fact name="Parent" isWide>
          {cut.height > 1 ? <Height value={cut.height - 1} /> : 'genesis'}{' '}
          <Code text={cut.parent_cut_id} />
        </Fact>
      </Facts>
    </Card>
  );
}

function Registered(props: {
  height: number;
  blocks: Reading<BlocksRecent>;
  count: number;
}): JSX.Element | null {
  const rows = props.blocks.document?.blocks ?? [];
  if (rows.length === 0) return null;
  return (
    <Card
      title={`Registered work: ${props.count} ${props.count === 1 ? 'block' : 'blocks'}`}
      more={
        rows.length < props.count ? <small>the newest {rows.length} are drawn</small> : undefined
      }
    >
      <AnchorGraph height={props.height} blocks={rows} />
    </Card>
  );
}

function TabContent(props: {
  tab: string;
  height: number;
  cut: CutDetails;
  transactions: Pages<CutTransactions>;
}): JSX.Element {
  const { tab, height, cut, transactions } = props;
  if (tab === 'Transactions') {
    return (
      <Show reading={transactions.reading}>
        {({ transactions: rows, next_cursor }) => (
          <>
            <Table
              caption="Transactions that the cut executed"
              rows={rows}
              keyOf={(row) => `${row.transaction_id}${row.block_id}`}
              empty="This cut executed no transaction."
              columns={[
                { name: 'Transaction', cell: (row) => <Id kind="tx" id={row.transaction_id} /> },
                {
                  name: 'Block',
                  isMinor: true,
                  cell: (row) => <Id kind="block" id={row.block_id} />,
                },
                { name: 'Fee', kind: 'number', cell: (row) => <Amount atoms={row.fee} /> },
                { name: 'Outcome', cell: (row) => <OutcomeBadge outcome={row.outcome} /> },
              ]}
            />
            <Pager
              pages={transactions}
              rows={rows.length}
              total={cut.transactions}
              next={next_cursor}
            />
          </>
        )}
      </Show>
    );
  }
  if (tab === 'Changes') return <Changes height={height} />;
  return tab === 'Rewards' ? <Rewards cut={cut} /> : <Certificate height={height} />;
}

function Changes({ height }: { height: number }): JSX.Element {
  const pages = usePages<CutChanges>(`/v1/cuts/${height}/changes`);
  return (
    <Show reading={pages.reading}>
      {({ changes, next_cursor }) => (
        <>
          <Table
            caption="What addresses received and spent"
            rows={changes}
            keyOf={({ index }) => String(index)}
            empty="This cut changed no address."
            columns={[
              { name: 'Address', cell: ({ address }) => <Id kind="address" id={address} /> },
              { name: 'Source', isMinor: true, cell: ({ source }) => source.replaceAll('_', ' ') },
              { name: 'Amount', kind: 'number', cell: (change) => <Change {...change} /> },
            ]}
          />
          <Pager pages={pages} rows={changes.length} total={null} next={next_cursor} />
        </>
      )}
    </Show>
  );
}

function Rewards({ cut }: { cut: CutDetails }): JSX.Element {
  return (
    <>
      <Table
        caption="Rewards of work blocks"
        rows={cut.rewards}
        keyOf={({ block_id }) => block_id}
        empty="No work was paid in this cut."
        columns={[
          { name: 'Work block', cell: ({ block_id }) => <Id kind="block" id={block_id} /> },
          { name: 'Paid', kind: 'number', cell: ({ amount }) => <Amount atoms={amount} /> },
        ]}
      />
      {cut.stake_payouts.length === 0 ? null : (
        <Table
          caption="Payouts to stake"
          rows={cut.stake_payouts}
          keyOf={({ position }) => position}
          empty=""
          columns={[
            { name: 'Validator', cell: ({ validator }) => <Id kind="validator" id={validator} /> },
            { name: 'Epoch', kind: 'number', cell: ({ epoch }) => whole(epoch) },
            { name: 'Paid', kind: 'number', cell: ({ amount }) => <Amount atoms={amount} /> },
          ]}
        />
      )}
      {cut.burns.length === 0 ? null : (
        <BurnTable
          burns={cut.burns.map((burn) => ({ ...burn, height: cut.height }))}
          empty="Nothing was burned."
        />
      )}
    </>
  );
}

function Certificate({ height }: { height: number }): JSX.Element {
  const certificate = useRead<CutCertificate>(get(`/v1/cuts/${height}/certificate`));
  const set = useRead<CutValidators>(get(`/v1/cuts/${height}/validators`));
  return (
    <Show reading={certificate}>
      {({ signers, round, certificate_hex }) => (
        <>
          <p class="lead">
            {signers.length} signatures in round {round}, {whole(certificate_hex.length / 2)} bytes.
          </p>
          <Show reading={set}>
            {({ validators, total_stake }) => (
              <Table
                caption="Who signed"
                rows={validators.map((validator, place) => ({ ...validator, place }))}
                keyOf={({ validator }) => validator}
                empty="No validator could sign."
                columns={[
                  { name: 'Place', kind: 'number', cell: ({ place }) => `#${place}` },
                  {
                    name: 'Validator',
                    cell: ({ validator }) => <Id kind="validator" id={validator} />,
                  },
                  {
                    name: 'Stake',
                    kind: 'number',
                    isMinor: true,
                    cell: ({ stake }) => <Amount atoms={stake} />,
                  },
                  {
                    name: 'Share',
                    kind: 'number',
                    cell: ({ stake }) => percent(share(stake, total_stake)),
                  },
                  {
                    name: 'Signed',
                    cell: ({ place }) =>
                      signers.includes(place) ? (
                        <span class="yes">✓ signed</span>
                      ) : (
                        <span class="no">not in it</span>
                      ),
                  },
                ]}
              />
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
