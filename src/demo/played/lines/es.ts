import type { Dictionary } from './dictionary.ts';

export const es: Dictionary = {
  words: {
    greeting: 'hola buenas buenos_días buenas_tardes buenas_noches hey',
    thanks: 'gracias muchas_gracias perfecto genial estupendo',
    goodbye: 'adiós adios hasta_luego hasta_pronto chao buen_día eso_es_todo nada_más no_gracias no,_gracias',
    order: 'mi_pedido mi_paquete número_de_pedido seguimiento dónde_está donde_esta',
    delivery: 'envío* envio* enviar envían entrega* llega* cuánto_tarda cuanto_tarda',
    returns: 'devol* devuelv* reembols* cambi* dinero_de_vuelta',
    size: 'talla* tamaño* medida* queda quedan grande pequeño',
    price: 'precio* cuesta* cuánto_vale cuanto_vale cuánto cuanto caro cara barat* descuento* oferta*',
    stock: 'stock disponible* existencias agotad* queda_en tienen* quedan_en',
    repair: 'repar* arregl* rot* garantía defect* daño* dañad*',
    payment: 'pagar pago* factura* tarjeta paypal klarna',
    identity: 'bot robot human* persona_real eres_real quién_eres quien_eres demo',
  },
  products: {
    pack: 'mochila* bolsa*',
    jacket: 'chaqueta* chubasquero* cazadora* abrigo*',
    boots: 'bota* zapato* calzado',
  },
  no: 'no',
  common: 'el la los las es son un una mi que qué de en y con para por cómo como puedo tiene tienen hay me se',
  answers: {
    order: [
      'Lo miro con mucho gusto. ¿Me dice el número de pedido? Empieza por H y está en el correo de confirmación.',
      'Salió esta mañana de nuestro almacén y debería llegarle en dos días. El enlace de seguimiento está en su correo.',
    ],
    delivery: [
      'Entregamos en 2 o 3 días en la UE, gratis a partir de 80 €. Por debajo son 4,90 €.',
      'Lo que se pide antes de las 14:00 sale el mismo día. El enlace de seguimiento le llega por correo.',
    ],
    returns: [
      'Tiene 60 días para devolverlo, también si lo ha llevado una vez fuera. La etiqueta va en el paquete y la devolución es gratis.',
      'En cuanto lo recibimos, tiene el dinero en 3 días. Un cambio sale el mismo día.',
    ],
    size: [
      '{product} viene en {sizes}. Talla normal; entre dos tallas, tome la mayor.',
      'Si me dice su talla habitual, le cuento qué eligieron otros clientes con la misma.',
    ],
    price: [
      '{product} cuesta {price}, con envío incluido.',
      'Ahora no hay descuento en {product}, pero las reparaciones son gratis mientras lo use.',
    ],
    stock: [
      'Sí, tenemos {stock} de {product} aquí, así que puede salir hoy.',
      'Lo acabo de comprobar otra vez: hay {stock} de {product} en la estantería.',
    ],
    repair: [
      'Reparamos lo que vendemos, gratis y mientras lo use. ¿Me envía una foto del daño? El clip de abajo adjunta un archivo.',
      'Envíelo con una nota de lo que falla. Casi todas las reparaciones vuelven en dos semanas.',
    ],
    payment: [
      'Puede pagar con tarjeta, PayPal, transferencia o factura.',
      'La factura llega por correo con la entrega y tiene 30 días para pagarla.',
    ],
    identity: [
      'Con sinceridad: soy una persona interpretada de la demo de Switchboard y sé algunas cosas de esta tienda inventada. Entre como operador y póngase disponible, y recibirá el próximo chat.',
      'Un pequeño programa con nombre, me temo. Envíos, devoluciones, tallas, precios y existencias es lo que mejor conozco.',
    ],
  },
  catalogue: {
    price: 'Estos son nuestros precios: {list}.',
    stock: 'Los tres están aquí: {list}. ¿En cuál piensa?',
    size: 'Nuestras tallas: {list}. ¿En cuál piensa?',
  },
  hello: 'Hola, soy {pseudo}.',
  helloName: 'Hola, {visitor}, soy {pseudo}.',
  ask: '¿En qué puedo ayudarle?',
  image: 'Gracias por la foto, la veo bien. ¿Qué le gustaría saber?',
  file: 'Gracias, he recibido el archivo y lo voy a mirar.',
  welcome: '¡De nada! ¿Puedo ayudarle en algo más?',
  goodbye: 'Gracias por su visita. ¡Que tenga un buen día!',
  unclear: [
    'Para entenderle bien: ¿se trata del envío, de una devolución, de tallas, de precios o de existencias?',
    'Prefiero no adivinar. ¿Me lo puede decir con otras palabras?',
    'Eso es más de lo que sé, lo siento. Envíos, devoluciones, tallas, precios y existencias es lo que mejor conozco.',
  ],
  stillThere: '¿Sigue ahí?',
  closing: 'Cierro nuestro chat por ahora. Escríbanos cuando quiera. ¡Que tenga un buen día!',
};
