/**
 * One transaction: its live status, its inputs and outputs, and its payload.
 */

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Transaction, TransactionStatus } from 'svc-api';
import type { RecipientPayload } from 'svc-wasm';
import { href } from '../app/router.ts';
import { follow, headHeight } from '../data/live.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { bytes, feeRate, whole } from '../format/figures.ts';
import { shownText, textOfHex } from '../format/shown-text.ts';
import { Card, Fact, Facts, Screen, Show, Table } from '../parts/layout.tsx';
import { Proof } from '../parts/proof.tsx';
import { Stepper } from '../parts/states.tsx';
import { Amount, Code, Height, Id, short } from '../parts/text.tsx';
import { hashOfClaims } from '../prove/claim-texts.ts';
import { compute } from '../prove/prover.ts';

/** The first bytes of a payload with a text for each receiver, in hexadecimal. */
const RECIPIENTS_MAGIC = '53564350';
const STEPS = ['Waits', 'In a block', 'Registered', 'Finalized'] as const;
const PLACES = { processing: 0, receiving: 1, registered: 2, finalized: 4, failed: 3 } as const;

export function TransactionScreen({ id }: { id: string }): JSX.Element {
  const [status, setStatus] = useState<TransactionStatus | undefined>(undefined);
  useEffect(
    () =>
      follow(
        { topic: 'transaction', transaction_id: id },
        {
          onEvent: (event) => {
            if (event.type === 'transaction_status') setStatus(event.data);
          },
        },
      ),
    [id],
  );
  const reading = useRead<Transaction>(get(`/v1/transactions/${id}`), status?.lifecycle);
  const lifecycle = status?.lifecycle ?? reading.document?.status.lifecycle;
  return (
    <Screen
      title={`Transaction ${short(id)}`}
      over={reading.document?.operation?.type.replaceAll('_', ' ') ?? 'Payment'}
      aside={
        <Proof
          claim={reading.document === undefined ? undefined : { kind: 'transaction', id }}
          revision={lifecycle}
        />
      }
      readings={[reading]}
    >
      <Show reading={reading} lines={8}>
        {(transaction) => (
          <>
            <Card>
              <Progress status={status ?? transaction.status} />
            </Card>
            <Flow transaction={transaction} />
            <Details transaction={transaction} />
            <Payload hex={transaction.payload_hex} />
            <details class="raw">
              <summary>Wire bytes: {bytes(transaction.wire_hex.length / 2)}</summary>
              <pre class="wrap" tabIndex={0}>
                {transaction.wire_hex}
              </pre>
            </details>
          </>
        )}
      </Show>
    </Screen>
  );
}

function Progress({ status }: { status: Transaction['status'] | TransactionStatus }): JSX.Element {
  const { lifecycle, failure, observed_work, registered_cut, finalized_cut } = status;
  return (
    <>
      <Stepper
        label="State of the transaction"
        steps={STEPS}
        done={PLACES[lifecycle]}
        {...(lifecycle === 'failed'
          ? { failed: `Failed: ${(failure ?? 'unknown').replaceAll('_', ' ')}` }
          : {})}
      />
      <p class="legend">
        <span>
          {observed_work === null ? (
            'In no block yet'
          ) : (
            <>
              Block <Id kind="block" id={observed_work.block_id} />
            </>
          )}
        </span>
        <span>
          {registered_cut === null ? null : (
            <>
              registered by <Height value={registered_cut.height} />
            </>
          )}
        </span>
        <span>
          {finalized_cut === null ? null : (
            <>
              executed by <Height value={finalized_cut.height} />
            </>
          )}
        </span>
      </p>
    </>
  );
}

