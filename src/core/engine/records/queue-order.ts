/** Added to a creation time, it gives a number that sorts before every creation time. */
const HEAD_OF_QUEUE_OFFSET = -4_102_444_800_000;

/**
 * Added while the visitor is absent. All orders of present visitors are smaller, so that the index on the order finds
 * them without reading those who are absent, however many these are.
 */
export const ABSENT_OFFSET = 1_000_000_000_000_000;

/** The place of a conversation in the queue, by its creation time. */
export function computeQueueOrder(createdAt: number, { atHead, isAbsent }: { atHead: boolean; isAbsent: boolean }) {
  const order = atHead ? HEAD_OF_QUEUE_OFFSET + createdAt : createdAt;
  return isAbsent ? toOrderOfAbsent(order) : order;
}

/** Whether routing passes over a conversation with this order: orders at the head are negative and stay below. */
export function isOrderOfAbsent(order: number): boolean {
  return order >= FIRST_ABSENT_ORDER;
}

export function toOrderOfAbsent(order: number): number {
  return order + ABSENT_OFFSET;
}

export function toOrderOfPresent(order: number): number {
  return order - ABSENT_OFFSET;
}

/** The head of the queue is at most this far below a creation time. */
export const FIRST_ABSENT_ORDER = ABSENT_OFFSET + HEAD_OF_QUEUE_OFFSET;
