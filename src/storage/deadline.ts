/** It took longer than it may. What was begun may still happen. */
export class TooLate extends Error {
  constructor() {
    super('There was no answer in time.');
    this.name = 'TooLate';
  }
}

export async function inTime<T>(work: PromiseLike<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate()), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
