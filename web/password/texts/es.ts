import type { TextsLike } from '../../shared/texts/texts.ts';
import type { en } from './en.ts';

export const es: TextsLike<typeof en> = {
  title: 'Elija su contraseña',
  forWhom: 'Para {name}. El enlace sirve una vez, hasta el {time}.',
  email: 'Correo electrónico',
  newPassword: 'Contraseña nueva',
  save: 'Guardar la contraseña',
  endsSessions: 'Al guardarla se cierran todas sus sesiones.',
  invalidTitle: 'Este enlace ya no sirve',
  invalid:
    'Ya se ha usado, tiene más de 24 horas o se ha sustituido por otro. Pida un enlace nuevo a quien se lo envió.',
  missing: 'Abra el enlace completo que recibió: aquí falta una parte.',
  logIn: 'Iniciar sesión',
  doneTitle: 'Su contraseña está guardada',
  done: 'Inicie sesión con ella ahora.',
};
