/** The database could not do it now. Nothing was changed, unless `outcomeUnknown`. */
export class DatabaseUnavailable extends Error {
  readonly outcomeUnknown: boolean;

  constructor(message: string, options?: { cause?: unknown; outcomeUnknown?: boolean }) {
    super(message, { cause: options?.cause });
    this.name = 'DatabaseUnavailable';
    this.outcomeUnknown = options?.outcomeUnknown ?? false;
  }
}

/** Somebody else made the same at the same moment. Nothing was changed. */
export class UniqueViolation extends Error {
  constructor(options: { cause: unknown }) {
    super('It is there already.', options);
    this.name = 'UniqueViolation';
  }
}

/** A read ran longer than it may. */
export class ReadTooSlow extends Error {
  constructor() {
    super('The read took too long.');
    this.name = 'ReadTooSlow';
  }
}

/** What is kept there is not for this version, or not whole. The message is for a person. */
export class UnusableDatabase extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableDatabase';
  }
}
