import type { TextsLike } from '../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const es: TextsLike<typeof en> = {
  logIn: 'Iniciar sesión',
  welcome: 'Le damos la bienvenida de nuevo a {name}.',
  email: 'Correo electrónico',
  password: 'Contraseña',
  emailMissing: 'Escriba su correo electrónico.',
  passwordMissing: 'Escriba su contraseña.',
  wrongPassword: 'El correo electrónico o la contraseña no son correctos.',
  limitedTitle: 'Demasiados intentos.',
  limited: 'Vuelva a intentarlo en {time} o pida un enlace nuevo a un responsable.',
  tryAgainIn: 'Reintentar en {time}',
  forgotPassword: '¿Ha olvidado la contraseña? Pida un enlace nuevo a un responsable.',
  refusedTitle: 'El servidor ha rechazado el inicio de sesión.',
  sessionEndedTitle: 'Su sesión ha terminado.',
  sessionEnded: 'Inicie sesión para continuar donde estaba.',
};
