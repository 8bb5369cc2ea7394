/**
 * Payments of a shared wallet. A proposal is recorded under the name that its caller gave it and holds its coins; its
 * package is the same whenever it is asked for. A payment has one id however many packages of it there are, so that it
 * is executed once, whichever member submits it.
 */

import type { Clock } from 'svc-base/pure';
import {
  addMultisigPackageSignatures,
  combineMultisigPackages,
  completeMultisigPackage,
  createMultisigPackage,
  multisigPackageSigningMessages,
  type PackageReview,
} from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { coinsOf, sumOf } from '../amounts.ts';
import { WalletError } from '../errors.ts';
import { memberKeyOf } from '../file/open-wallet-file.ts';
import { expectValid } from '../journal/limits.ts';
import {
  auditSignature,
  auditTransaction,
  canonicalJson,
  type OutgoingRequest,
  recordRequest,
} from '../journal/record.ts';
import type { Sender } from '../journal/sender.ts';
import type { Mismatches } from '../journal/settle.ts';
import { MEMBER_KEY, type SharedPolicy } from '../keys/fixed-addresses.ts';
import type { Keychain } from '../keys/keychain.ts';
import type { NodeLink } from '../node/node-link.ts';
import type { History } from '../scan/history.ts';
import type { PaymentBuilder } from '../spend/payment-builder.ts';
import { expectHistoryRead, type PaymentTurns } from '../spend/payment-queue.ts';
import type { Order } from '../spend/plan.ts';
import type { JournalRequest, JournalTransaction, NewTransaction } from '../state/journal.ts';
import type { State } from '../state/open-state.ts';
import {
  aboutPackage,
  expectPlainPayment,
  type ReviewDocument,
  type ReviewedPackage,
  type ReviewPorts,
  refusedPackage,
  reviewPackage,
} from './review-package.ts';

export interface SharedPaymentsPorts {
  readonly state: State;
  readonly keychain: Keychain;
  readonly node: NodeLink;
  readonly history: Pick<History, 'expectAgreement'>;
  readonly turns: PaymentTurns;
  readonly sender: Sender;
  readonly mismatches: Pick<Mismatches, 'tell'>;
  readonly clock: Clock;
  /** The most that one transaction may pay in fees, in atoms. */
  readonly feeMax: bigint;
  /** Resolves when what was recorded is on the disk, in the files beside the state too. */
  syncCopies(): Promise<void>;
}

export interface Proposal {
  readonly request: OutgoingRequest;
  readonly order: Order;
  readonly validCuts: number | undefined;
}

type Proposed = ReviewDocument & {
  readonly package_hex: string;
  readonly outcome: JournalTransaction['outcome'];
  readonly duplicate: boolean;
  readonly mismatch?: true;
};

const KIND = 'shared_payment';
const SIGN_METHOD = 'shared_sign';
const SUBMIT_METHOD = 'shared_submit';

export class SharedPayments {
  readonly #ports: SharedPaymentsPorts;

  constructor(ports: SharedPaymentsPorts) {
    this.#ports = ports;
  }

