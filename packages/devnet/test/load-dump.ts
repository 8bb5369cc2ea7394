/**
 * Another process that goes on with a dumped network: it loads the file that the first word names, and makes the transaction
 * of the second word final.
 */
import { balance } from 'svc-client';
import { createDevnet } from 'svc-devnet';

const [load = '', transactionId = ''] = process.argv.slice(2);
await using net = await createDevnet({ load });
const { height, chainId } = net;
const now = net.now();
const { lifecycle } = await net.mineUntilFinal(transactionId);
const { atoms } = await balance(net.client, net.accounts[1].address);
process.stdout.write(JSON.stringify({ chainId, height, now, lifecycle, atoms: String(atoms) }));
