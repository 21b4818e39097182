import type { ProductKind } from '../../shop/products.ts';

/** What visitors ask about. */
export const QUESTIONS = [
  'order',
  'delivery',
  'returns',
  'size',
  'price',
  'stock',
  'repair',
  'payment',
  'identity',
] as const;
export type Question = (typeof QUESTIONS)[number];
export type Topic = Question | 'greeting' | 'thanks' | 'goodbye';

/**
 * One language of the played people. Words are separated by spaces; `*` stands for any ending, `_` for a space within a
 * phrase. Parts in braces are filled in.
 */
export interface Dictionary {
  readonly words: Readonly<Record<Topic, string>>;
  readonly products: Readonly<Record<ProductKind, string>>;
  /** As the whole text, the answer to "anything else?". */
  readonly no: string;
  /** Frequent words, which tell the language of a text. */
  readonly common: string;
  /** Answers; the second one is used when the visitor asks again. */
  readonly answers: Readonly<Record<Question, readonly [string, string]>>;
  /** Answers about price, stock and size when no product is known. */
  readonly catalogue: Readonly<Record<'price' | 'stock' | 'size', string>>;
  readonly hello: string;
  readonly helloName: string;
  readonly ask: string;
  readonly image: string;
  readonly file: string;
  readonly welcome: string;
  readonly goodbye: string;
  readonly unclear: readonly [string, string, string];
  readonly stillThere: string;
  readonly closing: string;
}
