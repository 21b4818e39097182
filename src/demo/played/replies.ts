import { PRODUCTS, type Product } from '../shop/products.ts';
import { followLanguage, type HeardConversation, type HeardMessage, isGoodbye } from './heard.ts';
import type { Dictionary, Question } from './lines/dictionary.ts';
import { findProductKind, type PlayedLanguage, understand } from './topics.ts';

const MAX_ANSWERS = 2;

/** The answer to the messages that the visitor wrote since the last answer. */
export function composeReply(
  conversation: HeardConversation,
  written: readonly HeardMessage[],
  lines: Dictionary,
): string {
  const isFirst = !conversation.messages.some(({ author }) => author === 'self');
  const answers = findAnswers(conversation, written, lines);
  if (!isFirst) return join(answers);
  const { pseudo, visitorName } = conversation;
  const hello = fill(visitorName === '' ? lines.hello : lines.helloName, { pseudo, visitor: visitorName });
  return join([hello, ...answers]);
}

/** Two answers may end with the same question, which is asked once. */
function join(answers: readonly string[]): string {
  const sentences = answers.flatMap((text) => text.split(/(?<=[.?!])\s+/));
  return sentences.filter((sentence, index) => sentences.lastIndexOf(sentence) === index).join(' ');
}

function findAnswers(conversation: HeardConversation, written: readonly HeardMessage[], lines: Dictionary): string[] {
  const language = followLanguage(conversation);
  const text = written.map((message) => message.text).join('\n');
  const { questions, isGreeting, isThanks } = understand(text, language);
  const file = written.find((message) => message.file !== undefined)?.file;
  if (questions.length > 0)
    return questions.slice(0, MAX_ANSWERS).map((question) => answer(question, conversation, lines));
  if (file !== undefined) return [file === 'image' ? lines.image : lines.file];
  if (isGoodbye(conversation, written)) return [lines.goodbye];
  if (isThanks) return [lines.welcome];
  if (isGreeting || text.trim() === '') return [lines.ask];
  const earlier = conversation.messages.filter(({ author }) => author === 'self').length;
  return [lines.unclear[earlier % lines.unclear.length] as string];
}

function answer(question: Question, conversation: HeardConversation, lines: Dictionary): string {
  const language = followLanguage(conversation);
  const product = findProduct(conversation, language);
  if (!product && (question === 'price' || question === 'stock' || question === 'size')) {
    const describe = (item: Product) => `${item.name}: ${describeProduct(item, language)[question]}`;
    return fill(lines.catalogue[question], { list: PRODUCTS.map(describe).join('; ') });
  }
  const [first, again] = lines.answers[question];
  const text = wasAnswered(first, conversation) ? again : first;
  return product ? fill(text, { product: product.name, ...describeProduct(product, language) }) : text;
}

function describeProduct({ euros, stock, sizes }: Product, language: PlayedLanguage) {
  const price = new Intl.NumberFormat(language, { style: 'currency', currency: 'EUR' }).format(euros);
  return { price, stock: String(stock), size: sizes, sizes };
}

/** The product that the visitor named last, or whose page they are on. */
function findProduct({ messages, page }: HeardConversation, language: PlayedLanguage): Product | undefined {
  for (const { author, text } of messages.toReversed()) {
    if (author !== 'visitor') continue;
    const kind = findProductKind(text, language);
    const folded = text.toLowerCase();
    const product = PRODUCTS.find((item) => folded.includes(item.name.toLowerCase()) || item.kind === kind);
    if (product) return product;
  }
  return PRODUCTS.find(({ path }) => page.includes(path));
}

/** Compares what is not filled in, which is the same for every product. */
function wasAnswered(line: string, { messages }: HeardConversation): boolean {
  const parts = line.split(/\{\w+\}/);
  return messages.some(({ author, text }) => author === 'self' && parts.every((part) => text.includes(part)));
}

function fill(line: string, values: Readonly<Record<string, string>>): string {
  return line.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}
