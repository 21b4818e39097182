import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { HUMAN_PACE, planNext } from '../../src/demo/played/behaviour.ts';
import type { HeardConversation, HeardMessage } from '../../src/demo/played/heard.ts';
import { DICTIONARIES, type PlayedLanguage } from '../../src/demo/played/topics.ts';

const { en, de, es, fr } = DICTIONARIES;
const START = 1000;

interface Options extends Partial<Pick<HeardConversation, 'language' | 'visitorName' | 'page'>> {
  readonly pseudo?: string;
}

/** A conversation whose messages come a second apart. Lines: `v` visitor, `s` self, `c` colleague, `i` a picture. */
function hear(lines: readonly string[], options: Options = {}): HeardConversation {
  const authors = { v: 'visitor', s: 'self', c: 'colleague', i: 'visitor', f: 'visitor' } as const;
  const messages = lines.map((line, index): HeardMessage => {
    const mark = line[0] as keyof typeof authors;
    const file = mark === 'i' ? 'image' : mark === 'f' ? 'other' : undefined;
    return { author: authors[mark], text: line.slice(2), file, at: START + index * 1000 };
  });
  return { pseudo: 'Tom', visitorName: '', language: 'en', page: '', startedAt: START, ...options, messages };
}

function say(conversation: HeardConversation): string {
  const step = planNext(conversation, HUMAN_PACE);
  return step.kind === 'say' ? step.text : step.kind;
}

suite('what a played person says', () => {
  const cases: readonly (readonly [string, readonly string[], string, Options?])[] = [
    ['hello to a greeting', ['v hello'], 'Hello, Tom here. What can I do for you?'],
    ['hello with the name', ['v Hi!'], 'Hello Ana, Tom here. What can I do for you?', { visitorName: 'Ana' }],
    ['hello without a question', [], 'Hello, Tom here. What can I do for you?'],
    ['hello once', ['v hello', 's Hello, Tom here.', 'v hello?'], en.ask],
    ['hello after a colleague', ['v hello', 'c One moment please.'], 'Hello, Tom here. What can I do for you?'],
    ['delivery', ['v How long does shipping take?'], `Hello, Tom here. ${en.answers.delivery[0]}`],
    [
      'delivery, in German',
      ['v Wann kommt das an?', 's x', 'v Wie lange ist die Lieferzeit?'],
      de.answers.delivery[0],
      { language: 'de' },
    ],
    ['returns', ['v hi', 's x', 'v Can I send it back?'], en.answers.returns[0]],
    ['returns, in French', ['v Bonjour', 's x', 'v Puis-je le renvoyer ?'], fr.answers.returns[0], { language: 'fr' }],
    [
      'payment, in Spanish',
      ['v Hola', 's x', 'v ¿Puedo pagar con tarjeta?'],
      es.answers.payment[0],
      { language: 'es' },
    ],
    [
      'the same question again',
      ['v refunds?', `s Hello! ${en.answers.returns[0]}`, 'v And the refund?'],
      en.answers.returns[1],
    ],
    [
      'two questions at once',
      ['v hi', 's x', 'v Is delivery free? Can I pay by card?'],
      `${en.answers.delivery[0]} ${en.answers.payment[0]}`,
    ],
    [
      'several messages together',
      ['v hi', 's x', 'v Is delivery free?', 'v And can I pay by card?'],
      `${en.answers.delivery[0]} ${en.answers.payment[0]}`,
    ],
    [
      'the price of the named product',
      ['v hi', 's x', 'v How much are the boots?'],
      'The Tarn Mid is €229.90, delivery included.',
    ],
    [
      'the price of the product on the page',
      ['v hi', 's x', 'v How much is it?'],
      'The Lund Shell is €259.00, delivery included.',
      { page: 'http://localhost:8081/jackets/lund-shell Lund Shell' },
    ],
    [
      'the price of the product named earlier',
      ['v I like the Fell 28', 's x', 'v What does it cost?'],
      'The Fell 28 is €184.50, delivery included.',
      { page: '/boots/tarn-mid' },
    ],
    [
      'all prices',
      ['v hi', 's x', 'v What are your prices?'],
      'These are our prices: Fell 28: €184.50; Lund Shell: €259.00; Tarn Mid: €229.90.',
    ],
    [
      'a price in German',
      ['v Was kosten die Stiefel?'],
      'Guten Tag, hier ist Tom. Tarn Mid kostet 229,90\u00a0€, Versand inklusive.',
      { language: 'de' },
    ],
    [
      'stock',
      ['v hi', 's x', 'v Do you have the jacket?'],
      'Yes, we have 7 of the Lund Shell here, so it can leave today.',
    ],
    [
      'size',
      ['v hi', 's x', 'v Which sizes does the jacket come in?'],
      'The Lund Shell comes in XS – XXL. It fits true to size; between two sizes, take the larger one.',
    ],
    [
      'the language in which the visitor writes',
      ['v Hallo, was kostet der Rucksack?'],
      'Guten Tag, hier ist Tom. Fell 28 kostet 184,50\u00a0€, Versand inklusive.',
    ],
    ['English in an unknown language', ['v Dzień dobry'], `Hello, Tom here. ${en.unclear[0]}`, { language: 'pl' }],
    ['that it is played', ['v hi', 's x', 'v Are you a bot?'], en.answers.identity[0]],
    ['thanks', ['v hi', 's x', 'v Great, thank you!'], en.welcome],
    ['a question after thanks', ['v hi', 's x', 'v Thanks! And delivery?'], en.answers.delivery[0]],
    ['goodbye', ['v hi', 's x', 'v Thanks, bye!'], en.goodbye],
    ['goodbye after "no"', ['v hi', 's x', 'v no'], en.goodbye],
    ['goodbye, in French', ['v Bonjour', 's x', 'v Merci, au revoir'], fr.goodbye, { language: 'fr' }],
    ['goodbye with a curly apostrophe', ['v hi', 's x', 'v That’s all.'], en.goodbye],
    ['thank you for a picture', ['v hi', 's x', 'i '], en.image],
    ['thank you for a file', ['v hi', 's x', 'f '], en.file],
    ['the answer to a question with a picture', ['v hi', 's x', 'i It is torn'], en.answers.repair[0]],
    ['that it did not understand', ['v hi', 's x', 'v The moon is made of cheese'], en.unclear[1]],
    ['something else the second time', ['v hi', 's x', 'v Blurb', 's y', 'v Blorb'], en.unclear[2]],
    ['asks a silent visitor', ['v hi', 's x'], en.stillThere],
    ['goodbye to a silent visitor', ['v hi', 's x', 's y'], en.closing],
    ['closes then', ['v hi', 's x', 's y', 's z'], 'close'],
    ['closes after a goodbye', ['v hi', 's x', 'v bye', 's y'], 'close'],
    [
      'answers instead of closing',
      ['v hi', 's x', 'v bye', 's y', 'v One more: is delivery free?'],
      en.answers.delivery[0],
    ],
  ];
  for (const [name, lines, expected, options] of cases)
    test(name, () => assert.equal(say(hear(lines, options)), expected));
});

