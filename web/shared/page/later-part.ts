/**
 * A part of a page whose program is not needed for what the page shows first. It comes when the page is idle, or as
 * soon as someone needs it.
 */
export interface LaterPart<Module> {
  /** Undefined until it is there. */
  readonly loaded: Module | undefined;
  /** Called when it is there. */
  subscribe(listener: () => void): () => void;
  /** Loads it once; after a failure the next call tries again. */
  load(): Promise<Module>;
}

export function createLaterPart<Module>(importModule: () => Promise<Module>): LaterPart<Module> {
  let loaded: Module | undefined;
  let loading: Promise<Module> | undefined;
  const listeners = new Set<() => void>();
  const run = async () => {
    try {
      loaded = await importModule();
    } finally {
      loading = undefined;
    }
    for (const listener of listeners) listener();
    return loaded;
  };
  return {
    get loaded() {
      return loaded;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async load() {
      if (loaded !== undefined) return loaded;
      loading ??= run();
      return loading;
    },
  };
}

/** One after the other, each after `turn`. What fails comes when it is needed. */
export async function loadInTurn(
  parts: readonly LaterPart<unknown>[],
  turn: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  for (const part of parts) {
    await turn();
    if (signal.aborted) return;
    await part.load().catch(() => undefined);
  }
}