/** Inputs at the left, outputs at the right. */
function Flow({ transaction }: { transaction: Transaction }): JSX.Element {
  const { inputs, outputs, fee } = transaction;
  return (
    <div class="flow">
      <Card title={`From ${inputs.length} ${inputs.length === 1 ? 'input' : 'inputs'}`}>
        <Table
          caption="Inputs"
          rows={inputs}
          keyOf={({ outpoint }) => `${outpoint.transaction_id}:${outpoint.output_index}`}
          empty="It spends nothing."
          columns={[
            {
              name: 'Address',
              cell: ({ address, outpoint }) =>
                address === undefined ? (
                  <Code text={`${outpoint.transaction_id}:${outpoint.output_index}`} />
                ) : (
                  <Id kind="address" id={address} />
                ),
            },
            {
              name: 'Amount',
              kind: 'number',
              cell: ({ amount }) =>
                amount === undefined ? 'not known' : <Amount atoms={amount} />,
            },
          ]}
        />
      </Card>
      <Card
        title={`To ${outputs.length} ${outputs.length === 1 ? 'output' : 'outputs'}`}
        more={
          fee === null ? null : (
            <small>
              fee <Amount atoms={fee} />
            </small>
          )
        }
      >
        <Table
          caption="Outputs"
          rows={outputs}
          keyOf={({ output_index }) => String(output_index)}
          empty="It pays nothing out."
          columns={[
            { name: 'Address', cell: ({ address }) => <Id kind="address" id={address} /> },
            { name: 'Amount', kind: 'number', cell: ({ amount }) => <Amount atoms={amount} /> },
            {
              name: 'Proof',
              cell: ({ address }) => <PaymentProof {...{ transaction, address }} />,
            },
          ]}
        />
      </Card>
    </div>
  );
}

/** The link that shows what the transaction paid to an address, with its proof. */
function PaymentProof(props: { transaction: Transaction; address: string }): JSX.Element | null {
  const { transaction, address } = props;
  const { outputs, status, transaction_id } = transaction;
  if (status.finalized_cut === null) return null;
  const amount = outputs.reduce(
    (sum, output) => (output.address === address ? sum + BigInt(output.amount) : sum),
    0n,
  );
  const claim = {
    kind: 'payment',
    transactionId: transaction_id,
    to: address,
    amount: String(amount),
  } as const;
  return <a href={`${href('verify')}${hashOfClaims([claim])}`}>prove</a>;
}

function Details({ transaction }: { transaction: Transaction }): JSX.Element {
  const { fee, mass, valid_from_height, valid_until_height, operation } = transaction;
  const left = Number(valid_until_height) - (headHeight.value ?? 0);
  return (
    <Card>
      <Facts>
        <Fact name="Fee">{fee === null ? 'inputs not known' : <Amount atoms={fee} />}</Fact>
        <Fact name="Fee rate">{fee === null ? '–' : `${feeRate(fee, mass)} atoms a mass`}</Fact>
        <Fact name="Mass">{whole(BigInt(mass))}</Fact>
        <Fact name="Valid">
          {whole(BigInt(valid_from_height))} – {whole(BigInt(valid_until_height))}
          {left > 0 && transaction.status.finalized_cut === null ? (
            <small> · {whole(left)} cuts left</small>
          ) : null}
        </Fact>
        {operation === null
          ? null
          : Object.entries(operation.data).map(([name, value]) => (
              <Fact key={name} name={name.replaceAll('_', ' ')} isWide={value.length > 40}>
                <Code text={value} />
              </Fact>
            ))}
        <Fact name="Transaction id" isWide>
          <Code text={transaction.transaction_id} />
        </Fact>
      </Facts>
    </Card>
  );
}

function Payload({ hex }: { hex: string }): JSX.Element | null {
  const [notes, setNotes] = useState<readonly string[] | undefined>(undefined);
  useEffect(() => {
    if (!hex.startsWith(RECIPIENTS_MAGIC)) return;
    compute({ tool: 'payload', hex })
      .then((json) => setNotes((JSON.parse(json) as RecipientPayload[]).map(noteOf)))
      .catch(() => {});
  }, [hex]);
  if (hex === '') return null;
  return (
    <Card title="Payload" more={<span class="from">from the sender</span>}>
      <p class="payload">{notes?.join('\n') ?? textOfHex(hex) ?? hex}</p>
    </Card>
  );
}

function noteOf(entry: RecipientPayload): string {
  const said = 'text' in entry ? shownText(entry.text) : entry.bytes_hex;
  return `For output ${entry.output_index}: ${said}`;
}
