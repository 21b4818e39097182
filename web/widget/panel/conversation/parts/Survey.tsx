import { useState } from 'preact/hooks';
import type { Chat } from '../../chat.ts';
import { Field, FieldError } from '../../parts/Field.tsx';
import { Problem } from '../../parts/Problem.tsx';
import type { Engine } from '../engine.ts';

const QUESTIONS = { welcome: 'surveyWelcome', resolution: 'surveyResolution', delay: 'surveyDelay' } as const;
const SCORES = [1, 2, 3, 4, 5];

/** Three scores and a comment, once for each conversation. */
export function Survey({ chat, engine }: { readonly chat: Chat; readonly engine: Engine }) {
  const [scores, setScores] = useState<Readonly<Record<string, number>>>({});
  const [comment, setComment] = useState('');
  const [isChecked, setChecked] = useState(false);
  const missing = Object.keys(QUESTIONS).filter((name) => !scores[name]);
  return (
    <div class="panel-body">
      <form
        class="panel-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (missing.length === 0) chat.run(() => engine.rate({ ...scores, comment }));
          else (event.currentTarget.elements.namedItem(missing[0] as string) as RadioNodeList)[0]?.focus();
        }}
      >
        {Object.entries(QUESTIONS).map(([name, key]) => (
          <fieldset class="rating" key={name} aria-describedby="survey-ends">
            <legend>{chat.text(key)}</legend>
            <div>
              {SCORES.map((score) => (
                <label key={score}>
                  <input
                    {...{ type: 'radio', name, value: score, checked: scores[name] === score }}
                    onChange={() => setScores({ ...scores, [name]: score })}
                  />
                  {score}
                </label>
              ))}
            </div>
            {isChecked && !scores[name] && <FieldError text={chat.text('fieldRequired')} />}
          </fieldset>
        ))}
        <p class="rating-ends" id="survey-ends">
          <span>{chat.text('surveyLow')}</span>
          <span>{chat.text('surveyHigh')}</span>
        </p>
        <Field
          {...{
            name: 'comment',
            label: chat.text('surveyComment'),
            optional: chat.text('optional'),
            rows: 3,
            maxLength: 2000,
          }}
          value={comment}
          onChange={setComment}
        />
        <Problem chat={chat} />
        <button type="submit" class="button" data-kind="primary" disabled={chat.state.isBusy}>
          {chat.text('surveySend')}
        </button>
        <button type="button" class="button" data-kind="quiet" onClick={() => engine.forget()}>
          {chat.text('surveySkip')}
        </button>
      </form>
    </div>
  );
}
