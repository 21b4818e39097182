export const en = {
  title: 'Set your password',
  forWhom: 'For {name}. The link works once, until {time}.',
  email: 'Email',
  newPassword: 'New password',
  save: 'Save password',
  endsSessions: 'Saving it logs you out wherever you are logged in.',
  invalidTitle: 'This link no longer works',
  invalid:
    'It was used already, is older than 24 hours, or was replaced by a newer one. Ask the person who sent it for a new link.',
  missing: 'Open the whole link that you received: a part of it is missing here.',
  logIn: 'Log in',
  doneTitle: 'Your password is saved',
  done: 'Log in with it now.',
} as const;