  async propose({ order, request, validCuts }: Proposal): Promise<Proposed> {
    this.#expectPolicy();
    const { journal } = this.#ports.state;
    const before = journal.findRequest(request.requestId);
    if (before !== undefined) return await this.#proposed(before, request);
    await this.#ports.turns.withBuilder(false, async (builder) => {
      if (journal.findRequest(request.requestId) !== undefined) return;
      const plan = await builder.plan(order);
      this.#record(
        request,
        builder,
        builder.draftBody(plan, this.#expectPolicy().address, validCuts),
      );
    });
    await this.#ports.syncCopies();
    const made = journal.findRequest(request.requestId) as JournalRequest;
    const answer = await this.#proposed(made, request);
    return answer.mismatch === true ? answer : { ...answer, duplicate: false };
  }

  async review(packageHex: string): Promise<ReviewDocument> {
    return (await this.#review(packageHex, 'package_hex')).document;
  }

  /**
   * Adds the signature of this wallet's member to the package whose review has this digest. The audit has a line of it
   * before the signature leaves.
   */
  async sign(
    packageHex: string,
    digest: string,
    caller: OutgoingRequest['caller'],
  ): Promise<ReviewDocument & { readonly package_hex: string }> {
    const path = 'package_hex';
    const { keychain, node, state } = this.#ports;
    expectHistoryRead(state, node);
    const reviewed = await this.#review(packageHex, path);
    const { bytes } = reviewed;
    const { root } = keychain;
    if (digest !== reviewed.document.digest)
      throw refusedPackage('digest', 'the package is not the one that was reviewed');
    await this.#expectSignable(reviewed, path);
    const { account, branch, position } = MEMBER_KEY;
    const manifest = await this.#manifest();
    // Nothing is waited for from here to the signatures.
    expectValid(caller);
    const signed = aboutPackage(path, () => {
      const messages = multisigPackageSigningMessages(bytes, digest, manifest);
      const signatures = (JSON.parse(messages) as string[]).map((message) =>
        toHex(root.sign(account, branch, position, fromHex(message), true)),
      );
      const publicKey = fromHex(memberKeyOf(root));
      return addMultisigPackageSignatures(bytes, publicKey, JSON.stringify(signatures), manifest);
    });
    const hex = toHex(signed);
    const { document } = await this.#review(hex, path);
    this.#auditSignature(reviewed, caller);
    await this.#ports.syncCopies();
    return { package_hex: hex, ...document };
  }

  /** Refuses what a person should not have agreed to, or cannot have known. */
  async #expectSignable({ document, review }: ReviewedPackage, path: string): Promise<void> {
    const { feeMax, node } = this.#ports;
    await node.recentSync();
    expectPlainPayment(document, path, node.height);
    if (BigInt(review.fee) > feeMax) {
      const message = `the fee is ${review.fee} atoms, the most is ${feeMax}`;
      throw new WalletError('fee_above_cap', message, { hint: 'raise --max-fee if it is right' });
    }
    const unknown = document.inputs.find(({ known }) => !known);
    if (unknown !== undefined) {
      const found = `output ${unknown.transaction}:${unknown.output} is not an unspent one of this wallet`;
      throw refusedPackage(path, found);
    }
  }

  /** The payment is named as this device has it, or would have it once it is sent from here. */
  #auditSignature({ document, review }: ReviewedPackage, caller: OutgoingRequest['caller']): void {
    const { state } = this.#ports;
    const { digest, fee, payments: recipients, transaction } = document;
    const own = state.journal.findTransaction(transaction);
    const request_id =
      own === undefined ? submittedName(transaction) : state.journal.request(own.request).requestId;
    const amount = coinsOf(paidBy(review).reduce((sum, recipient) => sum + recipient.amount, 0n));
    state.database.transaction(() =>
      auditSignature(state, {
        ...{ caller: caller?.name ?? null, request_id, method: SIGN_METHOD, transaction },
        ...{ kind: KIND, amount, fee, recipients, digest },
      }),
    );
  }

  /** Joins packages and sends the payment. A payment that was sent before is not recorded again. */
  async submit(packages: readonly string[], caller: OutgoingRequest['caller']) {
    const { history, node, sender, state } = this.#ports;
    const path = 'packages_hex';
    history.expectAgreement();
    expectHistoryRead(state, node);
    const manifest = await this.#manifest();
    for (const [at, hex] of packages.entries()) await this.#review(hex, `${path}[${at}]`);
    const [joined, wire] = aboutPackage(path, () => {
      const parts = packages.map((hex) => fromHex(hex));
      const combined = combineMultisigPackages(parts, manifest);
      return [toHex(combined), completeMultisigPackage(combined, manifest)] as const;
    });
    const reviewed = await this.#review(joined, path);
    const before = state.journal.findTransaction(reviewed.document.transaction);
    const isDuplicate = before !== undefined && state.journal.wireOf(before.id) !== null;
    const id = before?.id ?? this.#recordSubmitted(reviewed, wire, caller);
    if (before !== undefined) {
      expectValid(caller);
      state.journal.addWire(id, wire);
    }
    await this.#ports.syncCopies();
    const { state: sent } = state.journal.transaction(id);
    if (sent !== 'known' && sent !== 'final') await sender.send(id);
    return this.#submitted(id, reviewed.document, isDuplicate);
  }

  #submitted(id: number, document: ReviewDocument, isDuplicate: boolean) {
    const { journal } = this.#ports.state;
    const transaction = journal.transaction(id);
    const details = { transaction: transaction.transactionId };
    if (transaction.refusal !== null) {
      const { code, message } = JSON.parse(transaction.refusal) as {
        code: string;
        message: string;
      };
      throw new WalletError('node_refused', `the node refused the transaction: ${message}`, {
        details: { ...details, node_code: code },
      });
    }
    if (transaction.state !== 'known' && transaction.state !== 'final') {
      const message = 'the node has not confirmed that it has the transaction';
      const hint = 'repeat with the same packages; the daemon goes on sending it';
      throw new WalletError('outcome_unknown', message, { hint, details });
    }
    const { requestId } = journal.request(transaction.request);
    const { outcome } = transaction;
    return { ...document, request_id: requestId, outcome, duplicate: isDuplicate };
  }

  async #proposed(known: JournalRequest, request: OutgoingRequest): Promise<Proposed> {
    const { journal } = this.#ports.state;
    const isSame =
      known.method === request.method && known.params === canonicalJson(request.params);
    if (!isSame) this.#ports.mismatches.tell(request);
    const { package_hex } = JSON.parse(known.result ?? '{}') as { package_hex?: string };
    if (package_hex === undefined) {
      const message = 'the name was used for something else';
      throw new WalletError('invalid_params', message, { path: 'request_id' });
    }
    const { document } = await this.#review(package_hex, 'request_id');
    const [transaction] = journal.transactionsOf(known.id);
    const outcome = transaction?.outcome ?? null;
    const marks = { duplicate: true, ...(isSame ? {} : { mismatch: true as const }) };
    return { package_hex, ...document, outcome, ...marks };
  }

  #record(
    request: OutgoingRequest,
    { context }: PaymentBuilder,
    { body, plan, transactionId, validUntil }: ReturnType<PaymentBuilder['draftBody']>,
  ): void {
    const { descriptor } = this.#expectPolicy();
    const amounts = JSON.stringify(plan.coins.map(({ amount }) => String(amount)));
    const bytes = createMultisigPackage(descriptor, body, amounts, context.terms.manifest);
    const recipients = plan.payments.map(({ address, amount }) => ({ to: address, amount }));
    const transaction = { transactionId, wire: null, validUntil, fee: plan.fee, recipients };
    const coins = plan.coins.map(({ id }) => id);
    this.#recordPayment(request, transaction, { package_hex: toHex(bytes) }, (id) =>
      this.#ports.state.outputs.reserve(coins, id),
    );
  }

  #recordSubmitted(
    { document, review }: ReviewedPackage,
    wire: Uint8Array,
    caller: OutgoingRequest['caller'],
  ): number {
    const request = {
      requestId: submittedName(document.transaction),
      method: SUBMIT_METHOD,
      params: { transaction: document.transaction },
      isAutomatic: false,
      ...(caller === undefined ? {} : { caller }),
    };
    const transaction = {
      transactionId: document.transaction,
      wire,
      validUntil: document.valid_until_height,
      fee: BigInt(review.fee),
      recipients: paidBy(review),
    };
    return this.#recordPayment(request, transaction, {}, (row) => this.#keepInputs(document, row));
  }

  /**
   * Keeps the inputs of a payment that this device did not propose. One that another payment of this wallet holds stays
   * with that one and passes on when it is decided; one that is spent by another payment is contested from now on.
   */
  #keepInputs({ inputs }: ReviewDocument, id: number): void {
    const { state } = this.#ports;
    for (const { output, transaction } of inputs)
      state.inputs.add({ transactionId: transaction, outputIndex: output }, id);
    state.inputs.reserve();
  }

  #recordPayment(
    request: OutgoingRequest,
    transaction: PaymentRecord,
    result: object,
    hold: (id: number) => void,
  ): number {
    const { clock, state } = this.#ports;
    const { recipients, ...known } = transaction;
    const shown = recipients.map(({ amount, to }) => ({
      to,
      amount: coinsOf(amount),
    }));
    return state.database.transaction(() => {
      expectValid(request.caller);
      const { id: made } = recordRequest(state, request, clock);
      const id = state.journal.addTransaction({
        ...known,
        request: made,
        kind: KIND,
        amount: sumOf(recipients),
        recipients: JSON.stringify(shown),
        createdAtMillis: clock.now(),
      });
      auditTransaction(state, state.journal.transaction(id), { event: 'made' });
      state.journal.finishRequest(made, JSON.stringify(result));
      hold(id);
      return id;
    });
  }

  async #review(hex: string, path: string): Promise<ReviewedPackage> {
    return reviewPackage(await this.#reviewPorts(), hex, path);
  }

  async #reviewPorts(): Promise<ReviewPorts> {
    const { keychain, state } = this.#ports;
    const policy = this.#expectPolicy();
    const own = keychain.hasRoot ? policy.members.indexOf(memberKeyOf(keychain.root)) : -1;
    return { state, policy, ownMember: own < 0 ? null : own, manifest: await this.#manifest() };
  }

  async #manifest(): Promise<string> {
    return (await this.#ports.node.rules()).terms.manifest;
  }

  #expectPolicy(): SharedPolicy {
    const { policy } = this.#ports.keychain;
    if (policy !== null) return policy;
    throw new WalletError('not_shared', 'the wallet belongs to one owner', { hint: 'use send' });
  }
}

/** The name of a payment that this device did not propose. */
function submittedName(transaction: string): string {
  return `shared:${transaction}`;
}

/** The recipients and their amounts, without change. */
function paidBy({ recipients }: PackageReview): PaymentRecord['recipients'] {
  return recipients
    .filter(({ is_change }) => !is_change)
    .map(({ address, amount }) => ({ to: address, amount: BigInt(amount) }));
}

type PaymentRecord = Pick<NewTransaction, 'transactionId' | 'wire' | 'validUntil' | 'fee'> & {
  readonly recipients: readonly { readonly to: string; readonly amount: bigint }[];
};
