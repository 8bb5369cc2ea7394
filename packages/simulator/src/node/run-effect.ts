/**
 * Carrying out one effect of the machine in the simulated world.
 */
import type { Effect, PeerMessage, SignedMessage, UnsignedMessage } from 'svc-finality';
import type { Cut } from '../world/cut.ts';
import { signedBytesOf } from '../world/keyring.ts';
import type { Payload } from '../world/payload.ts';
import type { Node } from './node.ts';

export function runEffect(node: Node, effect: Effect): void {
  const { world, disk, application } = node;
  switch (effect.type) {
    case 'resetLog':
      disk.resetLog();
      break;
    case 'append':
      disk.append(effect.input);
      break;
    case 'sync':
      world.protocol.syncLog(disk);
      break;
    case 'sign':
      sign(node, effect.message);
      break;
    case 'broadcast':
      for (const to of node.peers()) sendMessage(node, to, effect.message);
      break;
    case 'send':
      sendMessage(node, effect.to, effect.message);
      break;
    case 'sendDecision':
      sendDecision(node, effect.to, effect.height);
      break;
    case 'scheduleStart':
      world.scheduleStart(node, effect);
      break;
    case 'schedule':
      world.scheduleTimer(node, effect);
      break;
    case 'scheduleAntiEntropy':
      world.scheduleAntiEntropy(node, effect);
      break;
    case 'buildCut':
      buildCut(node, effect);
      break;
    case 'validateCut':
      application.validate(effect);
      break;
    case 'fetchCut':
      application.certified.add(effect.value);
      application.pending.set(effect.value, node.random.pick(node.peers()));
      fetchAgain(node);
      break;
    case 'fetchPolka': {
      const { height, round, value } = effect;
      node.say(effect.from, { type: 'polkaRequest', height, round, value });
      break;
    }
    case 'fetchPrecommits': {
      const { height, round, signers } = effect;
      node.say(effect.from, { type: 'precommitsRequest', height, round, signers });
      break;
    }
    case 'storeCut': {
      const cut = application.headers.get(effect.value);
      if (cut !== undefined) disk.storeCut(cut);
      break;
    }
    case 'evidence':
      application.noteConflict(effect.conflict);
      world.observeEvidence(node, effect.conflict);
      break;
    case 'decide':
      decide(node, effect);
      break;
  }
}

function sign(node: Node, message: UnsignedMessage): void {
  const { world, signer } = node;
  if (node.behaviour !== undefined) {
    const signature = node.signAnything(message);
    node.input({ type: 'signed', message: { ...message, signature } as SignedMessage });
    return;
  }
  if (signer === undefined) return;
  world.signing = message;
  const result = signer.sign(message.kind, message.height, message.round, signedBytesOf(message));
  if (result.type === 'refused') {
    node.input({ type: 'signRefused', message, reason: result.reason });
    return;
  }
  const signed = { ...message, signature: result.signature } as SignedMessage;
  world.observeSigned(node, signed);
  node.input({ type: 'signed', message: signed });
}

function sendMessage(node: Node, to: number, message: PeerMessage): void {
  if (!node.world.protocol.sends(message)) return;
  node.say(to, payloadOf(node, to, message));
}

function payloadOf(node: Node, to: number, message: PeerMessage): Payload {
  if (message.kind !== 'proposal')
    return { type: 'message', message, cut: undefined, withBodies: false };
  const cut = node.application.headers.get(message.value);
  return {
    type: 'message',
    message,
    cut,
    withBodies: cut !== undefined && hasBodies(node, cut, to),
  };
}

/** Bodies travel ahead of proposals, except those their maker holds back. */
function hasBodies(node: Node, cut: Cut, to: number): boolean {
  if (cut.bodiesFor === 'everybody') return node.application.bodies.has(cut.id);
  return cut.proposer === node.index && cut.bodiesFor.has(to);
}

function sendDecision(node: Node, to: number, height: number): void {
  const decision = node.disk.chain[height - 1];
  if (decision === undefined) return;
  const { cut, certificate: message } = decision;
  node.say(to, { type: 'message', message, cut, withBodies: false });
}

function buildCut(node: Node, effect: Extract<Effect, { type: 'buildCut' }>): void {
  const { height, round } = effect;
  const honest = node.application.makeCut(effect.previousRound, effect.previousSigners);
  const other = node.behaviour?.build?.(node, honest);
  const cut = other === undefined ? honest : node.application.seal(other);
  node.application.learn(cut, true);
  const delay = node.world.applicationDelay();
  node.world.later(node, delay, { type: 'cutBuilt', height, round, value: cut.id });
}

/** Asks two peers for cuts that are certified and missing, until they are here. */
export function fetchAgain(node: Node): void {
  const { application } = node;
  application.judgePending();
  const missing = [...application.certified].filter((value) => !application.bodies.has(value));
  if (missing.length === 0) return;
  for (const value of missing)
    for (let count = 0; count < 2; count++)
      node.say(node.random.pick(node.peers()), { type: 'cutRequest', value });
  node.world.retryFetchLater(node);
}

function decide(node: Node, effect: Extract<Effect, { type: 'decide' }>): void {
  const { certificate } = effect;
  const cut = node.application.headers.get(certificate.value);
  if (cut === undefined) {
    node.world.fail('decision', `validator ${node.index} decided a cut it does not hold`);
    return;
  }
  node.disk.chain.push({ cut, certificate });
  node.application.decided(cut);
  node.world.observeDecision(node, cut, certificate);
  node.chainState = node.world.chain.after(node.chainState, cut);
  node.startNextHeight();
}
