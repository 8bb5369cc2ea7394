/**
 * What is on disk before a signature leaves: every input that led to it, and the record of it.
 */
import { decodeSignState, signStepOf } from 'svc-consensus/machine';
import { equalBytes } from 'svc-wasm/base';
import { signedBytesOf } from '../world/keyring.ts';
import type { Checker } from './checker.ts';

export function durability(): Checker {
  return {
    onSigned(world, node, message) {
      if (!node.disk.isLogSynced)
        world.fail('durability', `validator ${node.index} signed with inputs not on disk`);
      if (node.disk.refusedWrites > 0)
        world.fail('durability', `validator ${node.index} signed after a write had failed`);
      const bytes = node.disk.signState.durable;
      const last = bytes === undefined ? undefined : decodeSignState(bytes)?.last;
      const isRecorded =
        last !== undefined &&
        last.height === message.height &&
        last.round === message.round &&
        last.step === signStepOf(message.kind) &&
        equalBytes(last.signedBytes, signedBytesOf(message));
      if (!isRecorded)
        world.fail('durability', `validator ${node.index} signed without a durable record`);
    },
  };
}
