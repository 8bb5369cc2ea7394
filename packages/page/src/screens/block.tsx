/**
 * One work block: its anchor, the window in which it can be registered, what it carries, what it earns.
 */

import type { JSX } from 'preact';
import type { Block } from 'svc-api';
import { headHeight } from '../data/live.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { bytes, whole } from '../format/figures.ts';
import { Card, Fact, Facts, Screen, Show, Table } from '../parts/layout.tsx';
import { SignedMark } from '../parts/proof.tsx';
import { RewardBadge, Stepper } from '../parts/states.tsx';
import { Amount, Code, Foreign, Height, Id, short } from '../parts/text.tsx';

const STEPS = ['Found', 'Registered', 'Executed', 'Paid'] as const;

export function BlockScreen({ id }: { id: string }): JSX.Element {
  const height = headHeight.value ?? 0;
  const reading = useRead<Block>(get(`/v1/blocks/${id}`), height);
  return (
    <Screen
      title={`Block ${short(id)}`}
      over="Work block"
      aside={<SignedMark reading={reading} revision={reading.document?.reward.state} />}
      readings={[reading]}
    >
      <Show reading={reading} lines={8}>
        {(block) => (
          <>
            <Card>
              <Stepper
                label="State of the block"
                steps={STEPS}
                done={stepOf(block)}
                {...(block.reward.state === 'expired' ? { failed: 'Expired' } : {})}
              />
              <RegistrationWindow block={block} height={height} />
            </Card>
            <BlockFacts block={block} />
            <Card title={`Transactions: ${whole(block.transactions.length)}`}>
              <Table
                caption="Transactions that the block carries"
                rows={block.transactions}
                keyOf={(transaction) => transaction}
                empty="It carries none."
                columns={[
                  { name: 'Transaction', cell: (transaction) => <Id kind="tx" id={transaction} /> },
                ]}
              />
            </Card>
          </>
        )}
      </Show>
    </Screen>
  );
}

function stepOf({ registered_cut, executed_cut, reward }: Block): number {
  if (reward.state === 'paid') return STEPS.length;
  if (executed_cut !== null) return 3;
  return registered_cut === null ? 1 : 2;
}

/** How much of the window in which the block can be registered has passed. */
function RegistrationWindow({ block, height }: { block: Block; height: number }): JSX.Element {
  const { anchor_height, registration_window_end, registered_cut } = block;
  const all = registration_window_end - anchor_height;
  const passed = Math.min(all, Math.max(0, height - anchor_height));
  const left = registration_window_end - height;
  const at = registered_cut === null ? undefined : (registered_cut.height - anchor_height) / all;
  return (
    <>
      <div
        class="progress window"
        role="img"
        aria-label={`${passed} of ${all} cuts of the window have passed`}
      >
        <span style={{ width: `${(passed / all) * 100}%` }} />
        {at === undefined ? null : <i style={{ left: `${at * 100}%` }} title="registered" />}
      </div>
      <p class="legend">
        <span>
          Anchored to <Height value={anchor_height} />
        </span>
        <span class="newest">
          {left > 0 ? `The window closes in ${whole(left)} cuts` : 'The window is closed'}, at{' '}
          <Height value={registration_window_end} />
        </span>
      </p>
    </>
  );
}

function BlockFacts({ block }: { block: Block }): JSX.Element {
  const { reward } = block;
  return (
    <Card>
      <Facts>
        <Fact name="Reward">
          <RewardBadge state={reward.state} />{' '}
          {reward.amount === null ? null : <Amount atoms={reward.amount} />}
        </Fact>
        <Fact name="Registered by">
          {block.registered_cut === null ? (
            'no cut yet'
          ) : (
            <Height value={block.registered_cut.height} />
          )}
        </Fact>
        <Fact name="Executed by">
          {block.executed_cut === null ? (
            'no cut yet'
          ) : (
            <Height value={block.executed_cut.height} />
          )}
        </Fact>
        <Fact name="Size">{bytes(block.body_bytes)}</Fact>
        <Fact name="Miner's tag">
          {block.miner_tag === '' ? 'none' : <Foreign text={block.miner_tag} by="miner" />}
        </Fact>
        <Fact name="Pays to" isWide>
          <Id kind="address" id={block.payout_address} />
        </Fact>
        <Fact name="Parents" isWide>
          {block.parents.length === 0
            ? 'none'
            : block.parents.map((parent) => <Id key={parent} kind="block" id={parent} />)}
        </Fact>
        <Fact name="Block id" isWide>
          <Code text={block.block_id} />
        </Fact>
      </Facts>
    </Card>
  );
}
