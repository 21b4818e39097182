import type { Dictionary } from './dictionary.ts';

export const en: Dictionary = {
  words: {
    greeting: 'hi hello hey good_morning good_afternoon good_evening hiya',
    thanks: 'thanks thank_you thank_u thx cheers great perfect brilliant',
    goodbye:
      "bye goodbye good_bye see_you ciao have_a_nice_day have_a_good_day that's_all that_is_all that_was_all nothing_else no_thanks no_thank_you",
    order: 'my_order my_parcel my_package order_number tracking where_is_my',
    delivery: 'deliver* ship* arriv* how_long postage courier',
    returns: 'return* refund* send_back send_it_back exchange money_back',
    size: 'size* fit fits fitting measure* large small medium',
    price: 'price* cost* how_much expensive cheap* discount voucher sale',
    stock: 'stock available availability sold_out in_store left_in do_you_have have_you_got',
    repair: 'repair* broken broke torn damage* defect* warranty guarantee fix',
    payment: 'pay* invoice card paypal klarna',
    identity: 'bot robot are_you_real real_person human are_you_a_person demo who_are_you',
  },
  products: {
    pack: 'backpack* rucksack* pack packs daypack bag bags',
    jacket: 'jacket* shell coat*',
    boots: 'boot* shoe*',
  },
  no: 'no nope nah',
  common: 'the is are you i my a an do does can have it this that what how for and with please would',
  answers: {
    order: [
      'I am happy to look. Could you send me the order number? It starts with H and is in your confirmation email.',
      'It left our warehouse this morning and should be with you within two days. The tracking link is in your email.',
    ],
    delivery: [
      'We deliver in 2 to 3 days within the EU, free from €80. Below that it is €4.90.',
      'Orders before 14:00 leave the same day. You get a tracking link by email as soon as the parcel is on its way.',
    ],
    returns: [
      'You have 60 days to return anything, also when you have worn it outside once. The label is in the parcel, and returning is free.',
      'As soon as it is back with us, the money is in your account within 3 days. An exchange leaves on the same day.',
    ],
    size: [
      'The {product} comes in {sizes}. It fits true to size; between two sizes, take the larger one.',
      'If you tell me your usual size, I can say what our customers with the same size took.',
    ],
    price: [
      'The {product} is {price}, delivery included.',
      'There is no discount on the {product} at the moment, but repairs are free for as long as you use it.',
    ],
    stock: [
      'Yes, we have {stock} of the {product} here, so it can leave today.',
      'I have just checked again: {stock} of the {product} are on the shelf.',
    ],
    repair: [
      'We repair what we sell, free of charge, for as long as you use it. Could you send me a picture of the damage? The paper clip below attaches a file.',
      'Just send it in with a note of what is wrong. Most repairs are back within two weeks.',
    ],
    payment: [
      'You can pay by card, PayPal, bank transfer or invoice.',
      'The invoice comes by email with the delivery, and you have 30 days to pay it.',
    ],
    identity: [
      'Honestly: I am a played person of the Switchboard demo, and I know a few things about this pretend shop. Log in as an operator and make yourself available, and you get the next chat.',
      'A small program with a name, I am afraid. Delivery, returns, sizes, prices and stock are what I know best.',
    ],
  },
  catalogue: {
    price: 'These are our prices: {list}.',
    stock: 'All three are here: {list}. Which one do you have in mind?',
    size: 'Our sizes: {list}. Which one do you have in mind?',
  },
  hello: 'Hello, {pseudo} here.',
  helloName: 'Hello {visitor}, {pseudo} here.',
  ask: 'What can I do for you?',
  image: 'Thank you for the picture, I can see it well. What would you like to know about it?',
  file: 'Thank you, I have received the file and will have a look at it.',
  welcome: 'You are welcome! Is there anything else?',
  goodbye: 'Thank you for dropping by. Have a good day!',
  unclear: [
    'Let me make sure that I understand you: is it about delivery, returns, sizes, prices or what is in stock?',
    'I would rather not guess here. Could you say it in other words?',
    'That is more than I know, I am afraid. Delivery, returns, sizes, prices and stock are what I know best.',
  ],
  stillThere: 'Are you still there?',
  closing: 'I will close our chat for now. Just write again any time. Have a good day!',
};
