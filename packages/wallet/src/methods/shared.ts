/**
 * The group `shared`: payments of a shared wallet, from the proposal to the signed transaction.
 */
import { atomsOf, given, type Handler, payeeOf } from './method.ts';

export const sharedPropose: Handler<'shared_propose'> = async (wallet, params, { caller }) => {
  const { fee_per_mass, recipients, request_id, valid_cuts } = params;
  const kept = {
    recipients: recipients.map(({ amount, to }, at) => ({
      to: payeeOf(wallet, to, `recipients[${at}].to`),
      amount: atomsOf(amount, `recipients[${at}].amount`),
    })),
    ...given({ fee_per_mass, valid_cuts }),
  };
  return await wallet.sharedPayments.propose({
    request: {
      ...{ requestId: request_id, method: 'shared_propose', params: kept },
      ...{ isAutomatic: false, caller },
    },
    order: {
      payments: kept.recipients.map(({ amount, to }) => ({ address: to, amount: BigInt(amount) })),
      subtractFee: false,
      ...(fee_per_mass === undefined ? {} : { feePerMass: BigInt(fee_per_mass) }),
    },
    validCuts: valid_cuts,
  });
};

export const sharedReview: Handler<'shared_review'> = async (wallet, { package_hex }) =>
  await wallet.sharedPayments.review(package_hex);

export const sharedSign: Handler<'shared_sign'> = async (
  wallet,
  { digest, package_hex },
  { caller },
) => await wallet.sharedPayments.sign(package_hex, digest, caller);

export const sharedSubmit: Handler<'shared_submit'> = async (
  wallet,
  { packages_hex },
  { caller },
) => await wallet.sharedPayments.submit(packages_hex, caller);
