/**
 * The validators that run inside a node: none, one, or the several of a development network.
 */
import { join } from 'node:path';
import type { ValidatorStatusDocument } from 'svc-api';
import { ATTENDANCE_WINDOWS, type Attendance, SINGLE_KEY, windowsPresent } from 'svc-ledger';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ValidatorFacts } from '../log/status-line.ts';
import type { ValidatorOverlay } from '../ports/overlay.ts';
import type { Relay } from '../ports/relay.ts';
import type { DriverFaults } from '../validator/driver-faults.ts';
import type { SignStateChoice } from '../validator/open-validator.ts';
import { ValidatorDriver } from '../validator/validator-driver.ts';
import type { ValidatorKey } from '../validator/validator-key.ts';
import type { NodeCore } from './node-core.ts';

export interface Seat {
  /** Names the folder of its sign state. */
  readonly name: string;
  readonly key: ValidatorKey;
  readonly overlay: ValidatorOverlay;
  readonly signState: SignStateChoice;
  readonly faults?: DriverFaults;
}

export interface SeatPorts {
  readonly core: NodeCore;
  readonly relay: Relay;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly onFatal: (error: unknown) => void;
}

export function startSeat(seat: Seat, ports: SeatPorts): Promise<ValidatorDriver> {
  const { core, relay, dataDir, clock, log, onFatal } = ports;
  const { chain, blocks, workers } = core;
  const { name, ...rest } = seat;
  return ValidatorDriver.start({
    ...rest,
    chain,
    blocks,
    relay,
    checks: {
      learnSet: (encoded) => workers.learnSet(encoded),
      verify: (messages) => workers.checkMessages(messages),
    },
    directory: join(dataDir, 'validator', name),
    clock,
    log: log.part('validator'),
    onFatal,
  });
}

export function validatorDocument(
  { chain }: NodeCore,
  driver: ValidatorDriver | undefined,
): ValidatorStatusDocument | null {
  if (driver === undefined) return null;
  const { validatorId, signing, lastSignedHeight } = driver.status;
  if (validatorId === null) return null;
  return {
    validator_id: validatorId,
    state: signing,
    committee: attendanceOf(chain, validatorId) !== undefined,
    last_signed_height: lastSignedHeight,
  };
}

export function validatorFacts(
  { chain }: NodeCore,
  driver: ValidatorDriver | undefined,
): ValidatorFacts | null {
  if (driver === undefined) return null;
  const { validatorId } = driver.status;
  const attendance = validatorId === null ? undefined : attendanceOf(chain, validatorId);
  const validator = validatorId === null ? undefined : chain.view.get('validators', validatorId);
  return {
    signedWindows: attendance === undefined ? 0 : windowsPresent(attendance),
    windows: ATTENDANCE_WINDOWS,
    heartbeatEpoch: validator?.heartbeatEpoch ?? null,
    heartbeat: 'off',
  };
}

/** Of a member of the committee; undefined for others. */
function attendanceOf({ view }: NodeCore['chain'], validatorId: string): Attendance | undefined {
  const epoch = view.get('epoch', SINGLE_KEY);
  const place = epoch?.members.findIndex((member) => member.validatorId === validatorId) ?? -1;
  return epoch?.attendance[place];
}
