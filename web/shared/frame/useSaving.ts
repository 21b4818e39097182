import { useRef, useState } from 'react';
import type { Answer, Failure } from '../api/request.ts';

interface Saving<Value> {
  readonly save: (value: Value) => void;
  /** Tries the last value again. */
  readonly retry: () => void;
  readonly failure: Failure | undefined;
}

/** Saves one value after the other, in the order of the choices: of those that wait only the last one is sent. */
export function useSaving<Value>(send: (value: Value) => Promise<Answer<unknown>>): Saving<Value> {
  const [failure, setFailure] = useState<Failure>();
  const last = useRef<{ readonly value: Value }>(undefined);
  const queue = useRef(Promise.resolve());
  const enqueue = (choice: { readonly value: Value }) => {
    last.current = choice;
    queue.current = queue.current.then(async () => {
      if (last.current !== choice) return;
      const answer = await send(choice.value);
      setFailure(answer.ok ? undefined : answer.failure);
    });
  };
  return {
    save: (value) => enqueue({ value }),
    retry: () => last.current && enqueue({ ...last.current }),
    failure,
  };
}
