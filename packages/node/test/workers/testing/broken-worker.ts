/** A worker that cannot start. */
throw new Error('this program does not start');
