/** Every text of the widget, with its maximum length. Parts in braces are filled in by the widget. */
export const WIDGET_TEXT_LIMITS = {
  ...{ title: 80, greeting: 500, open: 80, close: 80, minimize: 80, cancel: 80, retry: 80, error: 300 },
  ...{ startChat: 80, startCall: 80, startVideo: 80, newConversation: 80 },
  ...{ connecting: 300, connectionLost: 300, waiting: 300, waitingPlace: 300, waitingMinutes: 300 },
  ...{ unavailable: 300, queueFull: 300, tooManyOpen: 300, closed: 300, opensAt: 300 },
  ...{ you: 80, operator: 80, typing: 300, seen: 80, writeMessage: 80, send: 80, notSent: 300 },
  ...{ attachFile: 80, download: 300, fileTooLarge: 300, fileRefused: 300, fileNotSent: 300 },
  ...{ end: 80, endQuestion: 300, ended: 300, endedAway: 300, endedIdle: 300, endedNoOperator: 300 },
  ...{ name: 80, email: 80, question: 80, consent: 2000, begin: 80 },
  ...{ fieldRequired: 300, emailInvalid: 300, consentRequired: 300 },
  ...{ leaveMessage: 80, leaveMessageIntroduction: 500, messageLeft: 500 },
  ...{ surveyTitle: 300, surveyWelcome: 80, surveyResolution: 80, surveyDelay: 80, surveyComment: 80 },
  ...{ surveySend: 80, surveySkip: 80, surveyThanks: 300 },
  ...{ launcher: 80, available: 80, busy: 80, back: 80, unread: 80, options: 80 },
  ...{ messages: 80, message: 80, optional: 80, emailHint: 300, keepPlace: 300, waitingHint: 300 },
  ...{ addDetail: 80, sending: 80, tooFast: 300, newMessages: 80, uploaded: 80, transcript: 80 },
  ...{ surveyLow: 80, surveyHigh: 80, footer: 80 },
} as const;

export type WidgetTextKey = keyof typeof WIDGET_TEXT_LIMITS;

/** A language that lacks a text does not compile. */
export type WidgetTexts = Readonly<Record<WidgetTextKey, string>>;
