/**
 * The shell of a node.
 */

export { FileSignState, SocketKeyLock } from 'svc-consensus/signer';
export { identityOf, openIdentity } from './identity/identity-file.ts';
export { Journal } from './mempool/journal.ts';
export { MEMPOOL_LIMITS, type MempoolLimits } from './mempool/pool-contents.ts';
export { PooledTransaction, SubmittedTransaction } from './mempool/pooled-transaction.ts';
export { RateOrder } from './mempool/rate-order.ts';
export { type Random, SYSTEM_RANDOM, selectTransactions } from './mempool/select.ts';
export { type MempoolPorts, TransactionPool } from './mempool/transaction-pool.ts';
export { AheadChecks, type AheadChecksPorts } from './workers/ahead-checks.ts';
export { SignatureWorkers, type SignatureWorkersOptions } from './workers/signature-workers.ts';
