/** A stream that ends as soon as its reader goes, also while it waits for the next change. */
export function endable<T>(start: (signal: AbortSignal) => AsyncGenerator<T>): AsyncIterable<T> {
  const end = new AbortController();
  const stream = start(end.signal);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => stream.next(),
      return: () => {
        end.abort();
        return stream.return(undefined);
      },
    }),
  };
}
