import type { Dictionary } from './dictionary.ts';

export const de: Dictionary = {
  words: {
    greeting: 'hallo hi hey moin servus grüezi guten_tag guten_morgen guten_abend grüß_gott',
    thanks: 'danke dankeschön vielen_dank merci super perfekt klasse',
    goodbye:
      'tschüss tschüs ciao auf_wiedersehen bis_bald schönen_tag das_war_alles das_wars mehr_nicht nein_danke sonst_nichts',
    order: 'meine_bestellung mein_paket bestellnummer sendungsnummer wo_ist wo_bleibt',
    delivery: 'liefer* geliefert versand* verschick* ankomm* kommt_an wie_lange porto zustell*',
    returns:
      'rückgabe* zurückgeben zurückschicken zurücksenden retour* rücksend* umtausch* umtauschen erstatt* geld_zurück',
    size: 'größe* groesse* passt passen fällt_aus fallen_aus maße',
    price: 'preis* kostet kosten teuer billig günstig* rabatt* gutschein* wie_viel wieviel',
    stock: 'vorrätig lager* verfügbar* lieferbar ausverkauft noch_da haben_sie',
    repair: 'reparier* reparatur* kaputt gerissen defekt* beschädig* garantie schaden',
    payment: 'bezahl* zahlen zahlung* rechnung* karte paypal klarna',
    identity: 'bot roboter mensch echt* wer_bist_du wer_sind_sie demo',
  },
  products: {
    pack: 'rucksack rucksäcke rucksacks tasche*',
    jacket: 'jacke* regenjacke* mantel',
    boots: 'stiefel* schuh* wanderschuh*',
  },
  no: 'nein nö nee',
  common: 'der die das ist sind ich sie mein meine ein eine und mit für was wie kann haben hat nicht bitte es wann den',
  answers: {
    order: [
      'Ich schaue gern nach. Nennen Sie mir bitte die Bestellnummer? Sie beginnt mit H und steht in der Bestätigung.',
      'Sie hat heute Morgen unser Lager verlassen und sollte in zwei Tagen bei Ihnen sein. Der Link zur Sendung steht in Ihrer E-Mail.',
    ],
    delivery: [
      'Wir liefern in 2 bis 3 Tagen innerhalb der EU, ab 80 € kostenlos. Darunter sind es 4,90 €.',
      'Was bis 14 Uhr bestellt ist, geht am selben Tag hinaus. Den Link zur Sendung bekommen Sie per E-Mail.',
    ],
    returns: [
      'Sie haben 60 Tage Zeit für die Rückgabe, auch wenn Sie es einmal draußen getragen haben. Der Aufkleber liegt im Paket, die Rücksendung ist kostenlos.',
      'Sobald es bei uns ist, haben Sie das Geld innerhalb von 3 Tagen. Ein Umtausch geht am selben Tag hinaus.',
    ],
    size: [
      '{product} gibt es in {sizes}. Es fällt normal aus; zwischen zwei Größen nehmen Sie die größere.',
      'Wenn Sie mir Ihre übliche Größe nennen, sage ich Ihnen, was andere mit dieser Größe genommen haben.',
    ],
    price: [
      '{product} kostet {price}, Versand inklusive.',
      'Einen Rabatt auf {product} gibt es gerade nicht, aber Reparaturen sind kostenlos, solange Sie es benutzen.',
    ],
    stock: [
      'Ja, von {product} haben wir {stock} Stück hier; es kann heute noch hinaus.',
      'Ich habe gerade noch einmal nachgesehen: {stock} Stück von {product} liegen im Regal.',
    ],
    repair: [
      'Wir reparieren, was wir verkaufen, kostenlos und solange Sie es benutzen. Schicken Sie mir ein Bild vom Schaden? Die Büroklammer unten hängt eine Datei an.',
      'Schicken Sie es einfach mit einem Zettel ein. Die meisten Reparaturen sind nach zwei Wochen zurück.',
    ],
    payment: [
      'Sie können mit Karte, PayPal, Überweisung oder auf Rechnung bezahlen.',
      'Die Rechnung kommt mit der Lieferung per E-Mail, und Sie haben 30 Tage Zeit.',
    ],
    identity: [
      'Ganz ehrlich: Ich bin eine gespielte Person der Switchboard-Demo und weiß ein paar Dinge über diesen erfundenen Laden. Melden Sie sich als Operator an und stellen Sie sich auf verfügbar, dann bekommen Sie den nächsten Chat.',
      'Ein kleines Programm mit Namen, fürchte ich. Lieferung, Rückgabe, Größen, Preise und Lager kenne ich am besten.',
    ],
  },
  catalogue: {
    price: 'Unsere Preise: {list}.',
    stock: 'Alle drei sind da: {list}. An welches denken Sie?',
    size: 'Unsere Größen: {list}. An welches denken Sie?',
  },
  hello: 'Guten Tag, hier ist {pseudo}.',
  helloName: 'Guten Tag {visitor}, hier ist {pseudo}.',
  ask: 'Was kann ich für Sie tun?',
  image: 'Danke für das Bild, ich kann es gut sehen. Was möchten Sie dazu wissen?',
  file: 'Danke, die Datei ist angekommen, ich sehe sie mir an.',
  welcome: 'Sehr gern! Kann ich sonst noch etwas für Sie tun?',
  goodbye: 'Danke für Ihren Besuch. Einen schönen Tag noch!',
  unclear: [
    'Damit ich Sie richtig verstehe: Geht es um Lieferung, Rückgabe, Größen, Preise oder darum, was auf Lager ist?',
    'Hier möchte ich nicht raten. Können Sie es mit anderen Worten sagen?',
    'Das ist leider mehr, als ich weiß. Lieferung, Rückgabe, Größen, Preise und Lager kenne ich am besten.',
  ],
  stillThere: 'Sind Sie noch da?',
  closing: 'Ich schließe unseren Chat für jetzt. Schreiben Sie jederzeit wieder. Einen schönen Tag!',
};
