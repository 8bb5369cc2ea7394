/**
 * The culprit of a failing check of a cut: the header, the set or the certificate, and within a list the
 * item.
 */
import { OK } from '../errors';

const NO_INDEX: i32 = -1;

let part: i32 = 0;
let index: i32 = NO_INDEX;

/** What is checked from now on; it is to blame until the next call. */
export function checking(subject: i32): void {
  part = subject;
  index = NO_INDEX;
}

/** Names the item to blame for an error that is about to be returned. */
export function blame(error: i32, item: i32): i32 {
  if (error != OK) index = item;
  return error;
}

/** One of the `PART_` numbers: what the last failing check blames. */
export function cutFaultPart(): i32 {
  return part;
}

/** The member of the set, or the signature of the certificate, that it blames, or -1. */
export function cutFaultIndex(): i32 {
  return index;
}
