/**
 * Messages of the wallet in the tab: chats with their peers, sealed and opened in the worker. A peer is named only after
 * the worker has checked the signatures of what the peer sent.
 */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Chat } from 'svc-client';
import { whole } from '../format/figures.ts';
import { shownText } from '../format/shown-text.ts';
import { askWallet } from '../prove/prover.ts';
import type { WalletAnswer, WalletOrder } from '../prove/tab-wallet.ts';
import { type Doing, Said, useDoing } from './doing.tsx';
import { Field, Form } from './form.tsx';
import { Card } from './layout.tsx';
import { Badge, Id } from './text.tsx';

const TEXT_CHARACTERS_MAX = 500;
const STATES = {
  requested: ['wait', 'asked; not answered yet'],
  invited: ['wait', 'asks for a chat'],
  open: ['good', 'open'],
} as const satisfies Readonly<Record<Chat['state'], readonly [string, string]>>;

type ReadChats = Extract<WalletAnswer, { action: 'chats' }>;

/** `revision` changes whenever something happens at the address, which may be a message. */
export function Chats(props: { address: string; revision: number }): JSX.Element {
  const { address, revision } = props;
  const [read, setRead] = useState<ReadChats | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const doing = useDoing();
  useEffect(() => {
    let isLeft = false;
    askWallet({ action: 'chats' })
      .then((answer) => {
        if (isLeft || answer.action !== 'chats') return;
        setRead(answer);
        setProblem(undefined);
      })
      .catch((error: unknown) => {
        if (!isLeft) setProblem(error instanceof Error ? error.message : String(error));
      });
    return () => {
      isLeft = true;
    };
  }, [address, revision]);
  return (
    <Card title="Messages">
      <p class="soft">
        Sealed for the two of you, and carried by payments of one atom: each costs a fee and counts
        when it is final.
      </p>
      {read?.chats.map((chat) => (
        <ChatCard key={`${chat.peer}${chat.state}`} chat={chat} doing={doing} />
      ))}
      {read === undefined || read.unchecked === 0 ? null : (
        <p class="warning" role="note">
          {whole(read.unchecked)} left out: their sender cannot be named.
        </p>
      )}
      {problem === undefined ? null : <p class="no">{problem}</p>}
      <Ask doing={doing} />
      <Said doing={doing} />
    </Card>
  );
}

/** Executes an order that pays for a message, and reports the transaction. */
function deliver(doing: Doing, order: WalletOrder): void {
  doing.start(async () => {
    const answer = await askWallet(order);
    if (answer.action !== 'paid') throw new Error('the wallet answered something else');
    return (
      <>
        On its way: <Id kind="tx" id={answer.id} />
      </>
    );
  });
}

function ChatCard({ chat, doing }: { chat: Chat; doing: Doing }): JSX.Element {
  const { peer, state, messages } = chat;
  const [text, setText] = useState('');
  const [tone, about] = STATES[state];
  const say = (): void => {
    deliver(doing, { action: 'say', peer, text });
    setText('');
  };
  return (
    <section class="chat" data-chat={state}>
      <p>
        <Id kind="address" id={peer} /> <Badge tone={tone}>{about}</Badge>
      </p>
      <ol tabIndex={0} aria-label="What was said">
        {messages.map((message) => (
          <li key={message.transactionId} class={message.direction}>
            <span class="unseen">{message.direction}: </span>
            {shownText(message.text)}
          </li>
        ))}
      </ol>
      {state === 'invited' ? (
        <p class="actions">
          <button
            type="button"
            disabled={doing.isBusy}
            onClick={() => deliver(doing, { action: 'accept', peer })}
          >
            Accept
          </button>
        </p>
      ) : null}
      {state === 'open' ? (
        <Form onSubmit={say}>
          <Field
            label="Message"
            value={text}
            onText={setText}
            input={{ maxLength: TEXT_CHARACTERS_MAX, spellcheck: true }}
          />
          <button type="submit" class="primary" disabled={doing.isBusy || text === ''}>
            Seal and send
          </button>
        </Form>
      ) : null}
    </section>
  );
}

function Ask({ doing }: { doing: Doing }): JSX.Element {
  const [peer, setPeer] = useState('');
  return (
    <Form onSubmit={() => deliver(doing, { action: 'ask', peer: peer.trim() })}>
      <Field label="Address of a peer" value={peer} onText={setPeer} />
      <button type="submit" class="primary" disabled={doing.isBusy || peer === ''}>
        Ask for a chat
      </button>
    </Form>
  );
}
