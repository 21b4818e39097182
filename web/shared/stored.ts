/** What this browser keeps for all pages. Where it allows no storage, the pages work and keep nothing. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(`switchboard:${key}`);
  } catch {
    return null;
  }
}

export function writeStored(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`switchboard:${key}`);
    else localStorage.setItem(`switchboard:${key}`, value);
  } catch {
    // Only this page has it.
  }
}

/** The keys with this beginning. */
export function listStored(prefix: string): string[] {
  try {
    const start = `switchboard:${prefix}`;
    return Object.keys(localStorage).flatMap((key) =>
      key.startsWith(start) ? [key.slice('switchboard:'.length)] : [],
    );
  } catch {
    return [];
  }
}
