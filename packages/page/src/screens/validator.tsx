/**
 * One validator: its stake, its keys, and a calendar of the epochs that this node has seen.
 */

import type { JSX } from 'preact';
import type { StakingValidator, ValidatorDetails } from 'svc-api';
import { head } from '../data/live.ts';
import { get } from '../data/read.ts';
import { useRead } from '../data/use-read.ts';
import { basisPoints, whole } from '../format/figures.ts';
import { Attendance, Calendar } from '../parts/attendance.tsx';
import { Card, Fact, Facts, Screen, Show, Table } from '../parts/layout.tsx';
import { SignedMark } from '../parts/proof.tsx';
import { ValidatorBadge } from '../parts/states.tsx';
import { Amount, Code, Height, Id, short } from '../parts/text.tsx';

const EPOCHS = 30;

export function ValidatorScreen({ id }: { id: string }): JSX.Element {
  const reading = useRead<StakingValidator>(
    get(`/v1/staking/validators/${id}?epochs=${EPOCHS}`),
    head.value?.epoch,
  );
  return (
    <Screen
      title={`Validator ${short(id)}`}
      over="Validator"
      aside={<SignedMark reading={reading} revision={head.value?.epoch} />}
      readings={[reading]}
    >
      <Show reading={reading} lines={8}>
        {({ validator, epoch }) => (
          <>
            <ValidatorFacts validator={validator} epoch={epoch} />
            <Card title="Attendance">
              <Calendar epochs={epochsOf(validator)} />
              <Table
                caption="Attendance by epoch, newest first"
                rows={epochsOf(validator)}
                keyOf={(row) => String(row.epoch)}
                empty="This node has not seen an epoch of it."
                columns={[
                  {
                    name: 'Epoch',
                    kind: 'number',
                    cell: (row) => `${whole(row.epoch)}${row.epoch === epoch ? ' · now' : ''}`,
                  },
                  { name: 'Windows', cell: (row) => <Attendance attendance={row} /> },
                  {
                    name: 'Present',
                    kind: 'number',
                    cell: (row) => `${row.present} of ${row.windows.length}`,
                  },
                ]}
              />
            </Card>
          </>
        )}
      </Show>
    </Screen>
  );
}

/** The running epoch, if it has one, and those before it, newest first. */
function epochsOf({ attendance, history }: ValidatorDetails): ValidatorDetails['history'] {
  return attendance === null ? history : [attendance, ...history];
}

function ValidatorFacts(props: { validator: ValidatorDetails; epoch: number }): JSX.Element {
  const { validator, epoch } = props;
  const { pending_commission, heartbeat_epoch, removal } = validator;
  return (
    <Card>
      <Facts>
        <Fact name="State">
          <ValidatorBadge {...validator} />
        </Fact>
        <Fact name="Stake">
          <Amount atoms={validator.stake} />
        </Fact>
        <Fact name="Commission">
          {basisPoints(validator.commission_bps)}
          {pending_commission === null ? null : (
            <small>
              {' '}
              → {basisPoints(pending_commission.commission_bps)} from epoch{' '}
              {whole(pending_commission.from_epoch)}
            </small>
          )}
        </Fact>
        <Fact name="Last heartbeat">
          {heartbeat_epoch === null
            ? 'none'
            : heartbeat_epoch === epoch
              ? 'this epoch'
              : `epoch ${whole(heartbeat_epoch)}`}
        </Fact>
        <Fact name="Registered">epoch {whole(validator.registered_epoch)}</Fact>
        <Fact name="Eligible from">epoch {whole(validator.eligible_from_epoch)}</Fact>
        {validator.jailed_until_epoch > epoch ? (
          <Fact name="Jailed until">epoch {whole(validator.jailed_until_epoch)}</Fact>
        ) : null}
        {removal === null ? null : (
          <Fact name="Removed">
            for signing twice, at <Height value={removal.height} />;{' '}
            <Amount atoms={removal.burned} /> burned
          </Fact>
        )}
        {validator.end_height === null ? null : (
          <Fact name="Ends at">
            <Height value={validator.end_height} />
          </Fact>
        )}
        <Fact name="Owner" isWide>
          <Id kind="address" id={validator.owner_address} />
        </Fact>
        <Fact name="Consensus key" isWide>
          <Code text={validator.consensus_key} />
        </Fact>
        <Fact name="Validator id" isWide>
          <Code text={validator.validator} />
        </Fact>
      </Facts>
    </Card>
  );
}
