import type { Dictionary } from '../texts/texts.ts';

const en = {
  hint: 'At least 10 characters. Several words in a row are easy to remember.',
  missing: 'Characters that are missing: {count}',
  too_short: 'The password needs at least 10 characters.',
  too_long: 'The password can have at most 200 characters.',
  too_common: 'Many people use this password, or it is your email address. Choose another one.',
  invalid_characters: 'The password contains a character that cannot be stored.',
} as const;

export const newPasswordTexts: Dictionary<typeof en> = {
  en,
  de: {
    hint: 'Mindestens 10 Zeichen. Mehrere Wörter hintereinander merkt man sich leicht.',
    missing: 'Fehlende Zeichen: {count}',
    too_short: 'Das Passwort braucht mindestens 10 Zeichen.',
    too_long: 'Das Passwort kann höchstens 200 Zeichen haben.',
    too_common: 'Viele verwenden dieses Passwort, oder es ist Ihre E-Mail-Adresse. Wählen Sie ein anderes.',
    invalid_characters: 'Das Passwort enthält ein Zeichen, das nicht gespeichert werden kann.',
  },
  es: {
    hint: 'Al menos 10 caracteres. Varias palabras seguidas se recuerdan bien.',
    missing: 'Caracteres que faltan: {count}',
    too_short: 'La contraseña necesita al menos 10 caracteres.',
    too_long: 'La contraseña puede tener como máximo 200 caracteres.',
    too_common: 'Muchas personas usan esta contraseña, o es su correo electrónico. Elija otra.',
    invalid_characters: 'La contraseña contiene un carácter que no se puede guardar.',
  },
  fr: {
    hint: 'Au moins 10 caractères. Plusieurs mots à la suite se retiennent facilement.',
    missing: 'Caractères manquants : {count}',
    too_short: 'Le mot de passe doit avoir au moins 10 caractères.',
    too_long: 'Le mot de passe peut avoir au plus 200 caractères.',
    too_common: 'Beaucoup utilisent ce mot de passe, ou c’est votre adresse e-mail. Choisissez-en un autre.',
    invalid_characters: 'Le mot de passe contient un caractère qui ne peut pas être enregistré.',
  },
};
