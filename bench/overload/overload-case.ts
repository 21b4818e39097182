/** One figure: what an ordinary caller sees on a quiet service, and what the same caller sees under load. */
export interface OverloadRow {
  readonly what: string;
  readonly quiet: string;
  readonly loaded: string;
  readonly expected: string;
  readonly holds: boolean;
}

/** Starts its own service, measures it quiet and then under load, stops it, and ends within about 20 seconds. */
export interface OverloadCase {
  readonly title: string;
  run(): Promise<readonly OverloadRow[]>;
}
