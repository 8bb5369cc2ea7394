/**
 * The miner of the tab on the desk: start, stop, and what it has done.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DevDocument } from '../data/dev-network.ts';
import { hashrate, whole } from '../format/figures.ts';
import { shownText } from '../format/shown-text.ts';
import { mining, startMining, stopMining, type TabMining } from '../mine/tab-mining.ts';
import { Form } from './form.tsx';
import { Card, Fact, Facts } from './layout.tsx';
import { Id } from './text.tsx';

export function Mine({ network }: { network: DevDocument }): JSX.Element {
  const { miner_socket: socket, accounts } = network;
  const now = mining.value;
  return (
    <Card title="Mine in this tab">
      {now !== undefined ? (
        <Mining mining={now} />
      ) : socket === null ? (
        <p class="soft">
          This network has no bridge. <code>npm start</code> runs one, unless cuts come as fast as
          possible or on demand alone.
        </p>
      ) : (
        <Start accounts={accounts} socket={socket} />
      )}
    </Card>
  );
}

function Start(props: { accounts: readonly string[]; socket: string }): JSX.Element {
  const { accounts, socket } = props;
  const [account, setAccount] = useState(0);
  return (
    <Form onSubmit={() => startMining(accounts[account] as string, socket)}>
      <label class="field wide">
        Who is paid
        <select
          value={String(account)}
          onChange={(event) => setAccount(Number(event.currentTarget.value))}
        >
          {accounts.map((address, place) => (
            <option key={address} value={String(place)}>
              account {place}
            </option>
          ))}
        </select>
      </label>
      <p class="soft wide">
        One thread of this browser searches, through the bridge of the network.
      </p>
      <button type="submit" class="primary">
        Start mining
      </button>
    </Form>
  );
}

function Mining({ mining: now }: { mining: TabMining }): JSX.Element {
  return (
    <>
      <Facts>
        <Fact name="Now">
          <span data-mining="doing">{now.doing}</span>
        </Fact>
        <Fact name="Rate">{now.rate === undefined ? '…' : hashrate(now.rate)}</Fact>
        <Fact name="Shares accepted">
          <span data-mining="accepted">{whole(now.accepted)}</span>
          {now.refused === 0 ? null : ` · ${whole(now.refused)} refused`}
        </Fact>
        <Fact name="Blocks found">
          <span data-mining="blocks">{whole(now.blocks)}</span>
        </Fact>
        <Fact name="Paid to" isWide>
          <Id kind="address" id={now.address} />
        </Fact>
      </Facts>
      {now.problem === undefined ? null : (
        <p class="no" role="status">
          {shownText(now.problem)}
        </p>
      )}
      <p class="actions">
        <button type="button" disabled={now.isStopping} onClick={() => void stopMining()}>
          Stop mining
        </button>
      </p>
    </>
  );
}
