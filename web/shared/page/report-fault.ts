const MAX_LENGTH = 4000;

/**
 * A part of the page could not be drawn: the log of the service says which, and why. `service` is its address, with a
 * slash at its end.
 */
export function reportFault(part: string, error: unknown, service = '/'): void {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const fault = { part, message: message.slice(0, MAX_LENGTH), stack: stack?.slice(0, MAX_LENGTH) };
  // As text, which needs no permission of another origin; it is also sent while the page goes.
  navigator.sendBeacon(`${service}page-faults`, JSON.stringify(fault));
}
