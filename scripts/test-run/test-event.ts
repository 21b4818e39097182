/** What Node's test runner reports. */
export interface TestEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type of event has its own data
  readonly data: any;
}
