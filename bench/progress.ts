/** Prints progress to standard error: on a terminal it replaces the line, otherwise it adds one. */
export function showProgress(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
}

/** Prints details of the last progress that only a terminal shows. */
export function updateProgress(text: string): void {
  if (process.stderr.isTTY) showProgress(text);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
