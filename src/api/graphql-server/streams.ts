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

/** Calls `onEnd` once, when the stream has ended or its reader has stopped. */
export function callAfterEnd<T>(stream: AsyncGenerator<T>, onEnd: () => void): AsyncGenerator<T> {
  let isOpen = true;
  const end = () => {
    if (isOpen) onEnd();
    isOpen = false;
  };
  return {
    next: async () => {
      const result = await stream.next().catch((error) => {
        end();
        throw error;
      });
      if (result.done) end();
      return result;
    },
    return: (value) => {
      end();
      return stream.return(value);
    },
    throw: (error) => {
      end();
      return stream.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => end(),
  };
}
