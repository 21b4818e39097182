// Loaded before the program by `node --import`: its own clock is wrong by CLOCK_SHIFT_MS, everything else is as it is.
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = globalThis.Date;

globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }

  static override now(): number {
    return RealDate.now() + shift;
  }
} as DateConstructor;
