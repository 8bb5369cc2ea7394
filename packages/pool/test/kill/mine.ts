/**
 * A miner of this process that works until its server is killed, and counts its answers.
 */
import { TestMiner } from '../../../bridge/test/test-miner.ts';

/** What a miner was told, over all connections. */
export interface Tally {
  readonly address: string;
  acknowledged: number;
  /** Sent, and the connection was gone before the answer. */
  unanswered: number;
}

/** Mines until the connection is lost. */
export async function mineUntilClosed(
  tally: Tally,
  port: number,
  intervalCuts: number,
): Promise<void> {
  const miner = new TestMiner({
    way: { type: 'tcp', port },
    protocol: 'svc-mining-v2',
    username: `${tally.address}.rig`,
    intervalCuts,
  });
  let isConnected = false;
  try {
    await miner.connect();
    isConnected = true;
    for (;;) {
      const nonce = await miner.findBlock();
      tally.unanswered++;
      const answer = await miner.submit(nonce.job, nonce.nonce);
      tally.unanswered--;
      if (answer.isAccepted) tally.acknowledged++;
    }
  } catch (error) {
    // The server was killed: what was under way has no answer. Anything else is a fault.
    if (isConnected && !miner.isClosed) throw error;
  } finally {
    await miner.close();
  }
}
