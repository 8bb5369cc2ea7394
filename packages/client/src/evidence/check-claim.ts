/**
 * Proves one claim step by step. Every step reports what it did, how much it read and how long it took; the first one
 * that does not hold ends the proof.
 */
import type { CheckContext, CheckPorts, TakeStep } from './check-context.ts';
import { checkAnswer } from './checks/answer.ts';
import { checkBalance } from './checks/balance.ts';
import { checkCut, checkHead, checkValidators } from './checks/chain.ts';
import { checkOutput } from './checks/output.ts';
import { checkPayment } from './checks/payment.ts';
import { checkSupply } from './checks/supply.ts';
import { checkTransaction } from './checks/transaction.ts';
import type { Claim, ProofResult } from './claims.ts';
import { resultOfError } from './verdicts.ts';

export async function checkClaim(claim: Claim, ports: CheckPorts): Promise<ProofResult> {
  const context = { ...ports, step: stepTaker(ports) };
  try {
    return await checkWith(claim, context);
  } catch (error) {
    return resultOfError(error);
  }
}

function stepTaker({ read, clock, onStep }: CheckPorts): TakeStep {
  return async (title, run) => {
    const began = clock();
    const before = read.bytes;
    const tell = (detail: string, isOk: boolean) =>
      onStep({ title, detail, bytes: read.bytes - before, millis: clock() - began, isOk });
    try {
      const [value, detail] = await run();
      tell(detail, true);
      return value;
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error), false);
      throw error;
    }
  };
}

function checkWith(claim: Claim, context: CheckContext): Promise<ProofResult> {
  switch (claim.kind) {
    case 'head':
      return checkHead(context);
    case 'cut':
      return checkCut(context, claim);
    case 'balance':
      return checkBalance(context, claim.address);
    case 'output':
      return checkOutput(context, claim);
    case 'transaction':
      return checkTransaction(context, claim.id);
    case 'payment':
      return checkPayment(context, claim);
    case 'validators':
      return checkValidators(context);
    case 'supply':
      return checkSupply(context);
    case 'answer':
      return checkAnswer(context, claim);
  }
}
