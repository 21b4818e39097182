import type { Dictionary } from './texts.ts';

const en = {
  language: 'Language',
  useDarkTheme: 'Use the dark theme',
  useLightTheme: 'Use the light theme',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  tryAgain: 'Try again',
  unreachableTitle: 'The server cannot be reached.',
  unreachable: 'Check your connection. Nothing that you typed is lost.',
} as const;

/** The texts of the shared components. */
export const commonTexts: Dictionary<typeof en> = {
  en,
  de: {
    language: 'Sprache',
    useDarkTheme: 'Dunkles Design verwenden',
    useLightTheme: 'Helles Design verwenden',
    showPassword: 'Passwort anzeigen',
    hidePassword: 'Passwort verbergen',
    tryAgain: 'Erneut versuchen',
    unreachableTitle: 'Der Server ist nicht erreichbar.',
    unreachable: 'Prüfen Sie Ihre Verbindung. Ihre Eingaben bleiben erhalten.',
  },
  es: {
    language: 'Idioma',
    useDarkTheme: 'Usar el tema oscuro',
    useLightTheme: 'Usar el tema claro',
    showPassword: 'Mostrar la contraseña',
    hidePassword: 'Ocultar la contraseña',
    tryAgain: 'Reintentar',
    unreachableTitle: 'No se puede contactar con el servidor.',
    unreachable: 'Compruebe su conexión. Lo que ha escrito no se pierde.',
  },
  fr: {
    language: 'Langue',
    useDarkTheme: 'Utiliser le thème sombre',
    useLightTheme: 'Utiliser le thème clair',
    showPassword: 'Afficher le mot de passe',
    hidePassword: 'Masquer le mot de passe',
    tryAgain: 'Réessayer',
    unreachableTitle: 'Le serveur est injoignable.',
    unreachable: 'Vérifiez votre connexion. Votre saisie est conservée.',
  },
};
