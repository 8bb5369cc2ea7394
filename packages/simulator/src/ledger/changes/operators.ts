/**
 * What the operators of validators send: a heartbeat in every epoch for as long as the process runs, and once each the
 * registration, the exit and the new key that the plan has for them. What was not executed is sent again.
 */
import type { Address, OutputRecord, ValidatorRecord } from 'svc-ledger';
import { epochOf, keyAddress } from 'svc-ledger';
import { toHex } from 'svc-wasm/base';
import type { CommitteeChanges } from '../../plan/committee-changes.ts';
import type { Replica } from '../replica.ts';
import type { LedgerSetting } from '../setting.ts';
import { BOND_UNIT } from '../setting.ts';
import type { WalletTransaction } from '../wallet.ts';
import { encodeRequest, FEE, inputOf } from '../wallet.ts';

/** A block has room for so many of them beside what others send. */
const PER_BLOCK_MAX = 2;
/** What was sent is given so many cuts to be executed. */
const PATIENCE_CUTS = 4;
const VALIDITY_CUTS = 12;
const COMMISSION_BPS = 500;
const ENDPOINT = '01';

interface OperationRequest {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

interface Draft {
  /** What it does, to recognise it. */
  readonly name: string;
  readonly operation: OperationRequest;
  /** Who has to sign the operation. */
  readonly signer: Address;
  readonly bonded: bigint;
}

export class Operators {
  readonly #setting: LedgerSetting;
  readonly #changes: CommitteeChanges;
  readonly #isUp: (validator: number) => boolean;
  /** When it was sent last. */
  readonly #sentAt = new Map<string, number>();
  /** Outputs that something sent lately spends. */
  readonly #spentAt = new Map<string, number>();

  constructor(
    setting: LedgerSetting,
    changes: CommitteeChanges,
    isUp: (validator: number) => boolean,
  ) {
    this.#setting = setting;
    this.#changes = changes;
    this.#isUp = isUp;
  }

  /** The next transactions for a block on the newest cut of a replica. */
  send(replica: Replica): WalletTransaction[] {
    const { height } = replica;
    const isFree = (sent: number | undefined) =>
      sent === undefined || height - sent >= PATIENCE_CUTS;
    const drafts = [...this.#steps(replica), ...this.#heartbeats(replica)].filter(({ name }) =>
      isFree(this.#sentAt.get(name)),
    );
    const coins = replica.state
      .records('outputs')
      .filter(([, { address }]) => address === this.#setting.operator.address)
      .filter(([outpoint]) => isFree(this.#spentAt.get(outpoint)));
    const made: WalletTransaction[] = [];
    for (const draft of drafts.slice(0, PER_BLOCK_MAX)) {
      const at = coins.findIndex(([, { amount }]) => amount > draft.bonded + FEE);
      const [coin] = at < 0 ? [] : coins.splice(at, 1);
      if (coin === undefined) continue;
      this.#sentAt.set(draft.name, height);
      this.#spentAt.set(coin[0], height);
      made.push(this.#encode(draft, coin, height));
    }
    return made;
  }

  #steps(replica: Replica): Draft[] {
    const { joins, exits, rotations } = this.#changes;
    const isDue = ({ fromHeight }: { readonly fromHeight: number }) => replica.height >= fromHeight;
    return [
      ...joins.filter(isDue).flatMap(({ validator, stake }) => {
        const isKnown = this.#setting.roll.idOf(validator) !== undefined;
        return isKnown ? [] : [this.#registration(validator, stake * BOND_UNIT)];
      }),
      ...exits.filter(isDue).flatMap(({ validator }) => {
        const [id, record] = replica.recordOf(validator);
        if (record?.status !== 'active') return [];
        return [
          ownerDraft(`exit ${validator}`, record, { type: 'exit', data: { validator_id: id } }),
        ];
      }),
      ...rotations.filter(isDue).flatMap(({ validator }) => {
        const [id, record] = replica.recordOf(validator);
        if (record?.status !== 'active' || record.pendingKey !== null) return [];
        if (this.#setting.holderOf(record.consensusKey.publicKey).generation > 0) return [];
        const data = { validator_id: id, ...this.#keyFields(validator, 1) };
        return [ownerDraft(`rotate ${validator}`, record, { type: 'rotate_key', data })];
      }),
    ];
  }

  #heartbeats(replica: Replica): Draft[] {
    const epoch = epochOf(replica.height + 2, this.#setting.parameters.interval);
    const drafts: Draft[] = [];
    for (const [validator, id] of this.#setting.roll.entries()) {
      const record = replica.state.get('validators', id);
      if (record?.status !== 'active' || record.heartbeatEpoch === epoch) continue;
      if (!this.#isUp(validator)) continue;
      drafts.push({
        name: `heartbeat ${validator} ${epoch}`,
        operation: { type: 'heartbeat', data: { validator_id: id, epoch: String(epoch) } },
        signer: keyAddress(record.consensusKey.keyHash),
        bonded: 0n,
      });
    }
    return drafts;
  }

  #registration(validator: number, amount: bigint): Draft {
    const { operator } = this.#setting;
    return {
      name: `join ${validator}`,
      operation: {
        type: 'validator_register',
        data: {
          owner_address: operator.text,
          reward_address: operator.text,
          amount: String(amount),
          commission_bps: String(COMMISSION_BPS),
          ...this.#keyFields(validator, 0),
        },
      },
      signer: operator.address,
      bonded: amount,
    };
  }

  #keyFields(validator: number, generation: number) {
    const key = this.#setting.consensusKeyOf({ validator, generation });
    return { consensus_public_key_hex: toHex(key), overlay_endpoint_hex: ENDPOINT };
  }

  #encode(
    { operation, signer, bonded }: Draft,
    [outpoint, output]: readonly [string, OutputRecord],
    height: number,
  ): WalletTransaction {
    const { operator } = this.#setting;
    const request = {
      valid_from_height: String(height),
      valid_until_height: String(height + VALIDITY_CUTS),
      inputs: [inputOf(outpoint)],
      outputs: [{ address: operator.text, amount: String(output.amount - FEE - bonded) }],
      payload_hex: '',
      operation,
    };
    return { outpoint, ...encodeRequest(this.#setting, request, operator, output, signer) };
  }
}

function ownerDraft(name: string, record: ValidatorRecord, operation: OperationRequest): Draft {
  return { name, operation, signer: record.ownerAddress, bonded: 0n };
}
