import { useEffect, useState } from 'react';

/** Whether a time in milliseconds is still to come; changes when it is over. */
export function useTyping(until: number): boolean {
  const [isOver, setIsOver] = useState(() => Date.now() >= until);
  useEffect(() => {
    const left = until - Date.now();
    setIsOver(left <= 0);
    if (left <= 0) return;
    const timer = setTimeout(() => setIsOver(true), left);
    return () => clearTimeout(timer);
  }, [until]);
  return !isOver;
}
