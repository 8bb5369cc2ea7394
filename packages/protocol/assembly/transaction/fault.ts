/**
 * Failures of a transaction: the reader's error and, where one item of a list is to blame, its
 * place in the list.
 */
import { readerError, readerFail } from '../codec/reader';
import { OK } from '../errors';

const NO_INDEX: i32 = -1;

let index: i32 = NO_INDEX;

export function faultBegin(): void {
  index = NO_INDEX;
}

/** The input, output or witness to blame, or -1. */
export function faultIndex(): i32 {
  return index;
}

/** Names the item to blame for an error that is about to be returned. */
export function blame(error: i32, item: i32): i32 {
  if (error != OK) index = item;
  return error;
}

/** Fails the reader and names the item, unless the reader has failed before. */
export function failAt(error: i32, item: i32): void {
  if (readerError() == OK) index = item;
  readerFail(error);
}
