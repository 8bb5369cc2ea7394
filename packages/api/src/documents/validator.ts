/**
 * Validators as the explorer shows them.
 */
import { type Static, Type } from 'typebox';
import { Address, Atoms, Count, Height, Identifier } from '../base/scalars.ts';

export const ValidatorState = Type.Union([
  Type.Literal('live'),
  Type.Literal('registered'),
  Type.Literal('lapsed'),
  Type.Literal('jailed'),
  Type.Literal('exited'),
  Type.Literal('removed'),
]);

export const Removal = Type.Object({
  height: Height,
  reason: Type.Literal('equivocation'),
  burned: Type.String({
    description: 'Atoms that the removal burned: of its own bond, and a tenth of each delegation.',
  }),
});
export type Removal = Static<typeof Removal>;

export const Attendance = Type.Object({
  epoch: Count,
  windows: Type.Array(Type.Boolean(), {
    description:
      'Whether the member was present in each of the twelve windows; those to come are false.',
  }),
  present: Count,
});
export type Attendance = Static<typeof Attendance>;

const VALIDATOR_FIELDS = {
  validator: Identifier,
  state: ValidatorState,
  committee: Type.Boolean({
    description: 'Whether it sits in the committee of the running epoch.',
  }),
  stake: Atoms,
  commission_bps: Count,
  pending_commission: Type.Union([
    Type.Object({ commission_bps: Count, from_epoch: Count }),
    Type.Null(),
  ]),
  heartbeat_epoch: Type.Union([Count, Type.Null()]),
  registered_epoch: Count,
  eligible_from_epoch: Count,
  jailed_until_epoch: Count,
  attendance: Type.Union([Attendance, Type.Null()]),
  removal: Type.Union([Removal, Type.Null()], {
    description: 'Null unless it was removed.',
  }),
};

export const ValidatorSummary = Type.Object(VALIDATOR_FIELDS);
export type ValidatorSummary = Static<typeof ValidatorSummary>;

export const ValidatorDetails = Type.Object({
  ...VALIDATOR_FIELDS,
  owner_address: Address,
  self_bond: Identifier,
  consensus_key: Type.String(),
  pending_key: Type.Union([
    Type.Object({ consensus_key: Type.String(), from_epoch: Count }),
    Type.Null(),
  ]),
  overlay_endpoint_hex: Type.String(),
  end_height: Type.Union([Height, Type.Null()]),
  history: Type.Array(Attendance, {
    description: 'Attendance of past epochs that this node has seen, newest first.',
  }),
});
export type ValidatorDetails = Static<typeof ValidatorDetails>;
