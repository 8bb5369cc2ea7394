/**
 * The places at which a crash would hurt a payment most, by name. Tests end the process there; otherwise
 * nothing happens at them.
 */
export const CRASH_POINTS = [
  'before_journal',
  'journal_uncommitted',
  'journal_committed',
  'before_submit',
  'during_submit',
  'after_submit',
  'after_answer',
  'after_record',
  'after_reply',
  'startup_scan',
  'resubmit',
  'finalisation',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** The places at which a crash would hurt the past that is read once more: before what it found, a batch, and its end are committed. */
export const RESCAN_POINTS = ['rescan_found', 'rescan_batch', 'rescan_end'] as const;

export type Reached = (point: CrashPoint | (typeof RESCAN_POINTS)[number]) => void;