suite('when a played person acts', () => {
  test('answers a few seconds after the last message, longer texts later', () => {
    const conversation = hear(['v hi', 'v Is delivery free?']);
    const step = planNext(conversation, HUMAN_PACE);
    assert.ok(step.kind === 'say');
    assert.equal(step.typeAt, START + 1000 + HUMAN_PACE.readMs);
    assert.equal(
      step.sendAt,
      step.typeAt + Math.min(HUMAN_PACE.maxTypeMs, step.text.length * HUMAN_PACE.typeMsPerCharacter),
    );
    const short = planNext(hear(['v hi', 's x', 'v thanks']), HUMAN_PACE);
    assert.ok(short.kind === 'say' && short.sendAt - short.typeAt < step.sendAt - step.typeAt);
  });

  test('does not answer before the acceptance', () => {
    const step = planNext({ ...hear(['v hi']), startedAt: START + 60_000 }, HUMAN_PACE);
    assert.ok(step.kind === 'say' && step.typeAt === START + 60_000 + HUMAN_PACE.readMs);
  });

  test('waits for a silent visitor, and closes soon after the goodbye', () => {
    const ask = planNext(hear(['v hi', 's x']), HUMAN_PACE);
    assert.ok(ask.kind === 'say' && ask.typeAt === START + 1000 + HUMAN_PACE.silenceMs);
    const bye = planNext(hear(['v hi', 's x', 's y']), HUMAN_PACE);
    assert.ok(bye.kind === 'say' && bye.typeAt === START + 2000 + HUMAN_PACE.silenceMs);
    assert.deepEqual(planNext(hear(['v hi', 's x', 'v bye', 's y']), HUMAN_PACE), {
      ...{ kind: 'close', at: START + 3000 + HUMAN_PACE.closeMs },
    });
  });
});

test('every dictionary understands its own questions, and fills in every part', () => {
  const questions: Readonly<Record<PlayedLanguage, readonly string[]>> = {
    en: [
      'Where is my parcel?',
      'When will it arrive?',
      'Can I exchange it?',
      'Does it fit?',
      'How much is it?',
      'Is it sold out?',
      'It is broken',
      'Can I pay by card?',
      'Are you human?',
    ],
    de: [
      'Wo bleibt mein Paket?',
      'Wann wird geliefert?',
      'Kann ich es umtauschen?',
      'Passt es?',
      'Wie viel kostet das?',
      'Ist es ausverkauft?',
      'Es ist kaputt',
      'Kann ich mit Karte zahlen?',
      'Bist du ein Mensch?',
    ],
    es: [
      '¿Dónde está mi pedido?',
      '¿Cuándo llega?',
      '¿Se puede devolver?',
      '¿Qué talla?',
      '¿Cuánto cuesta?',
      '¿Está agotado?',
      'Está roto',
      '¿Puedo pagar con tarjeta?',
      '¿Eres un robot?',
    ],
    fr: [
      'Où est mon colis ?',
      'Quand arrive-t-il ?',
      'Puis-je échanger ?',
      'Quelle taille ?',
      'Combien ça coûte ?',
      'Rupture de stock ?',
      'Il est cassé',
      'Puis-je payer par carte ?',
      'Êtes-vous un robot ?',
    ],
  };
  for (const [language, texts] of Object.entries(questions))
    for (const text of texts) {
      const answer = say(hear([`v ${text}`], { language, page: '/packs/fell-28' }));
      const { unclear, ask } = DICTIONARIES[language as PlayedLanguage];
      assert.ok(![...unclear, ask].some((line) => answer.includes(line)), `${text}: ${answer}`);
      assert.doesNotMatch(answer, /[{}]/);
    }
});
