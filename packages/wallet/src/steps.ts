/**
 * The steps of a payment and of a deposit, one by one, for benchmarks that measure each of them. A program that uses a
 * wallet needs none of these, and they change whenever the wallet does.
 */
export { recordRequest, recordTransactions } from './journal/record.ts';
export { AddressBook } from './keys/address-book.ts';
export { checkAnswer } from './node/nodes.ts';
export { applyLive } from './scan/apply-changes.ts';
export { type DetailedChange, NO_DETAILS } from './scan/change.ts';
export { CutChanges } from './scan/cut-changes.ts';
export { buildTransaction } from './spend/build.ts';
export { type ChainTerms, massModelOf, termsOf } from './spend/mass-model.ts';
export { planOrder, type SpendContext } from './spend/plan.ts';
