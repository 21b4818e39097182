/** Creates a stream that ends as soon as its reader stops, even while it waits for the next change. */
export function createAbortableStream<T>(start: (signal: AbortSignal) => AsyncGenerator<T>): AsyncIterable<T> {
  const controller = new AbortController();
  const stream = start(controller.signal);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => stream.next(),
      return: () => {
        controller.abort();
        return stream.return(undefined);
      },
    }),
  };
}
