// Loaded before the program by `node --import`: shifts the process's clock by CLOCK_SHIFT_MS.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = globalThis.Date;

globalThis.Date = class extends RealDate {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(RealDate.now() + shiftMs);
    else super(...args);
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
} as DateConstructor;
