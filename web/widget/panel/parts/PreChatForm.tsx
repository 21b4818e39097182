import { useRef } from 'preact/hooks';
import type { PreChatField } from '../../settings.ts';
import { type Chat, createId } from '../chat.ts';
import { Field, FieldError } from './Field.tsx';
import { Linked } from './Linked.tsx';
import { Problem } from './Problem.tsx';
import { isEmail, useForm, type Values } from './useForm.ts';

/** What the website asks before a conversation. */
export function PreChatForm({ chat }: { readonly chat: Chat }) {
  const { state } = chat;
  const { preChat } = state.settings;
  const has = (name: PreChatField) => preChat[name] !== 'OFF';
  const optional = (name: PreChatField) => preChat[name] === 'OPTIONAL' && chat.text('optional');
  const { form, values, bind, submit } = useForm(chat, (entered) => {
    const errors: Record<string, string> = {};
    for (const name of ['name', 'email', 'question'] as const) {
      if (preChat[name] === 'REQUIRED' && !entered[name]?.trim()) errors[name] = chat.text('fieldRequired');
    }
    if (has('email') && entered.email?.trim() && !isEmail(entered.email)) errors.email = chat.text('emailInvalid');
    if (preChat.consent === 'REQUIRED' && !entered.consent) errors.consent = chat.text('consentRequired');
    return errors;
  });
  // The same attempt again is the same conversation.
  const attempt = useRef({ clientId: createId(), text: '' });

  function start(): void {
    const text = has('question') ? (values.question ?? '').trim() : '';
    if (text !== attempt.current.text) attempt.current = { clientId: createId(), text };
    chat.run((part) => part.start({ ...attempt.current, details: pickDetails(values, has) }));
  }

  const consent = bind('consent');
  return (
    <div class="panel-body">
      <p class="muted">
        <Linked text={chat.text('greeting')} />
      </p>
      <form
        class="panel-form"
        noValidate
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          submit(start);
        }}
      >
        {has('name') && (
          <Field
            {...bind('name')}
            label={chat.text('name')}
            optional={optional('name')}
            autocomplete="name"
            maxLength={100}
          />
        )}
        {has('email') && (
          <Field
            {...bind('email')}
            {...{ type: 'email', autocomplete: 'email', label: chat.text('email'), optional: optional('email') }}
            hint={chat.text('emailHint')}
          />
        )}
        {has('question') && (
          <Field
            {...bind('question')}
            label={chat.text('question')}
            optional={optional('question')}
            rows={3}
            maxLength={10000}
          />
        )}
        {has('consent') && (
          <div class="field">
            <label class="check">
              <input
                type="checkbox"
                name="consent"
                checked={consent.value !== ''}
                aria-invalid={consent.error !== undefined}
                aria-required={!optional('consent')}
                aria-describedby={consent.error && 'consent-note'}
                onChange={({ currentTarget }) => consent.onChange(currentTarget.checked ? 'yes' : '')}
              />
              <span>
                <Linked text={chat.text('consent')} />
              </span>
            </label>
            {consent.error && <FieldError id="consent-note" text={consent.error} />}
          </div>
        )}
        <Problem chat={chat} />
        <button type="submit" class="button" data-kind="primary" disabled={state.isBusy}>
          {chat.text(state.isBusy ? 'connecting' : 'startChat')}
        </button>
      </form>
    </div>
  );
}

function pickDetails({ name, email }: Values, has: (name: PreChatField) => boolean) {
  return {
    ...(has('name') && name?.trim() && { firstname: name.trim() }),
    ...(has('email') && email?.trim() && { email: email.trim() }),
  };
}
