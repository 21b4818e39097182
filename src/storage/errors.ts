/** The database is temporarily unavailable. Nothing was changed, unless `outcomeUnknown`. */
export class DatabaseUnavailable extends Error {
  readonly outcomeUnknown: boolean;

  constructor(message: string, options?: { cause?: unknown; outcomeUnknown?: boolean }) {
    super(message, { cause: options?.cause });
    this.name = 'DatabaseUnavailable';
    this.outcomeUnknown = options?.outcomeUnknown ?? false;
  }
}

/** A unique key already exists, usually because of a concurrent change. Nothing was changed. */
export class UniqueViolation extends Error {
  constructor(options: { cause: unknown }) {
    super('The row already exists.', options);
    this.name = 'UniqueViolation';
  }
}

/** A read exceeded its time limit. */
export class ReadTooSlow extends Error {
  constructor() {
    super('The read took too long.');
    this.name = 'ReadTooSlow';
  }
}

/** The database belongs to another version or is incomplete. The message is shown to users. */
export class UnusableDatabase extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableDatabase';
  }
}

/** Another transaction held a lock for longer than this one may wait. Nothing was changed. */
export class LockNotAvailable extends Error {
  constructor(options?: { cause: unknown }) {
    super('A lock is held by another transaction.', options);
    this.name = 'LockNotAvailable';
  }
}
